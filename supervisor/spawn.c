/* SPDX-License-Identifier: MIT */
/* The two forks of the supervisor. The worker comes first: it has more to do, and the keeper gets
 * its pidfd. */
#include "supervisor/spawn.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "policy/isolation.h"
#include "policy/secret.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/filters.h"
#include "supervisor/landlock-audit.h"
#include "supervisor/secrets.h"
#include "supervisor/view.h"
#include "supervisor/worker/keeper.h"
#include "supervisor/worker/steps.h"

/* The supervisor acts first, then the keeper, then systemd, so that the one who knows most names
 * the cause: see run_max_usec() for the third. */
#define KEEPER_TERM_LAG_USEC (500 * USEC_PER_MSEC)
#define KEEPER_KILL_LAG_USEC (1 * USEC_PER_SEC)
#define KEEPER_END_USEC      (6 * USEC_PER_SEC)
/* A keeper that takes longer is looked after: it may be stopped, or frozen with its scope. */
#define KEEPER_SLOW_USEC (100 * USEC_PER_MSEC)

static void make_plan(const Run *run, const int keeper[2], const int report[2], Plan *ret) {
        const Policy *policy = run->policy;

        *ret = (Plan){
                .policy = policy,
                .switch_ids = run->identity.switch_ids,
                .uid = run->identity.uid,
                .gid = run->identity.gid,
                .groups = run->identity.groups,
                .n_groups = run->identity.n_groups,
                .path = run->program.path,
                .argv = run->program.argv,
                .envp = run->secrets.envp ? run->secrets.envp : run->program.envp,
                .have_terminal = run->have_terminal,
                .opened = run->opened,
                .n_opened = run->n_opened,
                .landlock_abi = run->facts.landlock_abi,
                .ruleset_fd = run->ruleset_fd,
                .denial_logged = landlock_audit_possible(&run->facts),
                .view = run->view,
                .secrets = run->secrets,
                .outer = &run->filters->outer,
                .outer_trace = policy->enforcement == ENFORCEMENT_BEST_EFFORT
                                       ? &run->filters->outer_trace
                                       : NULL,
                .inner = &run->filters->inner,
                .must_bind = !run->own_filters,
                .mask = run->signals.mask,
                .ignored = run->signals.ignored,
                .worker_pidfd = -EBADF,
                .supervisor_pidfd = -EBADF,
                .keeper_fd = keeper[1],
                .not_for_children = { keeper[0], report[0],
                                      run->scope ? scope_fd(run->scope) : -EBADF, run->turn_fd },
                .report_fd = report[1],
                .term_after_usec = clock_add_usec(policy->runtime_max_usec, KEEPER_TERM_LAG_USEC),
                .kill_after_usec = clock_add_usec(
                        clock_add_usec(policy->runtime_max_usec, policy->timeout_stop_usec),
                        KEEPER_KILL_LAG_USEC),
        };
}

/* Forks one child that runs @main_function, with the CLONE_* @flags. *@ret_pidfd is its pidfd: by
 * the same call, so that there is no child without one, which could not be killed. Returns 0 or a
 * negative errno. */
static int fork_child(const Plan *plan, void (*main_function)(const Plan *plan), uint64_t flags,
                      pid_t *ret_pid, int *ret_pidfd) {
        int pidfd = -EBADF;
        const CloneArgs args = {
                .flags = CLONE_PIDFD | flags,
                .pidfd = (uint64_t)(uintptr_t)&pidfd,
                .exit_signal = SIGCHLD,
        };
        pid_t pid = kernel_clone3(&args);

        if (pid == 0) {
                main_function(plan);
                _exit(125); /* not reached: neither returns */
        }
        if (pid < 0)
                return pid;
        *ret_pid = pid;
        *ret_pidfd = pidfd;
        return 0;
}

static int fail_fork(Run *run, int error) {
        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                            "cannot fork: %s" DOCTOR_HINT, strerror(-error));
}

/* What clone3 answers where there can be no user namespace: switched off, used up, nested too deep,
 * in a chroot, forbidden by a security module, not built. */
static bool is_about_namespaces(int error) {
        return error == -EPERM || error == -EACCES || error == -ENOSPC || error == -EUSERS ||
               error == -EINVAL;
}

/* @error keeps the namespace from being made. Returns 0 if the run may do without the view. */
static int go_without_view(Run *run, int error) {
        _cleanup_(diag_done) Diag diag = { 0 };

        view_give_up(run);
        if (run->policy->private_tmp || secrets_count(run->policy) > 0)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                        "%s a private mount namespace, and this host lets no "
                        "user make one (%s): %s, run confine as root, or %s" DOCTOR_HINT,
                        run->policy->private_tmp ? "PrivateTmp=yes needs" : "Secrets= needs",
                        strerror(-error),
                        error == -EACCES ? ALLOW_IN_PROFILE : "raise user.max_user_namespaces",
                        run->policy->private_tmp ? "say -p PrivateTmp=no"
                                                 : "leave the secrets out");
        if (isolation_check(run->policy, run->invocation->settings, false, NULL, &diag) < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION, "%s",
                                    diag.n_messages > 0 ? diag.messages[0].text : "out of memory");
        filters_done(run); /* what they admit depends on it */
        return filters_prepare(run);
}

