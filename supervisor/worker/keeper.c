/* SPDX-License-Identifier: MIT */
/* The keeper: why a run has a third process.
 *
 * A scope vanishes when its last process ends, and with it the counters and the evidence of an OOM.
 * The keeper is the scope's first process, stays outside the leaf in which the program runs, and
 * lives until the supervisor has read everything. It holds the leaf for the supervisor:
 *
 *   supervisor --SETUP(scope dir)--> keeper
 *   supervisor --START(leaf dir)---> keeper   watches socket, signals and its own deadline
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
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/str.h"
#include "supervisor/worker/report.h"

#define LEAF_NAME "run"
/* How long a supervisor may take to notice the end of the worker before it is taken for stopped. */
#define WAKE_USEC (100 * USEC_PER_MSEC)

#define CGROUP_ROOT     "/sys/fs/cgroup"
#define CGROUP_PATH_MAX 4096

/* How long the manager may take to remove a scope that the keeper has left. */
#define LEAVE_CHECKS     20
#define LEAVE_CHECK_MSEC 10

#define JOIN_USEC (2 * USEC_PER_SEC) /* systemd had the call, or will not get it any more */
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

static void remove_leaf(const Keeper *k) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), END_USEC);

        while (k->scope_fd >= 0 && clock_now_usec() < deadline) {
                if (unlinkat(k->scope_fd, LEAF_NAME, AT_REMOVEDIR) == 0 || errno != EBUSY)
                        break;
                (void)poll(NULL, 0, 2); /* a notification can be late by 10 ms; the kill is not */
        }
}

/* The program by itself, too: somebody may have moved it out of the leaf. */
static void kill_leaf(const Keeper *k) {
        if (k->leaf_fd >= 0)
                (void)fd_write_file(k->leaf_fd, "cgroup.kill", "1"); /* fails only if it is gone */
        (void)kernel_pidfd_send_signal(k->plan.worker_pidfd, SIGKILL); /* ended: nothing to do */
}

/* The supervisor is gone: nothing of the sandbox may outlive it. */
static _Noreturn void end_alone(Keeper *k) {
        kill_leaf(k);
        remove_leaf(k);
        _exit(0);
}

/* A user's manager has processes moved one by one, through PID 1. If the worker dies in between, it
 * gives the scope up with the keeper in it, and forgets a directory that it then cannot remove. So
 * the keeper goes over to the manager's own cgroup, lets it clean up if it will, and does what is
 * left. @path: of the keeper's cgroup below the mount; is changed. */
static void leave_scope(char *path) {
        char scope[CGROUP_PATH_MAX + 64], procs[CGROUP_PATH_MAX + 64];
        char *end;

        path[strcspn(path, "\n")] = '\0';
        end = strrchr(path, '/');
        (void)snprintf(scope, sizeof(scope), CGROUP_ROOT "%s", path);
        for (int i = 0; i < 2 && end; i++) {
                *end = '\0'; /* the scope, then confine.slice */
                end = strrchr(path, '/');
        }
        (void)snprintf(procs, sizeof(procs), CGROUP_ROOT "%s/init.scope/cgroup.procs", path);
        if (fd_write_file(AT_FDCWD, procs, "0") < 0)
                return;
        for (int i = 0; i < LEAVE_CHECKS && access(scope, F_OK) == 0; i++)
                (void)poll(NULL, 0, LEAVE_CHECK_MSEC);
        (void)rmdir(scope); /* gone, or not empty: then it is the manager's business */
}

/* The supervisor died while systemd makes the scope. One that takes in a dying process never
 * notices that it is empty, and would stay until its deadline: so live until it has taken us in, or
 * clearly never will. */
static _Noreturn void end_in_scope(void) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), JOIN_USEC);
        char text[CGROUP_PATH_MAX];

        while (clock_now_usec() < deadline) {
                char *path, *scope;

                if (fd_read_file(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) < 0)
                        break;
                path = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
                path = path ? strchr(path, '/') : NULL;
                scope = path ? strstr(path, "/confine-") : NULL;
                if (scope && strstr(scope, ".scope")) {
                        leave_scope(path);
                        break;
                }
                (void)poll(NULL, 0, 2);
        }
        _exit(0);
}

