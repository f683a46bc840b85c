/* SPDX-License-Identifier: MIT */
/* What ordinary programs do must work under the real filters: P6, P7, P8, P12, P13, B54, B62, B63,
 * B66, B76. Through libc, as programs do it; what attacks do stands beside it, with its errno. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

#include "policy/shipped.h"
#include "supervisor/base/base.h"
#include "tests/native/confined.h"
#include "tests/unit/tap.h"

#define TRY(call)                     \
        do {                          \
                if ((call) < 0)       \
                        return errno; \
        } while (false)

/* ---- threads and processes */

static void *thread_main(void *argument) {
        *(int *)argument = 42;
        return NULL;
}

static int deed_thread(const void *argument _unused_) {
        pthread_t thread;
        int value = 0, r;

        r = pthread_create(&thread, NULL, thread_main, &value);
        if (r > 0)
                return r;
        r = pthread_join(thread, NULL);
        return r > 0 ? r : value == 42 ? 0 : EPROTO;
}

static int deed_fork(const void *argument _unused_) {
        int status;
        pid_t pid = fork();

        if (pid == 0)
                _exit(7);
        TRY(pid);
        TRY(waitpid(pid, &status, 0));
        return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : EPROTO;
}

static int deed_spawn(const void *argument _unused_) {
        char *const argv[] = { (char[]){ "true" }, NULL };
        char *const envp[] = { NULL };
        int status, r;
        pid_t pid;

        r = posix_spawn(&pid, "/bin/true", NULL, NULL, argv, envp);
        if (r > 0)
                return r;
        TRY(waitpid(pid, &status, 0));
        return status == 0 ? 0 : EPROTO;
}

/* A child of the supervisor's would not be ours to wait for, nor the keeper's to count. */
static int deed_clone_parent(const void *argument _unused_) {
        long pid = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

        if (pid == 0)
                _exit(0);
        return pid < 0 ? errno : 0;
}

static int deed_clone_newuser(const void *argument _unused_) {
        long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

        if (pid == 0)
                _exit(0);
        return pid < 0 ? errno : 0;
}

static int deed_raise(const void *argument _unused_) {
        TRY(sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL));
        return raise(SIGUSR1) == 0 ? 0 : errno;
}

static int deed_abort(const void *argument _unused_) {
        abort();
}

static int deed_signal_parent(const void *argument _unused_) {
        TRY(kill(getppid(), 0));
        return 0;
}

/* ---- other processes of the same uid */

static int deed_affinity_parent(const void *argument _unused_) {
        cpu_set_t set;

        if (sched_getaffinity(0, sizeof(set), &set) < 0)
                return EPROTO;
        TRY(sched_setaffinity(getppid(), sizeof(set), &set));
        return 0;
}

static int deed_affinity_self(const void *argument _unused_) {
        cpu_set_t set;

        TRY(sched_getaffinity(0, sizeof(set), &set));
        TRY(sched_setaffinity(0, sizeof(set), &set));
        TRY(sched_getaffinity(getpid(), sizeof(set), &set));
        return 0;
}

static int deed_priority_parent(const void *argument _unused_) {
        TRY(setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, 0)));
        return 0;
}

static int deed_prlimit_parent(const void *argument _unused_) {
        struct rlimit limit;

        TRY(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit));
        return 0;
}

static int deed_rlimit(const void *argument _unused_) {
        struct rlimit limit;

        TRY(getrlimit(RLIMIT_NOFILE, &limit));
        TRY(prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit));
        return 0;
}

static int deed_set_rlimit(const void *argument _unused_) {
        struct rlimit limit;

        if (getrlimit(RLIMIT_CORE, &limit) < 0)
                return EPROTO;
        TRY(setrlimit(RLIMIT_CORE, &limit));
        return 0;
}

/* ---- descriptors and event loops */

