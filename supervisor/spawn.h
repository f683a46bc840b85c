/* SPDX-License-Identifier: MIT */
/* The only fork of the supervisor: the keeper, with everything it and the worker need. */
#pragma once

#include "supervisor/run.h"

/* Forks the keeper: fills run->keeper_*, run->report_fd.
 * Returns 0 or a negative errno with run->outcome failed. */
int spawn_keeper(Run *run);

/* Ends the keeper, with its leaf if there is one, and reaps it: closes its socket, which it
 * takes for the death of the supervisor, then kills it if it does not end. Idempotent. */
void spawn_end_keeper(Run *run);
