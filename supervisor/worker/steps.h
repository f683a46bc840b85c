/* SPDX-License-Identifier: MIT */
/* The worker: what it does to itself, in which order and why, before the program's first
 * instruction. The table in steps.c is the order; each row says why it stands there. */
#pragma once

#include "supervisor/worker/plan.h"

typedef struct Worker {
        const Plan *plan;
        int report_fd;  /* close-on-exec: its end of file tells the supervisor of the exec */
        int ruleset_fd; /* Landlock, until it is in force */
        bool own_proc;  /* /proc is mounted anew */
        int detail;     /* what a failed step failed on, where it defines that; else -1 */
} Worker;

typedef struct WorkerStep {
        const char *name; /* in messages: "step 'landlock' failed" */
        /* Returns 0 or a negative errno. No allocation, no locks, async-signal-safe calls only. */
        int (*apply)(Worker *worker);
        const char *reason; /* why it stands at this place */
} WorkerStep;

/* The step table. *@ret_n gets its length. Static. */
const WorkerStep *worker_steps(size_t *ret_n);

/* The worker's main: applies every step, then executes the program. Reports a failed step over
 * plan->report_fd and ends with status 125. Never returns. */
_Noreturn void worker_main(const Plan *plan);

/* process.c: descriptors, signals, limits, directory, ids. Source: close_range(2), signal(7),
 * setrlimit(2), credentials(7). */
int step_descriptors(Worker *worker);
int step_oom_score(Worker *worker);
int step_core_filter(Worker *worker);
int step_no_new_privs(Worker *worker);
int step_scheduling(Worker *worker);
int step_limits(Worker *worker); /* detail: RLIMIT_* */
int step_directory(Worker *worker);
int step_ids(Worker *worker);
int step_parent_death(Worker *worker);
int step_go(Worker *worker);
int step_signals(Worker *worker);

/* view.c: nothing at all where plan->view.made is not set. Source: mount_namespaces(7),
 * mount_setattr(2), user_namespaces(7), tmpfs(5). */
int step_namespace(Worker *worker);
int step_view(Worker *worker); /* detail: index of the grant that cannot be mounted, or -1 */
int step_proc(Worker *worker);
int step_scratch(Worker *worker);
int step_view_check(Worker *worker);

/* secrets.c. Source: mount(2), the kernel's ramfs-rootfs-initramfs.rst. */
int step_secrets(Worker *worker);

/* caps.c. Source: capabilities(7). */
int step_bounding_set(Worker *worker); /* detail: the capability */
int step_capabilities(Worker *worker);

/* landlock.c. Source: landlock(7). */
int step_ruleset(Worker *worker); /* detail: index of the grant that cannot be added, or -1 */
int step_grants(Worker *worker);  /* detail: index of the useless grant */
int step_landlock(Worker *worker);
int step_landlock_check(Worker *worker);

/* seccomp.c. Source: seccomp_unotify(2), the kernel's seccomp_filter.rst. */
int step_seccomp_outer(Worker *worker);
int step_seccomp_inner(Worker *worker);
int step_seccomp_check(Worker *worker);