static int deed_socketpair(const void *argument _unused_) {
        int pair[2], type;
        socklen_t length = sizeof(type);
        struct sockaddr_storage name;
        socklen_t name_length = sizeof(name);
        char byte = 'x';

        TRY(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
        TRY(send(pair[0], &byte, 1, 0));
        TRY(recv(pair[1], &byte, 1, 0));
        TRY(getsockopt(pair[0], SOL_SOCKET, SO_TYPE, &type, &length));
        TRY(getsockname(pair[0], (struct sockaddr *)&name, &name_length));
        return 0;
}

static int deed_events(const void *argument _unused_) {
        int epoll = epoll_create1(EPOLL_CLOEXEC);
        int event = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
        int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        struct epoll_event wanted = { .events = EPOLLIN };
        int on = 1;

        TRY(epoll);
        TRY(event);
        TRY(timer);
        TRY(epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted));
        TRY(epoll_wait(epoll, &wanted, 1, 1000));
        TRY(ioctl(event, FIONBIO, &on));
        TRY(ioctl(event, FIOCLEX));
        TRY(fcntl(event, F_DUPFD_CLOEXEC, 3));
        return 0;
}

static int deed_own_signal(const void *argument _unused_) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return EPROTO;
        TRY(fcntl(fd, F_SETOWN, getppid()));
        return 0;
}

static int deed_access(const void *argument _unused_) {
        TRY(access("/", R_OK));
        TRY(faccessat(AT_FDCWD, "/", R_OK, AT_EACCESS));
        return 0;
}

static int deed_clock(const void *argument _unused_) {
        const struct timespec nap = { .tv_nsec = 1000 };
        timer_t timer;

        TRY(nanosleep(&nap, NULL));
        TRY(timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = SIGEV_NONE },
                         &timer));
        TRY(timer_delete(timer));
        return 0;
}

/* TLS in the kernel, or SMC: no TCP any more. No socket: the option alone is refused. */
static int deed_other_protocol(const void *argument _unused_) {
        TRY(setsockopt(-1, IPPROTO_TCP, TCP_ULP, "tls", 3));
        return 0;
}

static int deed_tcp_option(const void *argument _unused_) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

        TRY(fd);
        TRY(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)));
        TRY(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)));
        return 0;
}

/* ---- memory */

static int deed_mmap(const void *argument _unused_) {
        void *p = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (p == MAP_FAILED)
                return errno;
        TRY(madvise(p, 1 << 16, MADV_DONTNEED));
        TRY(mprotect(p, 1 << 16, PROT_READ | PROT_EXEC));
        TRY(munmap(p, 1 << 16));
        return 0;
}

