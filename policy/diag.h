/* SPDX-License-Identifier: MIT */
/* Positioned messages about what a user wrote or a machine lacks, collected until a verb prints
 * them. Nothing here prints. */
#pragma once

#include <stddef.h>

#include "policy/errors.h"
#include "supervisor/base/base.h"

#define DIAG_MAX      64   /* further messages are counted, not kept */
#define DIAG_TEXT_MAX 1024 /* bytes of one message; what is longer is cut and ends in "..." */

typedef struct DiagMessage {
        ErrorType type;
        char *text; /* one line: what, which object in 'quotes', where, exact fix; owned */
} DiagMessage;

typedef struct Diag {
        DiagMessage messages[DIAG_MAX];
        size_t n_messages;
        size_t n_dropped;
} Diag;

/* Adds a message. The text is made printable: control characters and bytes that are no UTF-8
 * become '?'. Without memory the message is counted in n_dropped.
 * Returns -EINVAL always, so that callers can `return diag_add(...)`. */
int diag_add(Diag *diag, ErrorType type, const char *format, ...) _printf_(3, 4);

/* Frees what @diag holds; the struct itself is the caller's. */
void diag_done(Diag *diag);