/* Waits for the message @kind; ends if the supervisor is gone or says anything else. */
static int expect(Keeper *k, MessageKind kind) {
        Message message;
        int fd = -EBADF;

        int r;

        r = message_recv(k->plan.keeper_fd, &message, &fd, 0);
        if (r > 0 && message.kind == kind)
                return fd;
        if (r > 0 && message.kind == MESSAGE_QUIT)
                _exit(0);
        if (k->scope_fd < 0)
                end_in_scope();
        end_alone(k);
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

                /* The unit is being stopped, and this process too: the last one who can wake it. */
                if (info.ssi_signo == SIGTERM && k->plan.supervisor_pidfd >= 0)
                        (void)kernel_pidfd_send_signal(k->plan.supervisor_pidfd, SIGCONT);
                /* A stopped supervisor must not stop the keeper's own deadline. */
                (void)send(k->plan.keeper_fd, &message, sizeof(message),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
        }
}

/* What was sent to the group is queued here too by now, and goes out before the answer. */
static void answer(Keeper *k, int32_t number) {
        const Message message = { .kind = MESSAGE_SYNCED, .value = number };

        report_signals(k);
        (void)send(k->plan.keeper_fd, &message, sizeof(message), MSG_DONTWAIT | MSG_NOSIGNAL);
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
                kill_leaf(k);
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
                if (r > 0 && message.kind == MESSAGE_SYNC) {
                        answer(k, message.value);
                        continue;
                }
                if (r <= 0 || message.kind != MESSAGE_QUIT)
                        end_alone(k);
                remove_leaf(k);
                _exit(0);
        }
}

/* Drops what the supervisor holds and the keeper must not: its socket ends above all, since their
 * end of file is how its death is seen. */
static void keep_own_descriptors(Keeper *k) {
        for (size_t i = 0; i < ARRAY_SIZE(k->plan.not_for_children); i++)
                (void)fd_close(k->plan.not_for_children[i]);
}

/* A caller that is itself the first to go, as browsers and containers are, leaves no room above it
 * for the program: so there must be some below. What fails leaves it as it was. */
static void leave_oom_room(void) {
        char text[16];
        uint64_t adjust;

        if (fd_read_file(AT_FDCWD, OOM_SCORE_FILE, text, sizeof(text)) < 0 ||
            !str_read_number(text, NULL, &adjust) || adjust <= OOM_SCORE_MAX - OOM_SCORE_ADJUST)
                return;
        (void)snprintf(text, sizeof(text), "%d", OOM_SCORE_MAX - OOM_SCORE_ADJUST);
        (void)fd_write_file(AT_FDCWD, OOM_SCORE_FILE, text);
}

_Noreturn void keeper_main(const Plan *plan) {
        Keeper k = {
                .plan = *plan,
                .scope_fd = -EBADF,
                .leaf_fd = -EBADF,
                .signal_fd = -EBADF,
        };
        uint64_t now;
        sigset_t all;

        keep_own_descriptors(&k);
        (void)prctl(PR_SET_NAME, "confine-keeper", 0L, 0L, 0L); /* for ps; cannot fail */
        (void)sigfillset(&all);
        (void)sigprocmask(SIG_SETMASK, &all, NULL); /* cannot fail with a valid set */
        leave_oom_room();
        k.scope_fd = expect(&k, MESSAGE_SETUP);
        k.signal_fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
        k.leaf_fd = expect(&k, MESSAGE_START);
        now = clock_now_usec();
        k.term_usec = clock_add_usec(now, k.plan.term_after_usec);
        k.kill_usec = clock_add_usec(now, k.plan.kill_after_usec);
        k.wake_usec = USEC_INFINITY;
        serve(&k);
}
