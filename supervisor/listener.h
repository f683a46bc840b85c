/* SPDX-License-Identifier: MIT */
/* The seccomp listener: lets the run's own execve through, denies and counts the rest. */
#pragma once

#include <stdint.h>

#include "policy/denials.h"
#include "policy/shipped.h"

/* Answers what waits on @listener_fd, a bounded number of calls at a time so that the deadline is
 * looked at in between.
 * @report_fd: the worker's report socket, whose end of file means that the program is executed
 * (-EBADF: it was seen already).
 * @filters: the run's, for the families of calls. Counts into @denials.
 * Returns 0 or a negative errno if the listener is of no more use. */
int listener_serve(int listener_fd, int report_fd, const FilterPair *filters, Denials *denials);

/* What the answers of one listener have cost. Zero: nothing yet. */
typedef struct ListenerPace {
        uint64_t n_answers;
        uint64_t cpu_usec;   /* used by the last answer that was paid for; 0: none was yet */
        uint64_t pause_usec; /* not again before */
} ListenerPace;

/* Counts one listener_serve() and sets pace->pause_usec: after many, the listener is left alone for
 * many times the CPU time that was used since the last one. */
void listener_pay(ListenerPace *pace);
