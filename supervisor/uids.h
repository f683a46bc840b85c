/* SPDX-License-Identifier: MIT */
/* The uids that runs of root take turns in: nobody else's, and each of one run at a time. */
#pragma once

#include <stdint.h>

#include "policy/policy.h"
#include "supervisor/outcome.h"

/* Takes a uid of @range that no run has, nor a process of a run that did not come to its end.
 * Returns a descriptor that holds it until its last copy is closed, which is the caller's, and the
 * uid in *ret_uid; -EAGAIN if there is none; another negative errno. */
int uids_take(const UidRange *range, uint32_t *ret_uid);

/* Notes that no process has @uid, held by @fd, so that it may be taken without a look. */
void uids_release(int fd, uint32_t uid);

/* Refuses a @range, as @origin says it, with a uid or gid that a file of the machine gives to
 * somebody: an account, a group, or the containers of a user. No server is asked. Some 100
 * microseconds; not needed for the range that is shipped, which is nobody's by convention. Returns
 * 0 or a negative errno with @outcome failed. */
int uids_check(const UidRange *range, const char *origin, Outcome *outcome);
