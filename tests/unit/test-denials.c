/* SPDX-License-Identifier: MIT */
/* policy/denials.c: S6, and what a program that fails is told. */
#include "policy/denials.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "tests/unit/tap.h"

#define HIGH (UINT64_C(1) << 32)

static void count(Denials *denials, DenialFamily family, int nr, uint64_t argument) {
        const uint64_t arguments[] = { argument, SOCK_STREAM };

        denials_count(denials, family, nr, arguments);
}

static void count_sockets(Denials *denials, size_t n, uint64_t domain, uint64_t type) {
        const uint64_t arguments[] = { domain, type };

        for (size_t i = 0; i < n; i++)
                denials_count(denials, DENIAL_NETWORK, SYS_socket, arguments);
}

static void formats(const Denials *denials, const char *wanted, const char *what) {
        _cleanup_free_ char *text = NULL;

        is_int(denials_format(denials, &text), 0, "formatted: %s", what);
        is_str(text, wanted, "by call: %s", what);
}

static void explains(const Denials *denials, const Policy *policy, const char *wanted,
                     const char *what) {
        _cleanup_free_ char *text = NULL;

        is_int(denials_explain(denials, policy, &text), 0, "explained: %s", what);
        is_str(text, wanted, "in words: %s", what);
}

static void test_sockets(void) {
        static const Policy nothing = { 0 };
        Denials d = { 0 };

        formats(&d, NULL, "nothing was denied");
        explains(&d, &nothing, NULL, "nothing was denied");
        count(&d, DENIAL_NETWORK, SYS_socket, AF_UNIX);
        count(&d, DENIAL_NETWORK, SYS_socket, AF_NETLINK | HIGH);
        count(&d, DENIAL_NETWORK, SYS_socket, AF_ALG);
        is_uint(d.n_families[DENIAL_NETWORK], 0, "S6: a local socket is no attempt at the network");
        is_uint(d.n_families[DENIAL_LOCAL], 3, "but counted");
        formats(&d, "socket(AF_UNIX)=1 socket(AF_NETLINK)=1 socket(AF_ALG)=1", "local sockets");
        explains(&d, &nothing, "3 local or kernel sockets (no grant allows it)", "and told");
        count(&d, DENIAL_NETWORK, SYS_socket, AF_INET);
        count(&d, DENIAL_NETWORK, SYS_socket, AF_INET);
        count(&d, DENIAL_NETWORK, SYS_socket, AF_INET6);
        count(&d, DENIAL_NETWORK, SYS_socket, AF_VSOCK);
        count(&d, DENIAL_NETWORK, SYS_socket, 44);
        count(&d, DENIAL_NETWORK, SYS_connect, AF_UNIX);
        is_uint(d.n_families[DENIAL_NETWORK], 6, "S6: the others are");
        formats(&d,
                "socket(AF_UNIX)=1 socket(AF_NETLINK)=1 socket(AF_ALG)=1 socket(AF_INET)=2 "
                "socket(AF_INET6)=1 socket(AF_VSOCK)=1 socket(44)=1 connect=1",
                "all of them");
        d.n_families[DENIAL_LOCAL] = 0;
        explains(&d, &nothing, "6 network sockets (grant: --allow-net)", "with the grant");
        explains(&d, &(Policy){ .network = true }, "6 network sockets (no grant allows it)",
                 "which it has already");
}

/* What libc's look-ups try, and other programs in the same way. */
static void test_look_ups(void) {
        static const uint64_t probe = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
        static const Policy nothing = { 0 };
        Denials d = { 0 };

        count_sockets(&d, 2, AF_UNIX, probe);
        is_uint(d.n_families[DENIAL_LOCAL], 2, "what getpwuid(3) tries is counted");
        explains(&d, &nothing, NULL, "getpwuid(3) is no reason to fail");
        count_sockets(&d, 1, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC);
        count_sockets(&d, 2, AF_UNIX, probe | HIGH);
        explains(&d, &nothing, NULL, "nor is getaddrinfo(3)");
        count_sockets(&d, 1, AF_UNIX, probe);
        explains(&d, &nothing, "1 local or kernel socket (no grant allows it)",
                 "one more is no look-up's");
        count_sockets(&d, 1, AF_ALG, SOCK_SEQPACKET);
        explains(&d, &nothing, "2 local or kernel sockets (no grant allows it)",
                 "no look-up tries that");
        d = (Denials){ 0 };
        count_sockets(&d, 2, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC);
        explains(&d, &nothing, "2 local or kernel sockets (no grant allows it)", "a service's");
        d = (Denials){ 0 };
        count_sockets(&d, 2, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC);
        explains(&d, &nothing, "2 local or kernel sockets (no grant allows it)",
                 "netlink without a look-up");
}

static void test_families(void) {
        Denials d = { 0 };

        count(&d, DENIAL_EXEC, SYS_execve, AF_UNIX);
        count(&d, DENIAL_INSPECT, SYS_ptrace, 0);
        count(&d, DENIAL_PROCESS, SYS_clone, 17);
        count(&d, DENIAL_PROCESS, SYS_clone, 0x4111);
        count(&d, DENIAL_NETWORK, SYS_socket, AF_INET);
        count(&d, DENIAL_PROCESS, 1000, 0);
        formats(&d, "execve=1 ptrace=1 clone=2 socket(AF_INET)=1 1000=1", "one of each family");
        explains(&d, &(Policy){ .network = true },
                 "1 program execution (grant: --allow-run), 1 network socket (no grant allows it), "
                 "3 new processes (grant: --allow-run), 1 look into another process (no grant "
                 "allows it)",
                 "one of each family");
        explains(&d, &(Policy){ .subprocess = true },
                 "1 program execution (no grant allows it), 1 network socket (grant: --allow-net), "
                 "3 new processes (no grant allows it), 1 look into another process (no grant "
                 "allows it)",
                 "what the other grant would do");
}

/* A program must not make the list grow. */
static void test_limit(void) {
        _cleanup_free_ char *text = NULL;
        Denials d = { 0 };

        for (uint64_t domain = 1000; domain < 1000 + DENIAL_ROWS_MAX; domain++)
                count(&d, DENIAL_NETWORK, SYS_socket, domain);
        is_uint(d.n_rows, DENIAL_ROWS_MAX, "as many rows as there may be");
        is_uint(d.n_others, 0, "hold as many calls");
        count(&d, DENIAL_NETWORK, SYS_socket, 1);
        count(&d, DENIAL_NETWORK, SYS_socket, 9999);
        count(&d, DENIAL_NETWORK, SYS_socket, 1000);
        is_uint(d.n_rows, DENIAL_ROWS_MAX, "and no more");
        is_uint(d.n_families[DENIAL_NETWORK], DENIAL_ROWS_MAX + 2, "the family counts on");
        is_uint(d.n_families[DENIAL_LOCAL], 1, "each");
        is_int(denials_format(&d, &text), 0, "the list is formatted");
        has_str(text, "socket(1000)=2 ", "known rows count on");
        has_str(text, " others=2", "the rest is one number");
}

int main(void) {
        test_sockets();
        test_look_ups();
        test_families();
        test_limit();
        return done_testing();
}
