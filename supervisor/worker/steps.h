/* SPDX-License-Identifier: MIT */
/* The worker: what it does to itself, in which order and why, before the program's first
 * instruction. The table in steps.c is the order; each row says why it stands there. */
#pragma once

#include "supervisor/worker/plan.h"

typedef struct WorkerStep {
        const char *name; /* in messages: "step 'landlock' failed" */
        /* Returns 0 or a negative errno and sets *@ret_detail where the step defines one. Runs in the
         * worker: no allocation, no locks, async-signal-safe calls only. */
        int (*apply)(const Plan *plan, int *ret_detail);
        const char *reason; /* why it stands at this place */
} WorkerStep;

/* The step table. *@ret_n gets its length. Static. */
const WorkerStep *worker_steps(size_t *ret_n);

/* The worker's main: applies every step, then executes the program. Reports a failed step over
 * plan->report_fd and ends with status 125. Never returns. */
_Noreturn void worker_main(const Plan *plan);

/* process.c: descriptors, signals, limits, directory, ids. Source: close_range(2), signal(7),
 * setrlimit(2), credentials(7). */
int step_descriptors(const Plan *plan, int *ret_detail);
int step_oom_score(const Plan *plan, int *ret_detail);
int step_no_new_privs(const Plan *plan, int *ret_detail);
int step_limits(const Plan *plan, int *ret_detail); /* detail: RLIMIT_* */
int step_directory(const Plan *plan, int *ret_detail);
int step_ids(const Plan *plan, int *ret_detail);
int step_parent_death(const Plan *plan, int *ret_detail);
int step_signals(const Plan *plan, int *ret_detail);

/* caps.c. Source: capabilities(7). */
int step_bounding_set(const Plan *plan, int *ret_detail);
int step_capabilities(const Plan *plan, int *ret_detail);

/* landlock.c. Source: landlock(7). */
int step_grants(const Plan *plan, int *ret_detail); /* detail: index of the useless grant */
int step_landlock(const Plan *plan, int *ret_detail);

/* seccomp.c. Source: seccomp_unotify(2), the kernel's seccomp_filter.rst. */
int step_seccomp_outer(const Plan *plan, int *ret_detail);
int step_seccomp_inner(const Plan *plan, int *ret_detail);
int step_seccomp_check(const Plan *plan, int *ret_detail);

/* Descriptors of the worker from step_descriptors on. */
enum {
        WORKER_REPORT_FD = 3,  /* close-on-exec: its end of file tells the supervisor of the exec */
        WORKER_RULESET_FD = 4, /* closed once it is in force */
        WORKER_FD_END,
};
