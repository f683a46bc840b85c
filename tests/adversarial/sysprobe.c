/* SPDX-License-Identifier: MIT */
/* sysprobe NAME [ARGUMENT...]: makes one system call and prints what came of it.
 * NAME is a call of sysprobe.def, a number, or one of the deeds below. Arguments replace those of
 * the table. `sysprobe list` prints all names, `sysprobe all` makes every call of the table, each
 * in a child, since some of them may be fatal. */
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attack.h"

#define BAD 1

typedef struct Probe {
        const char *name;
        long nr;
        unsigned long long args[6];
} Probe;

/* Numbers that the C library's headers may lack are the same everywhere from 424 on. */
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static const Probe probes[] = {
#define PROBE(name, ...) { #name, SYS_##name, { __VA_ARGS__ } },
#include "sysprobe.def"
#undef PROBE
};

/* ---- deeds that one number does not describe */

static long deed_x32(void) {
        return syscall(0x40000000L | 39);
}

static long deed_int80(void) {
#if defined(__x86_64__)
        long r;

        __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) /* getpid of i386 */ : "memory");
        errno = ENOSYS;
        return r > 0 ? r : -1;
#else
        errno = ENOSYS;
        return -1;
#endif
}

static long deed_unknown(void) {
        return syscall(9999L);
}

static long deed_fork(void) {
        pid_t pid = fork();

        if (pid == 0)
                _exit(0);
        return pid < 0 ? -1 : waitpid(pid, NULL, 0);
}

static long deed_clone(unsigned long flags) {
        long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

        if (pid == 0)
                _exit(0);
        return pid;
}

static long deed_clone_parent(void) {
        return deed_clone(CLONE_PARENT);
}

static long deed_clone_newuser(void) {
        return deed_clone(CLONE_NEWUSER);
}

static long deed_unshare_user(void) {
        return unshare(CLONE_NEWUSER);
}

/* Types into the terminal that standard input is (CVE-2017-5226; high bits: CVE-2019-10063). */
static long push(unsigned long request) {
        char byte = '#';

        return syscall(SYS_ioctl, 0, request, &byte);
}

static long deed_tiocsti(void) {
        return push(0x5412);
}

static long deed_tiocsti_high(void) {
        return push(0x5412UL | 1UL << 32);
}

static long deed_tioclinux(void) {
        return push(0x541c);
}

static long deed_tioclinux_high(void) {
        return push(0x541cUL | 1UL << 63);
}

static long deed_pair(int family, int type, int protocol) {
        int fds[2];

        return socketpair(family, type, protocol, fds);
}

static long deed_pair_stream(void) {
        return deed_pair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static long deed_pair_dgram(void) {
        return deed_pair(AF_UNIX, SOCK_DGRAM, 0);
}

static long deed_pair_seqpacket(void) {
        return deed_pair(AF_UNIX, SOCK_SEQPACKET, 0);
}

static long deed_unix(void) {
        return socket(AF_UNIX, SOCK_STREAM, 0);
}

static long deed_tcp(void) {
        return socket(AF_INET, SOCK_STREAM, 0);
}

static long deed_tcp6(void) {
        return socket(AF_INET6, SOCK_STREAM, 0);
}

static long deed_udp(void) {
        return socket(AF_INET, SOCK_DGRAM, 0);
}

static long deed_mptcp(void) {
        return socket(AF_INET, SOCK_STREAM, 262);
}

static long deed_raw(void) {
        return socket(AF_INET, SOCK_RAW, 1);
}

static long deed_netlink(void) {
        return socket(AF_NETLINK, SOCK_RAW, 0);
}

static long deed_packet(void) {
        return socket(AF_PACKET, SOCK_RAW, 0);
}

static long deed_vsock(void) {
        return socket(40, SOCK_STREAM, 0);
}

static long deed_alg(void) {
        return socket(38, SOCK_SEQPACKET, 0);
}

static long deed_kill_parent(void) {
        return kill(getppid(), 0);
}

static long deed_dumpable(void) {
        return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static long deed_deathsig(void) {
        return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
}

static const struct {
        const char *name;
        long (*run)(void);
} deeds[] = {
        { "x32", deed_x32 },
        { "int80", deed_int80 },
        { "unknown", deed_unknown },
        { "fork", deed_fork },
        { "clone-parent", deed_clone_parent },
        { "clone-newuser", deed_clone_newuser },
        { "unshare-user", deed_unshare_user },
        { "tiocsti", deed_tiocsti },
        { "tiocsti-high", deed_tiocsti_high },
        { "tioclinux", deed_tioclinux },
        { "tioclinux-high", deed_tioclinux_high },
        { "pair-stream", deed_pair_stream },
        { "pair-dgram", deed_pair_dgram },
        { "pair-seqpacket", deed_pair_seqpacket },
        { "socket-unix", deed_unix },
        { "socket-tcp", deed_tcp },
        { "socket-tcp6", deed_tcp6 },
        { "socket-udp", deed_udp },
        { "socket-mptcp", deed_mptcp },
        { "socket-raw", deed_raw },
        { "socket-netlink", deed_netlink },
        { "socket-packet", deed_packet },
        { "socket-vsock", deed_vsock },
        { "socket-alg", deed_alg },
        { "kill-parent", deed_kill_parent },
        { "set-dumpable", deed_dumpable },
        { "clear-pdeathsig", deed_deathsig },
};

/* ---- */

static long probe(const Probe *p) {
        const unsigned long long *a = p->args;

        return syscall(p->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int probe_all(void) {
        for (size_t i = 0; i < COUNT(probes); i++) {
                int status;
                pid_t pid;

                (void)fflush(stdout);
                pid = fork();
                if (pid == 0) {
                        (void)report(probes[i].name, probe(&probes[i]));
                        (void)fflush(stdout);
                        _exit(0);
                }
                if (pid < 0)
                        return report("fork", -1);
                (void)waitpid(pid, &status, 0);
                if (WIFSIGNALED(status))
                        printf("%s signal=%d\n", probes[i].name, WTERMSIG(status));
        }
        return 0;
}

static int list(void) {
        for (size_t i = 0; i < COUNT(probes); i++)
                printf("%s\n", probes[i].name);
        for (size_t i = 0; i < COUNT(deeds); i++)
                printf("%s\n", deeds[i].name);
        return 0;
}

static int with_arguments(Probe p, int n, char *args[]) {
        for (int i = 0; i < n && i < 6; i++)
                p.args[i] = number(args[i]);
        return report(p.name, probe(&p));
}

int main(int argc, char *argv[]) {
        if (argc < 2)
                usage("sysprobe list|all|NAME|NUMBER [ARGUMENT...]");
        if (strcmp(argv[1], "list") == 0)
                return list();
        if (strcmp(argv[1], "all") == 0)
                return probe_all();
        for (size_t i = 0; i < COUNT(deeds); i++)
                if (strcmp(argv[1], deeds[i].name) == 0)
                        return report(deeds[i].name, deeds[i].run());
        for (size_t i = 0; i < COUNT(probes); i++)
                if (strcmp(argv[1], probes[i].name) == 0)
                        return with_arguments(probes[i], argc - 2, argv + 2);
        return with_arguments((Probe){ .name = argv[1], .nr = (long)number(argv[1]) }, argc - 2,
                              argv + 2);
}
