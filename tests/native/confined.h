/* SPDX-License-Identifier: MIT */
/* For native tests: does something in a child, plainly or under the real restriction, and tells
 * what came of it. A denial counts only where the same deed gives another result plainly. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

/* Done in the child. Returns 0 or the (positive) errno it met. */
typedef int (*Deed)(const void *argument);

#define CONFINED_SETUP_FAILED 254 /* the child could not be restricted; the reason is on stderr */

typedef struct Outcome {
        int result; /* 0, an errno, or the negative number of the signal that ended the child */
        size_t n_notified; /* calls the listener was asked about */
        int first_nr;      /* number of the first of them */
} Outcome;

/* Runs @deed in a child as it is. */
Outcome plain_run(Deed deed, const void *argument);

/* Runs @deed in a child under no_new_privs and both shipped filters for @grants (FILTER_* bits).
 * The listener lets @n_exec calls pass and answers EPERM to all others. */
Outcome confined_run(unsigned grants, size_t n_exec, Deed deed, const void *argument);

/* The same without a listener: under outer_trace, and nobody traces. */
Outcome confined_untraced_run(unsigned grants, Deed deed, const void *argument);

typedef struct LandlockGrant {
        const char *path;
        unsigned access; /* GRANT_* bits */
} LandlockGrant;

/* Runs @deed in a child under Landlock alone, with the rights of @abi and the grants up to the
 * first without a path. */
Outcome landlocked_run(int abi, const LandlockGrant *grants, Deed deed, const void *argument);

/* Runs @deed under both: Landlock with the rights of @abi and @landlock, then the filters for
 * @grants, whose listener denies everything. */
Outcome sandboxed_run(int abi, const LandlockGrant *landlock, unsigned grants, Deed deed,
                      const void *argument);
