/* SPDX-License-Identifier: MIT */
/* Attacks on other processes of the same uid: a neighbour, the own supervisor, the keeper. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "attacks.h"

#ifndef F_SETSIG
#define F_SETSIG 10
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* "neighbour", "supervisor", "keeper" */
static pid_t whom(const Scene *scene, const char *argument) {
        if (argument[0] == 's')
                return scene->supervisor;
        return argument[0] == 'k' ? scene->keeper : scene->neighbour;
}

/* ---- signals. SIGURG: nobody but the neighbour, who counts it, minds. */

static int send_signal(const Scene *scene, const char *to) {
        return result(kill(whom(scene, to), SIGURG));
}

static int send_signal_thread(const Scene *scene, const char *to) {
        return result(syscall(SYS_tgkill, whom(scene, to), whom(scene, to), SIGURG));
}

static int send_signal_queue(const Scene *scene, const char *to) {
        siginfo_t info = { .si_signo = SIGURG, .si_code = SI_QUEUE };

        return result(syscall(SYS_rt_sigqueueinfo, whom(scene, to), SIGURG, &info));
}

/* kill(-1) succeeds even if it may signal nobody: what the neighbour gets counts. */
static int send_signal_all(const Scene *scene, const char *argument UNUSED) {
        uint32_t before = *scene->n_signals;

        return kill(-1, SIGURG) < 0 ? errno : scene_signalled(scene, before);
}

static int open_pidfd(const Scene *scene, const char *to) {
        return result(syscall(SYS_pidfd_open, whom(scene, to), 0));
}

/* A directory of /proc serves as one. */
static int send_signal_proc(const Scene *scene, const char *to) {
        char path[32];
        int fd;

        (void)snprintf(path, sizeof(path), "/proc/%d", (int)whom(scene, to));
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? errno : result(syscall(SYS_pidfd_send_signal, fd, SIGURG, NULL, 0));
}

static int send_signal_handed(const Scene *scene, const char *argument UNUSED) {
        int fd = scene_fd(scene, 'p');

        return fd < 0 ? EPROTO : result(syscall(SYS_pidfd_send_signal, fd, SIGURG, NULL, 0));
}

/* The kernel signals the owner of a descriptor when it becomes ready. @with: "o" F_SETOWN, "e"
 * F_SETOWN_EX, "s" SIOCSPGRP, "f" FIOSETOWN, and "h" the first with a high bit. */
static int set_owner(int fd, pid_t pid, char with) {
        struct {
                int type;
                pid_t pid;
        } owner = { 1 /* F_OWNER_PID */, pid };

        switch (with) {
        case 'o':
                return result(fcntl(fd, F_SETOWN, pid));
        case 'h':
                return result(syscall(SYS_fcntl, fd, F_SETOWN | HIGH, pid));
        case 'e':
                return result(fcntl(fd, 15 /* F_SETOWN_EX */, &owner));
        case 's':
                return result(ioctl(fd, 0x8902 /* SIOCSPGRP */, &pid));
        default:
                return result(ioctl(fd, 0x8901 /* FIOSETOWN */, &pid));
        }
}

static int signal_by_owner(const Scene *scene, const char *with) {
        uint32_t before = *scene->n_signals;
        int pair[2], r;

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
                return EPROTO;
        r = set_owner(pair[0], scene->neighbour, with[0]);
        if (r == 0)
                r = result(fcntl(pair[0], F_SETSIG, SIGURG));
        if (r == 0)
                r = result(fcntl(pair[0], F_SETFL, O_ASYNC));
        if (r == 0)
                r = write(pair[1], "x", 1) == 1 ? scene_signalled(scene, before) : EPROTO;
        (void)close(pair[0]);
        (void)close(pair[1]);
        return r;
}

/* ---- memory, descriptors, tracing */

static int trace(const Scene *scene, const char *whose) {
        return result(ptrace(PTRACE_SEIZE, whom(scene, whose), NULL, NULL));
}

