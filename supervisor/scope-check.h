/* SPDX-License-Identifier: MIT */
/* Whether the unit came out as it was asked for: a drop-in wins over what came over the bus. Limits
 * are read back from the kernel; here it is what holds systemd's own deadline. For scope.c only. */
#pragma once

#include <systemd/sd-bus.h>

#include "supervisor/scope.h"

typedef struct ScopeCheck {
        const ScopeRequest *request; /* not owned, like bus and unit */
        sd_bus *bus;
        const char *unit;
        char *path; /* of the unit's object; owned */
        sd_bus_slot *call;
        char *drop_ins; /* the unit's, quoted and in one line; owned */
        bool done;
        int error;     /* -EPERM: they loosened it, or that cannot be told; -EAGAIN: ask again */
        char *finding; /* says what; owned, NULL: out of memory */
} ScopeCheck;

/* Asks which drop-ins the unit has and, only if there are any, what they made of it. @check and
 * what it points to must stay until the connection is closed. Returns 0 or a negative errno. */
int scope_check_ask(ScopeCheck *check);

/* Whether the manager or the bus went away before it answered, as when it executes itself anew: an
 * answer that says nothing about what was asked. */
bool scope_is_lost(const sd_bus_error *error);

/* Frees what @check holds. Accepts a zeroed one. */
void scope_check_done(ScopeCheck *check);
