/* SPDX-License-Identifier: MIT */
/* What is known about this machine and caller when a policy is resolved. Filled by doctor/probe.c,
 * or by a test; plain data. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#define UID_UNKNOWN ((uid_t)-1) /* a policy is only read: nothing is refused for who that does */

typedef struct Facts {
        uid_t uid;           /* effective uid of the caller, or UID_UNKNOWN */
        bool system_manager; /* true: PID 1, false: the caller's own user manager */
        int landlock_abi;    /* >= 1, or the negative errno of the version query */
        const char *cwd;     /* absolute current directory, not owned; NULL if it cannot be told */
        /* Why this caller gets no private mount namespace, and what would help; static. NULL:
         * nothing is known against it. */
        const char *no_view;
} Facts;
