/* SPDX-License-Identifier: MIT */
/* Runs a deed in a child, plainly or confined. */
#include "tests/native/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "policy/filter-bind.h"
#include "policy/filter.h"
#include "policy/rights.h"
#include "policy/shipped.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "tests/unit/tap.h"

_noreturn_ static void setup_failed(const char *step, int r) {
        (void)fprintf(stderr, "# %s: %s\n", step, strerror(-r));
        _exit(CONFINED_SETUP_FAILED);
}

static Outcome reap(pid_t pid) {
        int status;

        while (waitpid(pid, &status, 0) < 0)
                if (errno != EINTR)
                        bail_out("waitpid: %s", strerror(errno));
        return (Outcome){ .result = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
                          .first_nr = -1 };
}

static pid_t fork_flushed(void) {
        pid_t pid;

        (void)fflush(stdout);
        pid = fork();
        if (pid < 0)
                bail_out("fork: %s", strerror(errno));
        return pid;
}

Outcome plain_run(Deed deed, const void *argument) {
        pid_t pid = fork_flushed();

        if (pid == 0)
                _exit(deed(argument));
        return reap(pid);
}

/* ---- seccomp */

/* As the worker does it: a copy, bound to the own pid. */
static int install(const struct sock_fprog *shipped, unsigned flags) {
        struct sock_filter code[1024];
        const struct sock_fprog program = { .len = shipped->len, .filter = code };

        if (shipped->len > ARRAY_SIZE(code))
                return -E2BIG;
        memcpy(code, shipped->filter, shipped->len * sizeof(code[0]));
        (void)filter_bind_self(code, shipped->len, getpid());
        return kernel_seccomp_filter(&program, flags);
}

static int send_fd(int socket_fd, int fd) {
        union {
                struct cmsghdr header;
                char room[CMSG_SPACE(sizeof(int))];
        } control = { 0 };
        char byte = 0;
        struct iovec data = { &byte, 1 };
        struct msghdr message = { .msg_iov = &data,
                                  .msg_iovlen = 1,
                                  .msg_control = &control,
                                  .msg_controllen = sizeof(control) };
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);

        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &fd, sizeof(int));
        return sendmsg(socket_fd, &message, 0) < 0 ? -errno : 0;
}

/* Returns -EPIPE if the child ended before it sent one. */
static int receive_fd(int socket_fd) {
        union {
                struct cmsghdr header;
                char room[CMSG_SPACE(sizeof(int))];
        } control = { 0 };
        char byte;
        struct iovec data = { &byte, 1 };
        struct msghdr message = { .msg_iov = &data,
                                  .msg_iovlen = 1,
                                  .msg_control = &control,
                                  .msg_controllen = sizeof(control) };
        struct cmsghdr *header;
        int fd;

        if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC) <= 0)
                return -EPIPE;
        header = CMSG_FIRSTHDR(&message);
        if (!header)
                return -EPIPE;
        memcpy(&fd, CMSG_DATA(header), sizeof(int));
        return fd;
}

