/* SPDX-License-Identifier: MIT */
/* A journal entry in journald's native form, ready to be sent. */
#pragma once

#include <stddef.h>

typedef struct AuditEntry {
        char *data; /* owned; NULL: none */
        size_t size_bytes;
} AuditEntry;
