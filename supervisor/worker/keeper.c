/* SPDX-License-Identifier: MIT */
/* The keeper: why a run has a third process.
 *
 * A scope vanishes when its last process ends, and with it the counters and the evidence of an OOM.
 * The keeper is the scope's first process, stays outside the leaf in which the program runs, and
 * lives until the supervisor has read everything. It holds the leaf for the supervisor:
 *
 *   supervisor --SETUP(scope dir)--> keeper   moves aside, makes the leaf, moves the worker into it
 *   supervisor <--READY(leaf dir)--- keeper
 *   supervisor --START-------------> keeper   watches socket, signals and its own deadline
 *   supervisor --QUIT--------------> keeper   removes the empty leaf and ends
 *
 * End of file on the socket means that the supervisor died: the leaf is killed and removed at once.
 * Every signal is blocked: the keeper stays in the process group but must outlive Ctrl-C; it reads
 * its signals and reports them, so that the supervisor can tell a signal sent to the whole group
 * from one sent to it alone. */
#include "supervisor/worker/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/worker/report.h"

#define LEAF_NAME   "run"
#define KEEPER_NAME "keeper"
/* How long a supervisor may take to notice the end of the worker before it is taken for stopped. */
#define WAKE_USEC (100 * USEC_PER_MSEC)

#define END_USEC                                                                         \
        (5 * USEC_PER_SEC) /* how long the end of the leaf is awaited without supervisor \
                            */

typedef struct Keeper {
        Plan plan;
        int scope_fd;
        int leaf_fd;
        int signal_fd;
        uint64_t term_usec;
        uint64_t kill_usec;
        uint64_t wake_usec;
} Keeper;

static const char *const step_names[_KEEPER_STEP_MAX] = {
        [KEEPER_STEP_SCOPE] = "finding itself in the scope",
        [KEEPER_STEP_LEAF] = "making the cgroup of the run",
        [KEEPER_STEP_MOVE] = "moving the keeper aside",
        [KEEPER_STEP_CONTROLLERS] = "enabling the cgroup controllers",
        [KEEPER_STEP_OOM_GROUP] = "setting memory.oom.group",
        [KEEPER_STEP_TASKS] = "setting pids.max",
        [KEEPER_STEP_WORKER] = "moving the worker into its cgroup",
};

const char *keeper_step_name(int step) {
        return step >= 0 && step < _KEEPER_STEP_MAX ? step_names[step] : "an unknown step";
}

static void remove_leaf(const Keeper *k) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), END_USEC);

        while (k->scope_fd >= 0 && clock_now_usec() < deadline) {
                if (unlinkat(k->scope_fd, LEAF_NAME, AT_REMOVEDIR) == 0 || errno != EBUSY)
                        break;
                (void)poll(NULL, 0, 2); /* a notification can be late by 10 ms; the kill is not */
        }
}

/* The supervisor is gone: nothing of the sandbox may outlive it. */
static _Noreturn void end_alone(Keeper *k) {
        if (k->leaf_fd >= 0)
                (void)fd_write_file(k->leaf_fd, "cgroup.kill", "1"); /* fails only if it is gone */
        remove_leaf(k);
        _exit(0);
}

static _Noreturn void fail(Keeper *k, KeeperStep step, int error) {
        const Message message = {
                .kind = MESSAGE_KEEPER_ERROR,
                .step = (int32_t)step,
                .value = -error,
        };

        (void)message_send(k->plan.keeper_fd, &message, -EBADF); /* gone: the end is the same */
        end_alone(k);
}

/* Waits for the message @kind; ends if the supervisor is gone or says anything else. */
static int expect(Keeper *k, MessageKind kind) {
        Message message;
        int fd = -EBADF;

        if (message_recv(k->plan.keeper_fd, &message, &fd, 0) <= 0 || message.kind != kind)
                end_alone(k);
        return fd;
}

static int enable_controllers(int scope_fd) {
        static const char *const wanted[] = { "cpu", "memory", "pids" };
        char available[256], line[64] = "";
        ssize_t n;

        n = fd_read_file(scope_fd, "cgroup.controllers", available, sizeof(available));
        if (n < 0)
                return (int)n;
        /* One write for all, but only of what is there: a missing one makes the whole write fail.
         * The supervisor's read-back decides whether a missing one is fatal. */
        for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
                const char *at = strstr(available, wanted[i]);
                size_t used = strlen(line), length = strlen(wanted[i]);

                while (at &&
                       ((at > available && at[-1] != ' ') || (at[length] && at[length] != ' ')))
                        at = strstr(at + 1, wanted[i]);
                if (at)
                        (void)snprintf(line + used, sizeof(line) - used, "%s+%s", used ? " " : "",
                                       wanted[i]);
        }
        return line[0] ? fd_write_file(scope_fd, "cgroup.subtree_control", line) : 0;
}

/* The settings of the leaf. ENOENT: the controller is missing, which the read-back judges. */
static void set_up_leaf(Keeper *k) {
        char text[32];
        int r;

        r = fd_write_file(k->leaf_fd, "memory.oom.group", "1");
        if (r < 0 && r != -ENOENT)
                fail(k, KEEPER_STEP_OOM_GROUP, r);
        /* Kernels before 6.11 count a refused fork in the forking task's own cgroup only. */
        (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)k->plan.policy->tasks_max);
        r = fd_write_file(k->leaf_fd, "pids.max", text);
        if (r < 0 && r != -ENOENT)
                fail(k, KEEPER_STEP_TASKS, r);
}

/* The number is the supervisor's unreaped child, so it is nobody else's while the supervisor lives;
 * the pidfd says so just before. */
