/* SPDX-License-Identifier: MIT */
/* The forks of the supervisor: worker and keeper, with everything they need. */
#pragma once

#include "supervisor/run.h"

/* Forks the worker, which starts to restrict itself at once, and the keeper: fills run->keeper_*,
 * run->worker_* and run->report_fd. Returns 0 or a negative errno with run->outcome failed. */
int spawn_children(Run *run);

/* For a run that is not made: tries whether its worker would get the private view. If not,
 * run->view and the filters are those of a run without. Returns 0, or a negative errno with
 * run->outcome failed as that of the run would be. */
int spawn_try_view(Run *run);

/* Ends the worker, if it has not ended, and reaps it. Idempotent. */
void spawn_end_worker(Run *run);

/* Ends the keeper, with its leaf if there is one, and reaps it: closes its socket, which it
 * takes for the death of the supervisor, then kills it if it does not end. Idempotent. */
void spawn_end_keeper(Run *run);
