/* SPDX-License-Identifier: MIT */
/* Steps of the worker that install the two filters. Both were compiled at build time.
 *
 * The outer filter owns the listener: it answers foreign ABIs, clone3 and the calls that the
 * supervisor decides or counts, and lets everything else pass. The inner one is the allowlist. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "policy/filter-bind.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/worker/report.h"
#include "supervisor/worker/steps.h"

/* Installs a copy of @program in which the profile's "self", where a call may name the own process
 * only, is the own pid. *@ret_n_bound: how often that stood there. Returns what
 * kernel_seccomp_filter() does. */
static int install(const struct sock_fprog *program, unsigned flags, size_t *ret_n_bound) {
        struct sock_filter code[FILTER_LENGTH_MAX];
        const struct sock_fprog bound = { .len = program->len, .filter = code };

        if (program->len > FILTER_LENGTH_MAX)
                return -E2BIG;
        memcpy(code, program->filter, program->len * sizeof(code[0]));
        *ret_n_bound = filter_bind_self(code, program->len, getpid());
        return kernel_seccomp_filter(&bound, flags);
}

/* A listener above outranks the tracer: one that decides these calls would let any of them through.
 * Ours answers ENOSYS as long as nobody traces; the kernel itself EFAULT, without executing. */
static int install_outer_trace(const Plan *plan) {
        size_t n_bound;
        int r;

        r = install(plan->outer_trace, 0, &n_bound);
        if (r < 0 || plan->policy->subprocess)
                return r;
        if (syscall(SYS_execve, NULL, NULL, NULL) >= 0 || errno != ENOSYS)
                return -ENOTRECOVERABLE;
        if (syscall(SYS_execveat, -1, NULL, NULL, NULL, 0) >= 0 || errno != ENOSYS)
                return -ENOTRECOVERABLE;
        return 0;
}

int step_seccomp_outer(Worker *worker) {
        const Plan *plan = worker->plan;
        const Message message = { .kind = MESSAGE_LISTENER };
        _cleanup_close_ int listener = -EBADF;
        size_t n_bound;

        /* Without WAIT_KILLABLE_RECV (5.19) a signal makes one call count twice. */
        listener =
                install(plan->outer,
                        SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                        &n_bound);
        if (listener == -EBUSY && plan->outer_trace) {
                int r;

                r = install_outer_trace(plan);
                return r < 0 ? r : message_send(worker->report_fd, &message, -EBADF);
        }
        if (listener < 0)
                return listener;
        /* Sent, not fetched by the supervisor with pidfd_getfd: Yama may forbid that to a user. */
        return message_send(worker->report_fd, &message, listener);
}

int step_seccomp_inner(Worker *worker) {
        size_t n_bound;
        int r;

        r = install(worker->plan->inner, 0, &n_bound);
        return r == 0 && worker->plan->must_bind && n_bound == 0 ? -ENOTRECOVERABLE : r;
}

int step_seccomp_check(Worker *worker _unused_) {
        /* Unconfined this succeeds and does nothing; the allowlist never has it. */
        if (unshare(0) == 0 || errno != EPERM)
                return -ENOTRECOVERABLE;
        return 0;
}
