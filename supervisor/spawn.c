/* SPDX-License-Identifier: MIT */
/* The only fork of the supervisor. The worker is not forked here but cloned by the keeper. */
#include "supervisor/spawn.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "policy/shipped.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/worker/keeper.h"

/* The supervisor acts first, then the keeper, then systemd, so that the one who knows most names the
 * cause: see run_max_usec() for the third. */
#define KEEPER_TERM_LAG_USEC (500 * USEC_PER_MSEC)
#define KEEPER_KILL_LAG_USEC (1 * USEC_PER_SEC)
#define KEEPER_END_USEC      (6 * USEC_PER_SEC)

static unsigned filter_grants(const Run *run) {
        return run->policy->subprocess ? FILTER_SUBPROCESS : 0;
}

static void make_plan(const Run *run, const int keeper[2], const int report[2], Plan *ret) {
        const FilterPair *filters = shipped_filters(filter_grants(run));
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
                .envp = run->program.envp,
                .have_terminal = run->have_terminal,
                .grant_fds = run->grant_fds,
                .landlock_abi = run->facts.landlock_abi,
                .ruleset_fd = -EBADF,
                .outer = &filters->outer,
                .inner = &filters->inner,
                .mask = run->signals.mask,
                .ignored = run->signals.ignored,
                .bus_fd = run->scope ? scope_fd(run->scope) : -EBADF,
                .supervisor_keeper_fd = keeper[0],
                .keeper_fd = keeper[1],
                .supervisor_report_fd = report[0],
                .report_fd = report[1],
                .term_after_usec = clock_add_usec(policy->runtime_max_usec, KEEPER_TERM_LAG_USEC),
                .kill_after_usec =
                        clock_add_usec(clock_add_usec(policy->runtime_max_usec, policy->timeout_stop_usec),
                                       KEEPER_KILL_LAG_USEC),
        };
}

int spawn_keeper(Run *run) {
        int keeper[2] = { -EBADF, -EBADF }, report[2] = { -EBADF, -EBADF };
        Plan plan;
        pid_t pid;

        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, keeper) < 0 ||
            socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0) {
                int error = errno;

                for (size_t i = 0; i < 2; i++)
                        (void)fd_close(keeper[i]);
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot make sockets: %s", strerror(error));
        }
        make_plan(run, keeper, report, &plan);
        if (run->scope)
                scope_pump(run->scope);
        pid = fork();
        if (pid == 0)
                keeper_main(&plan);
        if (pid < 0)
                (void)outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "cannot fork: %s",
                                   strerror(errno));
        (void)fd_close(keeper[1]);
        (void)fd_close(report[1]);
        run->keeper_fd = keeper[0];
        run->report_fd = report[0];
        if (pid < 0)
                return -ENOTRECOVERABLE;
        run->keeper_pid = pid;
        run->keeper_pidfd = kernel_pidfd_open(pid);
        if (run->keeper_pidfd < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot open a pidfd: %s", strerror(-run->keeper_pidfd));
        return 0;
}

void spawn_end_keeper(Run *run) {
        struct pollfd pfd = { .fd = run->keeper_pidfd, .events = POLLIN };
        siginfo_t info;

        run->keeper_fd = fd_close(run->keeper_fd);
        if (run->keeper_pid <= 0)
                return;
        if (run->keeper_pidfd < 0 ||
            poll(&pfd, 1, clock_poll_timeout(clock_now_usec() + KEEPER_END_USEC)) <= 0)
                if (run->keeper_pidfd >= 0)
                        (void)kernel_pidfd_send_signal(run->keeper_pidfd, SIGKILL); /* ended: fine */
        while (waitid(P_PID, (id_t)run->keeper_pid, &info, WEXITED) < 0 && errno == EINTR)
                ;
        run->keeper_pid = 0;
        run->keeper_pidfd = fd_close(run->keeper_pidfd);
}
