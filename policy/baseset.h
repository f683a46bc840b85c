/* SPDX-License-Identifier: MIT */
/* What an ordinary program needs, as data: the base sets of the key Base=. */
#pragma once

#include <stddef.h>

#include "policy/policy.h"

typedef enum BaseNeed {
        BASE_ALWAYS,
        BASE_TERMINAL, /* only where one of descriptors 0-2 is a terminal */
        BASE_NETWORK,  /* only with a network grant */
        _BASE_NEED_MAX,
        _BASE_NEED_INVALID = -22,
} BaseNeed;

typedef struct BaseEntry {
        const char *path;
        unsigned access; /* GrantAccess bits */
        BaseNeed need;
} BaseEntry;

/* The entries of @base, @ret_n of them; NULL with 0 for BASE_NONE. Static. Every entry is optional
 * where it does not exist; a link (/etc/localtime, /bin) grants what it points to. */
const BaseEntry *baseset_entries(BaseSet base, size_t *ret_n);