static void restrict_child(const FilterPair *pair, int socket_fd) {
        int listener, r;

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                setup_failed("no_new_privs", -errno);
        if (socket_fd < 0) {
                r = install(&pair->outer_trace, 0);
                if (r < 0)
                        setup_failed("outer filter", r);
        } else {
                listener = install(&pair->outer, SECCOMP_FILTER_FLAG_NEW_LISTENER |
                                                         SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
                if (listener < 0)
                        setup_failed("outer filter", listener);
                r = send_fd(socket_fd, listener);
                if (r < 0)
                        setup_failed("sending the listener", r);
                (void)close(listener);
                (void)close(socket_fd);
        }
        r = install(&pair->inner, 0);
        if (r < 0)
                setup_failed("inner filter", r);
}

static void answer(int listener, size_t n_exec, Outcome *outcome) {
        struct seccomp_notif request;
        struct seccomp_notif_resp response = { 0 };
        int r;

        r = kernel_notif_recv(listener, &request);
        if (r < 0)
                return; /* the child was killed meanwhile */
        if (outcome->n_notified++ == 0)
                outcome->first_nr = request.data.nr;
        response.id = request.id;
        if (outcome->n_notified <= n_exec)
                response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        else
                response.error = -EPERM;
        (void)kernel_notif_send(listener, &response); /* as above */
}

/* Answers until the last task under the filter is gone: 6.1 says so (POLLHUP) only once it is
 * reaped, so the pidfd is watched too. */
static Outcome supervise(pid_t pid, int listener, size_t n_exec) {
        _cleanup_close_ int pidfd = kernel_pidfd_open(pid);
        Outcome seen = { .first_nr = -1 };
        Outcome end;

        if (pidfd < 0)
                bail_out("pidfd_open: %s", strerror(-pidfd));
        for (;;) {
                struct pollfd fds[] = { { .fd = listener, .events = POLLIN },
                                        { .fd = pidfd, .events = POLLIN } };

                if (poll(fds, ARRAY_SIZE(fds), 20000) <= 0) {
                        (void)kernel_pidfd_send_signal(pidfd, SIGKILL);
                        diagnostic("the child hung and was killed");
                        break;
                }
                if (fds[0].revents & POLLIN)
                        answer(listener, n_exec, &seen);
                else if (fds[1].revents)
                        break;
        }
        end = reap(pid);
        seen.result = end.result;
        return seen;
}

Outcome confined_untraced_run(unsigned grants, Deed deed, const void *argument) {
        pid_t pid = fork_flushed();

        if (pid == 0) {
                restrict_child(shipped_filters(grants), -1);
                _exit(deed(argument));
        }
        return reap(pid);
}

/* ---- Landlock */

static void add_grant(int ruleset, const LandlockGrant *grant, int abi) {
        _cleanup_close_ int fd = open(grant->path, O_PATH | O_CLOEXEC);
        struct stat st;
        int r;

        if (fd < 0 || fstat(fd, &st) < 0)
                setup_failed(grant->path, -errno);
        r = kernel_landlock_add_path(ruleset, fd, rights_for_grant(grant->access, st.st_mode, abi));
        if (r < 0)
                setup_failed(grant->path, r);
}

static void landlock_child(int abi, const LandlockGrant *grants) {
        const LandlockRulesetAttr attr = {
                .handled_access_fs = rights_handled_fs(abi),
                .handled_access_net = rights_handled_net(abi),
                .scoped = rights_scoped(abi),
        };
        _cleanup_close_ int ruleset =
                kernel_landlock_create_ruleset(&attr, rights_ruleset_size(abi));
        int r;

        if (ruleset < 0)
                setup_failed("ruleset", ruleset);
        for (; grants->path; grants++)
                add_grant(ruleset, grants, abi);
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                setup_failed("no_new_privs", -errno);
        r = kernel_landlock_restrict_self(ruleset, rights_restrict_flags(abi, false));
        if (r < 0)
                setup_failed("restrict_self", r);
}

Outcome landlocked_run(int abi, const LandlockGrant *grants, Deed deed, const void *argument) {
        pid_t pid = fork_flushed();

        if (pid == 0) {
                landlock_child(abi, grants);
                _exit(deed(argument));
        }
        return reap(pid);
}

/* ---- both */

static Outcome run_supervised(int abi, const LandlockGrant *landlock, const FilterPair *pair,
                              size_t n_exec, Deed deed, const void *argument) {
        _cleanup_close_ int listener = -EBADF;
        int sockets[2];
        pid_t pid;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0)
                bail_out("socketpair: %s", strerror(errno));
        pid = fork_flushed();
        if (pid == 0) {
                (void)close(sockets[0]);
                if (landlock)
                        landlock_child(abi, landlock);
                restrict_child(pair, sockets[1]);
                _exit(deed(argument));
        }
        (void)close(sockets[1]);
        listener = receive_fd(sockets[0]);
        (void)close(sockets[0]);
        return listener < 0 ? reap(pid) : supervise(pid, listener, n_exec);
}

Outcome confined_run(unsigned grants, size_t n_exec, Deed deed, const void *argument) {
        return run_supervised(0, NULL, shipped_filters(grants), n_exec, deed, argument);
}

Outcome sandboxed_run(int abi, const LandlockGrant *landlock, unsigned grants, Deed deed,
                      const void *argument) {
        return run_supervised(abi, landlock, shipped_filters(grants), 0, deed, argument);
}