static int trace_me(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int read_memory(const Scene *scene, const char *argument UNUSED) {
        char text[sizeof(SECRET)] = "";
        struct iovec to = { text, sizeof(text) };
        struct iovec from = { (void *)(uintptr_t)scene->secret_address, sizeof(text) };

        if (syscall(SYS_process_vm_readv, scene->neighbour, &to, 1, &from, 1, 0) < 0)
                return errno;
        return strcmp(text, SECRET) == 0 ? 0 : EPROTO;
}

static int write_memory(const Scene *scene, const char *argument UNUSED) {
        char text[] = SECRET;
        struct iovec from = { text, sizeof(text) };
        struct iovec to = { (void *)(uintptr_t)scene->secret_address, sizeof(text) };

        return result(syscall(SYS_process_vm_writev, scene->neighbour, &from, 1, &to, 1, 0));
}

/* Each call by itself: one of them denied would hide the other. */
static int get_descriptor(const Scene *scene, const char *argument UNUSED) {
        long fd = scene_fd(scene, 'p');

        return fd < 0 ? EPROTO : result(syscall(SYS_pidfd_getfd, fd, scene->secret_fd, 0));
}

static int compare(const Scene *scene, const char *argument UNUSED) {
        return result(syscall(SYS_kcmp, scene->neighbour, scene->neighbour, 1 /* KCMP_VM */, 0, 0));
}

/* ---- what belongs to another process */

static int get_limit(const Scene *scene, const char *whose) {
        struct rlimit limit;

        return result(prlimit(whom(scene, whose), RLIMIT_NOFILE, NULL, &limit));
}

static int get_limit_high(const Scene *scene, const char *whose) {
        struct rlimit limit;

        return result(syscall(SYS_prlimit64, (uint64_t)whom(scene, whose) | HIGH, RLIMIT_NOFILE,
                              NULL, &limit));
}

static int set_limit(const Scene *scene, const char *whose) {
        struct rlimit limit;

        /* What it has already, most likely. */
        if (getrlimit(RLIMIT_MSGQUEUE, &limit) < 0)
                return EPROTO;
        return result(prlimit(whom(scene, whose), RLIMIT_MSGQUEUE, &limit, NULL));
}

static int set_own_limit(const Scene *scene UNUSED, const char *argument UNUSED) {
        const struct rlimit limit = { 0, 0 };

        return result(setrlimit(RLIMIT_CORE, &limit));
}

static int set_affinity(const Scene *scene, const char *whose) {
        cpu_set_t set;

        if (sched_getaffinity(0, sizeof(set), &set) < 0)
                return EPROTO;
        return result(sched_setaffinity(whom(scene, whose), sizeof(set), &set));
}

static int set_scheduler(const Scene *scene, const char *whose) {
        const struct sched_param param = { 0 };

        return result(syscall(SYS_sched_setscheduler, whom(scene, whose), SCHED_OTHER, &param));
}

static int set_priority(const Scene *scene, const char *whose) {
        return result(setpriority(PRIO_PROCESS, (id_t)whom(scene, whose), 1));
}

static int set_io_priority(const Scene *scene, const char *whose) {
        return result(syscall(SYS_ioprio_set, 1, whom(scene, whose), 2 << 13 | 7));
}

static int move_pages(const Scene *scene, const char *whose) {
        return result(syscall(SYS_move_pages, whom(scene, whose), 0, NULL, NULL, NULL, 0));
}

/* ---- /proc of others. @name begins with one letter for whom, then the file's name; %d stands for
 * the neighbour's descriptor. */

static void proc_path(const Scene *scene, const char *name, char ret[static 128]) {
        int n = snprintf(ret, 128, "/proc/%d/", name[0] == '1' ? 1 : (int)whom(scene, name));

        if (strcmp(name + 1, "fd/secret") == 0)
                (void)snprintf(ret + n, (size_t)(128 - n), "fd/%d", scene->secret_fd);
        else
                (void)snprintf(ret + n, (size_t)(128 - n), "%s", name + 1);
}

static int read_proc(const Scene *scene, const char *name) {
        char path[128];
        int fd, r;

        proc_path(scene, name, path);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        r = result(fd);
        if (fd >= 0)
                (void)close(fd);
        return r;
}

static int follow_proc(const Scene *scene, const char *name) {
        char path[128], target[256];

        proc_path(scene, name, path);
        return result(readlink(path, target, sizeof(target)));
}

/* ---- the cgroup of the run */

static int open_cgroup(const Scene *scene, const char *file) {
        char path[400];
        int fd, r;

        (void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", scene->cgroup, file);
        fd = open(path, O_WRONLY | O_CLOEXEC);
        r = result(fd);
        if (fd >= 0)
                (void)close(fd);
        return r;
}

/* clang-format off */
const Attack attacks_processes[] = {
        { "kill-neighbour", "P11 B59", "a signal to a neighbour", send_signal, "neighbour", 0, EPERM, 0 },
        { "kill-supervisor", "S2 B59", "a signal to the supervisor", send_signal, "supervisor", 0, EPERM, OWN },
        { "kill-keeper", "S2 B59", "a signal to the keeper", send_signal, "keeper", 0, EPERM, OWN },
        { "kill-all", "P11 B59", "kill(-1)", send_signal_all, "", 0, EPERM, SERVICES },
        { "tgkill", "P11 B59", "a signal to a neighbour's thread", send_signal_thread, "neighbour", 0, EPERM, 0 },
        { "sigqueue", "P11 B59", "a queued signal to a neighbour", send_signal_queue, "neighbour", 0, EPERM, 0 },
        { "pidfd-open", "P11 B59", "pidfd_open of a neighbour", open_pidfd, "neighbour", 0, EPERM, 0 },
        { "pidfd-proc", "P11 B59", "/proc/PID as a pidfd", send_signal_proc, "neighbour", 0, EACCES, 0 },
        { "pidfd-handed", "P11 B59", "a signal by a pidfd that was handed in", send_signal_handed, "", 0, EPERM, 0 },
        { "pidfd-getfd", "P11 B59", "a neighbour's descriptor by such a pidfd", get_descriptor, "", 0, EPERM, 0 },
        { "setown", "P11 B59", "F_SETOWN and F_SETSIG", signal_by_owner, "o", 0, EPERM, 0 },
        { "setown-high", "P11 B54 B59", "F_SETOWN with a high bit", signal_by_owner, "h", 0, EPERM, 0 },
        { "setown-ex", "P11 B59", "F_SETOWN_EX", signal_by_owner, "e", 0, EPERM, 0 },
        { "siocspgrp", "P11 B59", "SIOCSPGRP", signal_by_owner, "s", 0, EPERM, 0 },
        { "fiosetown", "P11 B59", "FIOSETOWN", signal_by_owner, "f", 0, EPERM, 0 },
        { "trace-neighbour", "P11", "ptrace of a neighbour", trace, "neighbour", 0, EPERM, 0 },
        { "trace-supervisor", "S2", "ptrace of the supervisor", trace, "supervisor", 0, EPERM, OWN },
        { "trace-keeper", "S2", "ptrace of the keeper", trace, "keeper", 0, EPERM, OWN },
        { "trace-me", "P11", "ptrace by the parent", trace_me, "", 0, EPERM, PROCESSES },
        { "read-memory", "P11", "process_vm_readv", read_memory, "", 0, EPERM, 0 },
        { "write-memory", "P11", "process_vm_writev", write_memory, "", 0, EPERM, 0 },
        { "kcmp", "P11", "kcmp", compare, "", 0, EPERM, 0 },
        { "prlimit-get", "P12 B59", "reading a neighbour's limit", get_limit, "neighbour", 0, EPERM, 0 },
        { "prlimit-high", "P12 B54", "the same with a high bit in the pid", get_limit_high, "neighbour", 0, EPERM, 0 },
        { "prlimit-set", "P12 B59", "setting a neighbour's limit", set_limit, "neighbour", 0, EPERM, 0 },
        { "prlimit-supervisor", "P12 B59", "setting the supervisor's", set_limit, "supervisor", 0, EPERM, OWN },
        { "setrlimit", "P12", "setting an own limit", set_own_limit, "", 0, EPERM, 0 },
        { "affinity", "B59", "a neighbour's CPUs", set_affinity, "neighbour", 0, EPERM, 0 },
        { "affinity-keeper", "B59", "the keeper's CPUs", set_affinity, "keeper", 0, EPERM, OWN },
        { "scheduler", "B59", "a neighbour's scheduler", set_scheduler, "neighbour", 0, EPERM, 0 },
        { "priority", "B59", "a neighbour's priority", set_priority, "neighbour", 0, EPERM, 0 },
        { "ioprio", "B59", "a neighbour's I/O priority", set_io_priority, "neighbour", 0, EPERM, 0 },
        { "move-pages", "P11", "a neighbour's pages", move_pages, "neighbour", 0, EPERM, 0 },
        { "proc-environ", "B58", "a neighbour's environment", read_proc, "nenviron", 0, EACCES, 0 },
        { "proc-mem", "B58", "a neighbour's memory", read_proc, "nmem", 0, EACCES, 0 },
        { "proc-maps", "B58", "a neighbour's maps", read_proc, "nmaps", 0, EACCES, 0 },
        { "proc-cmdline", "B58", "a neighbour's command line", read_proc, "ncmdline", 0, EACCES, 0 },
        { "proc-status", "B58", "a neighbour's status", read_proc, "nstatus", 0, EACCES, 0 },
        { "proc-fd-list", "B58", "a neighbour's list of descriptors", read_proc, "nfd", 0, EACCES, 0 },
        { "proc-fd", "B58", "a neighbour's descriptor", read_proc, "nfd/secret", 0, EACCES, 0 },
        { "proc-root", "B58", "a file by a neighbour's root", read_proc, "nroot/etc/machine-id", 0, EACCES, 0 },
        { "proc-cwd", "B58", "a file by a neighbour's directory", read_proc, "ncwd/secret", 0, EACCES, 0 },
        { "proc-cwd-link", "B58", "where a neighbour's directory is", follow_proc, "ncwd", 0, EACCES, 0 },
        { "proc-supervisor", "B58", "the supervisor's environment", read_proc, "senviron", 0, EACCES, OWN },
        { "proc-supervisor-fd", "B58", "the supervisor's descriptors", read_proc, "sfd", 0, EACCES, OWN },
        { "proc-keeper", "B58", "the keeper's memory", read_proc, "kmem", 0, EACCES, OWN },
        { "proc-init", "B58", "the command line of PID 1", read_proc, "1cmdline", 0, EACCES, 0 },
        { "cgroup-procs", "B03", "moving out of the own cgroup", open_cgroup, "cgroup.procs", 0, EACCES, OWN },
        { "cgroup-kill", "B03", "killing the own scope, keeper included", open_cgroup, "cgroup.kill", 0, EACCES, OWN },
        { "cgroup-limit", "B03", "changing the own limits", open_cgroup, "cgroup.max.descendants", 0, EACCES, OWN },
};
/* clang-format on */
const size_t n_attacks_processes = COUNT(attacks_processes);