/* Taken from the host's pool, not charged to the memory limit. ENOMEM where the pool is empty. */
static int deed_huge_page(const void *argument _unused_) {
        void *p = mmap(NULL, 1 << 21, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

        return p == MAP_FAILED && errno == EPERM ? EPERM : 0;
}

/* ---- metadata: Landlock would let these pass */

static int deed_chmod(const void *path) {
        TRY(chmod(path, 0640));
        return 0;
}

/* Who executes it would have our ids, outside. */
static int deed_chmod_setuid(const void *path) {
        TRY(chmod(path, 04750));
        return 0;
}

static int deed_utime(const void *path) {
        TRY(utimensat(AT_FDCWD, path, NULL, 0));
        return 0;
}

static int deed_chown(const void *path) {
        TRY(chown(path, (uid_t)-1, (gid_t)-1));
        return 0;
}

static int deed_fchmod(const void *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return EPROTO;
        TRY(fchmod(fd, 0640));
        return 0;
}

static const struct {
        const char *what;
        Deed deed;
        int plain;
        unsigned grants;
        int confined;
} rows[] = {
        { "P13 B62: a thread", deed_thread, 0, 0, 0 },
        { "P13 B62: a thread, with subprocesses", deed_thread, 0, FILTER_SUBPROCESS, 0 },
        { "a fork", deed_fork, 0, 0, EPERM },
        { "P7: a fork, with a network", deed_fork, 0, FILTER_NETWORK, EPERM },
        { "a fork, with subprocesses", deed_fork, 0, FILTER_SUBPROCESS, 0 },
        { "a spawned program", deed_spawn, 0, 0, EPERM },
        { "a spawned program, with subprocesses", deed_spawn, 0, FILTER_SUBPROCESS, 0 },
        { "a child for the supervisor", deed_clone_parent, 0, FILTER_SUBPROCESS, EPERM },
        { "B62: a user namespace by clone", deed_clone_newuser, 0, FILTER_SUBPROCESS, EPERM },
        { "raise", deed_raise, 0, 0, 0 },
        { "raise, bound to the own process", deed_raise, 0, FILTER_BIND_SIGNALS, 0 },
        { "abort", deed_abort, -SIGABRT, 0, -SIGABRT },
        { "abort, bound to the own process", deed_abort, -SIGABRT, FILTER_BIND_SIGNALS, -SIGABRT },
        { "a signal to the supervisor", deed_signal_parent, 0, FILTER_BIND_SIGNALS, EPERM },
        { "affinity of the supervisor", deed_affinity_parent, 0, 0, EPERM },
        { "own affinity", deed_affinity_self, 0, 0, 0 },
        { "priority of the supervisor", deed_priority_parent, 0, 0, EPERM },
        { "P12: limits of the supervisor", deed_prlimit_parent, 0, 0, EPERM },
        { "P12: own limits", deed_rlimit, 0, 0, 0 },
        { "P12: setting own limits", deed_set_rlimit, 0, 0, EPERM },
        { "P6: a pair of sockets", deed_socketpair, 0, 0, 0 },
        { "P7: a TCP socket", deed_tcp_option, 0, FILTER_NETWORK, 0 },
        { "P7: a TCP socket without the grant", deed_tcp_option, 0, 0, EPERM },
        { "a socket of another protocol", deed_other_protocol, EBADF, FILTER_NETWORK, EPERM },
        { "an event loop", deed_events, 0, 0, 0 },
        { "F_SETOWN", deed_own_signal, 0, 0, EPERM },
        { "B63: access", deed_access, 0, 0, 0 },
        { "sleep and timers", deed_clock, 0, 0, 0 },
        { "memory", deed_mmap, 0, 0, 0 },
        { "huge pages of the host", deed_huge_page, 0, 0, EPERM },
        { "B76: chmod", deed_chmod, 0, 0, EPERM },
        { "B76: utime", deed_utime, 0, 0, EPERM },
        { "B76: chown", deed_chown, 0, 0, EPERM },
        { "B76: fchmod", deed_fchmod, 0, 0, EPERM },
        { "B76: chmod in the read-only view", deed_chmod, 0, FILTER_VIEW, 0 },
        { "B76: fchmod in the read-only view", deed_fchmod, 0, FILTER_VIEW, 0 },
        { "P11: a set-user-ID bit there", deed_chmod_setuid, 0, FILTER_VIEW, EPERM },
};

static void test_rows(const char *path) {
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int plain = plain_run(rows[i].deed, path).result;

                if (rows[i].deed == deed_clone_newuser && plain != 0) {
                        skip("user namespaces", "%s", rows[i].what);
                        continue;
                }
                is_int(plain, rows[i].plain, "control: %s", rows[i].what);
                is_int(confined_run(rows[i].grants, 0, rows[i].deed, path).result, rows[i].confined,
                       "%s, confined", rows[i].what);
        }
}

int main(void) {
        char path[] = "/tmp/confine-test-deeds-XXXXXX";
        int fd = mkostemp(path, O_CLOEXEC);

        if (fd < 0)
                bail_out("%s: %m", path);
        (void)close(fd);
        test_rows(path);
        (void)unlink(path);
        return done_testing();
}