/* The worker is born into its user namespace, not to enter one by itself: so it is known before
 * anything depends on it whether the host allows one. */
static int fork_worker(Run *run, const int keeper[2], const int report[2], Plan *ret) {
        int r;

        make_plan(run, keeper, report, ret);
        r = fork_child(ret, worker_main, run->view.user_namespace ? CLONE_NEWUSER : 0,
                       &run->worker_pid, &run->worker_pidfd);
        if (r == 0)
                return 0;
        if (!run->view.user_namespace || !is_about_namespaces(r))
                return fail_fork(run, r);
        r = go_without_view(run, r);
        if (r < 0)
                return r;
        make_plan(run, keeper, report, ret);
        r = fork_child(ret, worker_main, 0, &run->worker_pid, &run->worker_pidfd);
        return r < 0 ? fail_fork(run, r) : 0;
}

int spawn_try_view(Run *run) {
        const CloneArgs args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
        siginfo_t info;
        pid_t pid;

        if (!run->view.user_namespace)
                return 0;
        pid = kernel_clone3(&args);
        if (pid == 0)
                _exit(0);
        if (pid < 0)
                return is_about_namespaces(pid) ? go_without_view(run, pid) : fail_fork(run, pid);
        while (waitid(P_PID, (id_t)pid, &info, WEXITED) < 0 && errno == EINTR)
                ;
        return 0;
}

int spawn_children(Run *run) {
        int keeper[2] = { -EBADF, -EBADF }, report[2] = { -EBADF, -EBADF };
        Plan plan;
        int r = 0;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, keeper) < 0 ||
            socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0)
                r = outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                 "cannot make sockets: %s", strerror(errno));
        run->keeper_fd = keeper[0];
        run->report_fd = report[0];
        if (r == 0)
                r = fork_worker(run, keeper, report, &plan);
        /* Before the second fork: the keeper holds none. */
        secrets_forget(&run->secrets);
        /* Before the second fork: only the worker may hold this end. */
        (void)fd_close(report[1]);
        if (r == 0) {
                if (run->scope)
                        scope_pump(run->scope); /* the answer to the greeting is there by now */
                plan.worker_pidfd = run->worker_pidfd;
                plan.supervisor_pidfd = kernel_pidfd_open(getpid()); /* without: it stays stopped */
                r = fork_child(&plan, keeper_main, 0, &run->keeper_pid, &run->keeper_pidfd);
                if (r < 0)
                        r = fail_fork(run, r);
        }
        (void)fd_close(keeper[1]);
        if (r == 0)
                (void)fd_close(plan.supervisor_pidfd);
        return r;
}

void spawn_end_worker(Run *run) {
        siginfo_t info;

        if (run->worker_pid <= 0)
                return;
        if (run->worker_pidfd >= 0)
                (void)kernel_pidfd_send_signal(run->worker_pidfd, SIGKILL); /* ended: fine */
        run->report_fd = fd_close(run->report_fd); /* and it ends by this too */
        while (waitid(P_PID, (id_t)run->worker_pid, &info, WEXITED) < 0 && errno == EINTR)
                ;
        run->worker_pid = 0;
        run->worker_pidfd = fd_close(run->worker_pidfd);
}

static bool keeper_ends(const Run *run, uint64_t usec) {
        struct pollfd pfd = { .fd = run->keeper_pidfd, .events = POLLIN };

        return poll(&pfd, 1, clock_poll_timeout(clock_now_usec() + usec)) > 0;
}

void spawn_end_keeper(Run *run) {
        siginfo_t info;

        run->keeper_fd = fd_close(run->keeper_fd);
        if (run->keeper_pid <= 0)
                return;
        if (run->keeper_pidfd >= 0 && !keeper_ends(run, KEEPER_SLOW_USEC)) {
                if (run->scope_fd >= 0)
                        (void)fd_write_file(run->scope_fd, "cgroup.freeze", "0"); /* gone: fine */
                (void)kernel_pidfd_send_signal(run->keeper_pidfd, SIGCONT);
                if (!keeper_ends(run, KEEPER_END_USEC))
                        (void)kernel_pidfd_send_signal(run->keeper_pidfd, SIGKILL);
        }
        while (waitid(P_PID, (id_t)run->keeper_pid, &info, WEXITED) < 0 && errno == EINTR)
                ;
        run->keeper_pid = 0;
        run->keeper_pidfd = fd_close(run->keeper_pidfd);
}
