/* SPDX-License-Identifier: MIT */
/* The order of the worker's steps, as data, and the loop that walks it.
 *
 * The worker is forked by the supervisor and does everything but its last rows while systemd
 * still makes the scope. Then it waits: the keeper moves it into the leaf, the supervisor reads the
 * limits back and stores the record, and only its word lets the worker go on to execve. Up to there
 * it runs trusted code only; the program sees nothing but what these rows leave. */
#include "supervisor/worker/steps.h"

#include <errno.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/worker/report.h"

static const WorkerStep steps[] = {
        { "no_new_privs", step_no_new_privs,
          "Landlock and seccomp need it, and it breaks nothing that follows" },
        { "oom-score", step_oom_score,
          "writes a file in /proc: before that is read-only, and before the change of ids" },
        { "core-filter", step_core_filter, "writes a file in /proc, too" },
        { "namespace", step_namespace,
          "mounts need its capabilities, which go later; Landlock would forbid the id maps" },
        { "view", step_view,
          "a file opened for writing in the namespace would stand in its way: before all that "
          "opens "
          "one" },
        { "working-directory", step_directory,
          "by the caller's rights: before the ids change. The one from before is on a read-only "
          "mount, so after the view; before scratch, which may cover it" },
        { "proc", step_proc, "writable where it is mounted, were it before the view" },
        { "scratch", step_scratch, "read-only, were it before the view" },
        { "secrets", step_secrets,
          "its files are given to the run's ids by root's rights: before the ids change; covers "
          "nothing that scratch needs" },
        { "ruleset", step_ruleset,
          "opens paths by the caller's rights, in the view, and needs the grants' descriptors" },
        { "descriptors", step_descriptors,
          "a copy of the supervisor's socket ends or of the listener kept here would keep the "
          "execve "
          "of a run without supervisor waiting for ever" },
        { "scheduling", step_scheduling,
          "leaving SCHED_DEADLINE may need root: before the ids change" },
        { "limits", step_limits,
          "hard limits can only be raised with CAP_SYS_RESOURCE: before capabilities go" },
        { "bounding-set", step_bounding_set,
          "needs CAP_SETPCAP, which a change of uid takes away: before the ids" },
        { "ids", step_ids,
          "after everything that needs root, before the capability sets are zeroed" },
        { "capabilities", step_capabilities,
          "NO_SETUID_FIXUP keeps all capabilities across setresuid: zero them explicitly after "
          "it" },
        { "parent-death", step_parent_death, "a change of uid clears it: after the ids" },
        { "grants", step_grants,
          "asks by the rights of the run's own ids: after them; Landlock does not answer "
          "access(2)" },
        { "landlock", step_landlock,
          "opens nothing and needs no path any more: after all that does; it forbids mounts" },
        { "view-check", step_view_check,
          "what /proc hides is decided by Landlock's rule on tracing: after that" },
        { "seccomp-outer", step_seccomp_outer,
          "sends the listener, which the inner filter would not let pass: before it" },
        { "seccomp-inner", step_seccomp_inner, "the last filter: it admits no further one" },
        { "seccomp-check", step_seccomp_check,
          "a filter that was not enforced must not go unnoticed" },
        { "go", step_go,
          "everything that can be done beforehand is done: from here on a run waits for each "
          "step" },
        { "landlock-check", step_landlock_check,
          "its denial makes the kernel tell the run's domain: after the supervisor listens" },
        { "signals", step_signals,
          "an interrupt during the steps stays pending until here, and then meets the program's "
          "own "
          "dispositions" },
};

const WorkerStep *worker_steps(size_t *ret_n) {
        *ret_n = ARRAY_SIZE(steps);
        return steps;
}

static _Noreturn void worker_fail(const Worker *worker, size_t step, int error) {
        const Message message = {
                .kind = MESSAGE_WORKER_ERROR,
                .step = (int32_t)step,
                .value = -error,
                .detail = worker->detail,
        };
        char byte;

        /* write(2) and read(2), not sendmsg(2): the inner filter may be in force. */
        (void)fd_write_all(worker->report_fd, &message, sizeof(message)); /* gone: nobody to tell */
        /* The pid stays ours until the supervisor has read that: systemd may be about to look at
         * it. */
        while (read(worker->report_fd, &byte, sizeof(byte)) > 0)
                ;
        _exit(125);
}

_Noreturn void worker_main(const Plan *plan) {
        Worker worker = { .plan = plan,
                          .report_fd = plan->report_fd,
                          .ruleset_fd = plan->ruleset_fd };

        /* Before any step can fail: a failed one waits for the end of file of what these hold open.
         */
        for (size_t i = 0; i < ARRAY_SIZE(plan->not_for_children); i++)
                (void)fd_close(plan->not_for_children[i]);

        for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
                int r;

                worker.detail = -1;
                r = steps[i].apply(&worker);
                if (r < 0)
                        worker_fail(&worker, i, r);
        }
        (void)execve(plan->path, plan->argv, plan->envp);
        worker_fail(&worker, ARRAY_SIZE(steps), -errno);
}
