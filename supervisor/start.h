/* SPDX-License-Identifier: MIT */
/* From the forked processes to the running program. Every wait in here ends by
 * run->start_deadline_usec (CreateTimeout) or by a signal. */
#pragma once

#include "supervisor/run.h"

/* Starts to connect to the manager, if it is this run's turn; else start_scope() does. Never fails:
 * what went wrong shows there. Does not block. */
void start_connect(Run *run);

/* Asks systemd for the scope around keeper and worker and waits until it is up. */
int start_scope(Run *run);

/* Finds the scope's cgroup, divides it, reads the limits back and sees the start record stored. */
int start_verify(Run *run);

/* Sees that no drop-in loosened the scope. The manager was asked while it made the scope and has
 * answered by now. */
int start_check_scope(Run *run);

/* Waits until the worker has taken all its steps, then lets it execute the program; fills
 * run->listener_fd and run->started_usec. */
int start_program(Run *run);

/* All four return 0 or a negative errno with run->outcome failed or its signal set. */

/* Reads the signals that came during the start. Returns 0, or -EINTR with the outcome set if one of
 * them asks for the end: no program runs yet that could answer it. Stops confine on SIGTSTP. */
int start_check_signals(Run *run);

/* Waits until @fd can be read, has ended or has failed. Returns 0; -ETIMEDOUT at the deadline of
 * the start; -EINTR as start_check_signals(), with the outcome set; another negative errno of
 * poll(2). */
int start_wait(Run *run, int fd);

/* Fails run->outcome with CreateTimeout while waiting for @what. Returns -ENOTRECOVERABLE always.
 */
int start_fail_timeout(Run *run, const char *what);
