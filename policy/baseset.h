/* SPDX-License-Identifier: MIT */
/* What an ordinary program needs, as data: the base sets of the key Base=. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"

typedef struct BaseEntry {
        const char *path;
        unsigned access; /* GrantAccess bits */
        bool terminal;   /* only where one of descriptors 0-2 is a terminal */
} BaseEntry;

/* The entries of @base, @ret_n of them; NULL with 0 for BASE_NONE. Static. Every entry is optional
 * where it does not exist; a link (/etc/localtime, /bin) grants what it points to. */
const BaseEntry *baseset_entries(BaseSet base, size_t *ret_n);