static void move_worker(Keeper *k) {
        char text[16];
        int r;

        r = kernel_pidfd_send_signal(k->plan.worker_pidfd, 0);
        if (r == 0) {
                (void)snprintf(text, sizeof(text), "%d", (int)k->plan.worker_pid);
                r = fd_write_file(k->scope_fd, LEAF_NAME "/cgroup.procs", text);
        }
        if (r < 0)
                fail(k, KEEPER_STEP_WORKER, r);
}

static void set_up_scope(Keeper *k) {
        int r;

        /* First, right after PID 1's own move: a move after idle time waits for an RCU period. */
        if (mkdirat(k->scope_fd, KEEPER_NAME, 0755) < 0 ||
            mkdirat(k->scope_fd, LEAF_NAME, 0755) < 0)
                fail(k, KEEPER_STEP_LEAF, -errno);
        r = fd_write_file(k->scope_fd, KEEPER_NAME "/cgroup.procs", "0");
        if (r < 0)
                fail(k, KEEPER_STEP_MOVE, r);
        move_worker(k);
        /* After the moves: a cgroup that holds processes cannot hand controllers down. */
        r = enable_controllers(k->scope_fd);
        if (r < 0)
                fail(k, KEEPER_STEP_CONTROLLERS, r);
        k->leaf_fd = openat(k->scope_fd, LEAF_NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (k->leaf_fd < 0)
                fail(k, KEEPER_STEP_LEAF, -errno);
        set_up_leaf(k);
}

static void report_signals(Keeper *k) {
        struct signalfd_siginfo info;

        while (read(k->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
                const Message message = {
                        .kind = MESSAGE_SIGNAL,
                        .step = info.ssi_code,
                        .value = (int32_t)info.ssi_signo,
                        .detail = (int32_t)info.ssi_pid,
                };

                /* A stopped supervisor must not stop the keeper's own deadline. */
                (void)send(k->plan.keeper_fd, &message, sizeof(message),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
        }
}

/* The second holder of the deadline, for a supervisor that is stopped; it is woken to tell of the
 * end, which nobody else may do: a script has no job control. */
static void hold_deadline(Keeper *k) {
        uint64_t now = clock_now_usec();

        if (now >= k->term_usec) {
                k->term_usec = USEC_INFINITY;
                (void)kernel_pidfd_send_signal(k->plan.worker_pidfd,
                                               SIGTERM); /* ended: nothing to do */
                (void)kernel_pidfd_send_signal(k->plan.worker_pidfd, SIGCONT);
        }
        if (now >= k->kill_usec) {
                k->kill_usec = USEC_INFINITY;
                (void)fd_write_file(k->leaf_fd, "cgroup.kill", "1"); /* gone: nothing to do */
        }
        if (now >= k->wake_usec) {
                k->wake_usec = USEC_INFINITY;
                if (k->plan.supervisor_pidfd >= 0)
                        (void)kernel_pidfd_send_signal(k->plan.supervisor_pidfd, SIGCONT);
        }
}

static _Noreturn void serve(Keeper *k) {
        for (;;) {
                struct pollfd fds[] = {
                        { .fd = k->plan.keeper_fd, .events = POLLIN },
                        { .fd = k->signal_fd, .events = POLLIN },
                        { .fd = k->plan.worker_pidfd, .events = POLLIN },
                };
                uint64_t next = MIN(MIN(k->term_usec, k->kill_usec), k->wake_usec);
                Message message;
                int fd = -EBADF, r;

                (void)poll(fds, ARRAY_SIZE(fds), clock_poll_timeout(next));
                if (fds[2].revents) {
                        k->wake_usec = clock_add_usec(clock_now_usec(), WAKE_USEC);
                        k->term_usec = USEC_INFINITY;
                        k->plan.worker_pidfd = fd_close(k->plan.worker_pidfd);
                }
                hold_deadline(k);
                if (fds[1].revents)
                        report_signals(k);
                r = message_recv(k->plan.keeper_fd, &message, &fd, MSG_DONTWAIT);
                if (r == -EAGAIN)
                        continue;
                if (r <= 0 || message.kind != MESSAGE_QUIT)
                        end_alone(k);
                remove_leaf(k);
                _exit(0);
        }
}

/* Drops what the supervisor holds and the keeper must not: its socket ends above all, since their
 * end of file is how its death is seen. */
static void keep_own_descriptors(Keeper *k) {
        (void)fd_close(k->plan.supervisor_keeper_fd);
        (void)fd_close(k->plan.supervisor_report_fd);
        (void)fd_close(k->plan.bus_fd);
}

_Noreturn void keeper_main(const Plan *plan) {
        Keeper k = {
                .plan = *plan,
                .scope_fd = -EBADF,
                .leaf_fd = -EBADF,
                .signal_fd = -EBADF,
        };
        const Message ready = { .kind = MESSAGE_READY };
        uint64_t now;
        sigset_t all;

        keep_own_descriptors(&k);
        (void)prctl(PR_SET_NAME, "confine-keeper", 0L, 0L, 0L); /* for ps; cannot fail */
        (void)sigfillset(&all);
        (void)sigprocmask(SIG_SETMASK, &all, NULL); /* cannot fail with a valid set */
        k.scope_fd = expect(&k, MESSAGE_SETUP);
        if (k.scope_fd < 0)
                fail(&k, KEEPER_STEP_SCOPE, -EPROTO);
        set_up_scope(&k);
        if (message_send(k.plan.keeper_fd, &ready, k.leaf_fd) < 0)
                end_alone(&k);
        k.signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
        (void)fd_close(expect(&k, MESSAGE_START));
        now = clock_now_usec();
        k.term_usec = clock_add_usec(now, k.plan.term_after_usec);
        k.kill_usec = clock_add_usec(now, k.plan.kill_after_usec);
        k.wake_usec = USEC_INFINITY;
        serve(&k);
}
