/* SPDX-License-Identifier: MIT */
/* Who the program runs as. A user's run keeps its ids; root's never stays root unless told so. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "policy/policy.h"
#include "policy/settings.h"
#include "supervisor/outcome.h"

typedef struct Identity {
        bool switch_ids;
        uid_t uid;
        gid_t gid;
        gid_t *groups; /* owned */
        size_t n_groups;
        char *name; /* owned; NULL: the uid has no name */
        char *home; /* owned; NULL: none */
        int uid_fd; /* holds the uid against other runs; -EBADF: not from the range */
} Identity;

#define IDENTITY_INIT ((Identity){ .uid_fd = -EBADF })

#define UID_FROM_RANGE ((uid_t)-1) /* none was taken: see identity_resolve() */

/* Chooses ids by policy->user and policy->group, else by SUDO_UID, else from policy->uids.
 * @settings: what @policy was made of. @hold: take a free uid out of the range; else it is only
 * said that one would be taken, and uid and gid are UID_FROM_RANGE.
 * Returns 0 or a negative errno with @outcome failed. Free with identity_done(), also then. */
int identity_resolve(const Policy *policy, const Settings *settings, bool hold, Identity *ret,
                     Outcome *outcome);

/* Notes that no process of the run is left, so that its uid may be taken without a look. */
void identity_release(Identity *identity);

/* Frees what @identity holds and gives its uid back to the range. Accepts IDENTITY_INIT. */
void identity_done(Identity *identity);
