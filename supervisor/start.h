/* SPDX-License-Identifier: MIT */
/* From the forked keeper to the running worker. Every wait in here ends by run->start_deadline_usec
 * (CreateTimeout) or by a signal. */
#pragma once

#include "supervisor/run.h"

/* Asks systemd for the scope around the keeper and waits until it is up. */
int start_scope(Run *run);

/* Finds the scope's cgroup, has the keeper set it up, reads the limits back and stores the start
 * record. */
int start_verify(Run *run);

/* Has the keeper clone the worker; fills run->worker_* and run->started_usec. */
int start_worker(Run *run);

/* All three return 0 or a negative errno with run->outcome failed or its signal set. */
