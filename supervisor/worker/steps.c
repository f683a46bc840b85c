/* SPDX-License-Identifier: MIT */
/* The order of the worker's steps, as data, and the loop that walks it.
 *
 * The worker is cloned by the keeper straight into the leaf cgroup, with the keeper's memory and
 * descriptors. From there to execve it runs trusted code only; the program sees nothing but what
 * these rows leave. */
#include "supervisor/worker/steps.h"

#include <errno.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/worker/report.h"

static const WorkerStep steps[] = {
        { "descriptors", step_descriptors,
          "first: a copy of the supervisor's socket ends or of the listener kept here would keep "
          "the execve of a run without supervisor waiting for ever" },
        { "no_new_privs", step_no_new_privs,
          "Landlock and seccomp need it, and it breaks nothing that follows" },
        { "oom-score", step_oom_score, "opens a file in /proc: before Landlock and the change of ids" },
        { "limits", step_limits,
          "hard limits can only be raised with CAP_SYS_RESOURCE: before capabilities go" },
        { "working-directory", step_directory, "by the caller's rights: before the ids change" },
        { "bounding-set", step_bounding_set,
          "needs CAP_SETPCAP, which a change of uid takes away: before the ids" },
        { "ids", step_ids, "after everything that needs root, before the capability sets are zeroed" },
        { "capabilities", step_capabilities,
          "NO_SETUID_FIXUP keeps all capabilities across setresuid: zero them explicitly after it" },
        { "parent-death", step_parent_death, "a change of uid clears it: after the ids" },
        { "grants", step_grants,
          "asks by the rights of the run's own ids: after them; Landlock does not answer access(2)" },
        { "landlock", step_landlock, "opens nothing and needs no path any more: after all that does" },
        { "seccomp-outer", step_seccomp_outer,
          "sends the listener, which the inner filter would not let pass: before it" },
        { "signals", step_signals,
          "an interrupt during the steps stays pending until here, and then meets the program's own "
          "dispositions" },
        { "seccomp-inner", step_seccomp_inner, "the last filter: it admits no further one" },
        { "seccomp-check", step_seccomp_check, "a filter that was not enforced must not go unnoticed" },
};

const WorkerStep *worker_steps(size_t *ret_n) {
        *ret_n = ARRAY_SIZE(steps);
        return steps;
}

static _Noreturn void worker_fail(int fd, size_t step, int error, int detail) {
        const Message message = {
                .kind = MESSAGE_WORKER_ERROR,
                .step = (int32_t)step,
                .value = -error,
                .detail = detail,
        };

        /* write(2), not sendmsg(2): the inner filter may be in force. */
        (void)fd_write_all(fd, &message, sizeof(message)); /* supervisor gone: nobody to tell */
        _exit(125);
}

_Noreturn void worker_main(const Plan *plan) {
        int report_fd = plan->report_fd;

        for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
                int detail = -1, r;

                r = steps[i].apply(plan, &detail);
                if (r < 0)
                        worker_fail(report_fd, i, r, detail);
                report_fd = WORKER_REPORT_FD;
        }
        (void)execve(plan->path, plan->argv, plan->envp);
        worker_fail(report_fd, ARRAY_SIZE(steps), -errno, -1);
}
