/* SPDX-License-Identifier: MIT */
/* Raw system calls under the real filters: P7, P11-P15, B54, B55, B60, B62, B63. Each is first made
 * without them. */
#include <errno.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "policy/shipped.h"
#include "supervisor/base/base.h"
#include "tests/native/confined.h"
#include "tests/unit/tap.h"

#define ANY  (-1000)
#define BAD  1 /* never a valid pointer */
#define HIGH (UINT64_C(1) << 32)
#define ARGS(...) \
        { __VA_ARGS__ }

typedef struct Call {
        const char *name;
        uint64_t args[6];
        int plain;
        int confined;
        long nr; /* if there is no name */
        bool root;
} Call;

static const Call calls[] = {
#define CALL(name, arguments, plain, confined)      { name, arguments, plain, confined, -1, false },
#define CALL_ROOT(name, arguments, plain, confined) { name, arguments, plain, confined, -1, true },
#include "tests/native/calls.def"
#undef CALL
#undef CALL_ROOT
        { "9999", ARGS(0), ENOSYS, EPERM, 9999, false },
        { "462", ARGS(BAD, 0, BAD), ANY, EPERM, 462,
          false }, /* mseal: newer than every supported libc */
        { "467", ARGS(0), ANY, EPERM, 467, false },
#if defined(__x86_64__)
        { "x32 getpid", ARGS(0), ANY, -SIGSYS, 0x40000000 | 39, false },
        { "x32 execve", ARGS(0), ANY, -SIGSYS, 0x40000000 | 520, false },
        { "-1", ARGS(0), ENOSYS, EPERM, -1, false },
#endif
};

static const char *const probes[] = {
#include "tests/unit/probes.def"
};

static long number(const Call *call) {
        return call->nr != -1 || strcmp(call->name, "-1") == 0
                       ? call->nr
                       : seccomp_syscall_resolve_name(call->name);
}

static int make_call(const void *argument) {
        const Call *call = argument;
        const uint64_t *a = call->args;
        long r = syscall(number(call), a[0], a[1], a[2], a[3], a[4], a[5]);

        return r >= 0 ? 0 : errno;
}

static void test_call(const Call *call) {
        Outcome plain, confined;

        if (call->root && geteuid() != 0)
                return;
        if (call->nr == -1 && strcmp(call->name, "-1") != 0 && number(call) < 0)
                return; /* this architecture has no such call */
        plain = plain_run(make_call, call);
        if (call->plain == ANY && plain.result == call->confined) {
                skip("a kernel that permits it plainly", "%s", call->name);
                return;
        }
        if (call->plain != ANY)
                is_int(plain.result, call->plain, "control: %s(%#llx, %#llx, %#llx)", call->name,
                       (unsigned long long)call->args[0], (unsigned long long)call->args[1],
                       (unsigned long long)call->args[2]);
        confined = confined_run(0, 0, make_call, call);
        is_int(confined.result, call->confined, "P11: %s(%#llx, %#llx, %#llx) confined", call->name,
               (unsigned long long)call->args[0], (unsigned long long)call->args[1],
               (unsigned long long)call->args[2]);
}

#if defined(__x86_64__)
static int int80(const void *argument _unused_) {
        long r;

        __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) /* getpid of i386 */ : "memory");
        return r > 0 ? 0 : ENOSYS;
}

static void test_int80(void) {
        if (plain_run(int80, NULL).result != 0) {
                skip("32-bit calls in this kernel", "P13: int 0x80");
                return;
        }
        is_int(confined_run(0, 0, int80, NULL).result, -SIGSYS, "P13: int 0x80 is fatal");
        is_int(confined_run(FILTER_SUBPROCESS | FILTER_NETWORK | FILTER_VIEW, 0, int80, NULL)
                       .result,
               -SIGSYS, "P13: whatever is granted");
}
#endif

/* With arguments that no kernel takes, so that each ends with an error of its own: the kernel's
 * also under the filters, ENOSYS where it has no such call. */
static void test_probes(void) {
        for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
                const Call probe = {
                        probes[i], ARGS(-1, -1, -1, -1, -1, -1), 0, 0, -1, false,
                };
                int plain;

                if (number(&probe) < 0) {
                        skip("a libseccomp that knows it", "B63: %s", probes[i]);
                        continue;
                }
                plain = plain_run(make_call, &probe).result;
                ok(plain > 0 && plain != EPERM, "control: %s comes to error %d", probes[i], plain);
                is_int(confined_run(0, 0, make_call, &probe).result, plain,
                       "B63: %s, confined, comes to the kernel too", probes[i]);
        }
}

static void test_counted(void) {
        static const Call exec = { "execve", ARGS(BAD), 0, 0, -1, false };
        static const Call internet = { "socket", ARGS(2, 1, 0), 0, 0, -1, false };
        static const Call process = { "clone", ARGS(17), 0, 0, -1, false };
        static const Call trace = { "ptrace", ARGS(0), 0, 0, -1, false };
        static const Call read = { "read", ARGS(-1, 0, 0), 0, 0, -1, false };
        Outcome outcome;

        outcome = confined_run(0, 0, make_call, &exec);
        is_uint(outcome.n_notified, 1, "an exec is notified once");
        is_int(filter_pair_family(shipped_filters(0), outcome.first_nr), DENIAL_EXEC, "as exec");
        outcome = confined_run(0, 0, make_call, &internet);
        is_uint(outcome.n_notified, 1, "a socket is notified once");
        is_int(filter_pair_family(shipped_filters(0), outcome.first_nr), DENIAL_NETWORK,
               "as network");
        outcome = confined_run(0, 0, make_call, &process);
        is_uint(outcome.n_notified, 1, "a process is notified once");
        is_int(outcome.result, EPERM, "and refused");
        is_int(filter_pair_family(shipped_filters(0), outcome.first_nr), DENIAL_PROCESS,
               "as process");
        outcome = confined_run(FILTER_SUBPROCESS, 0, make_call, &trace);
        is_uint(outcome.n_notified, 1, "a trace is notified once, whatever is granted");
        is_int(filter_pair_family(shipped_filters(0), outcome.first_nr), DENIAL_INSPECT,
               "as inspect");
        outcome = confined_run(0, 0, make_call, &read);
        is_uint(outcome.n_notified, 0, "an ordinary call is not notified");
        outcome = confined_run(FILTER_SUBPROCESS, 0, make_call, &exec);
        is_int(outcome.result, EFAULT, "with subprocesses exec reaches the kernel");
        is_uint(outcome.n_notified, 0, "and nobody is asked");
        is_int(confined_untraced_run(0, make_call, &exec).result, ENOSYS,
               "without listener and tracer exec is ENOSYS");
        is_int(confined_untraced_run(0, make_call, &internet).result, EPERM,
               "without a listener a socket is EPERM");
        is_int(confined_untraced_run(0, make_call, &process).result, EPERM,
               "without a listener a process is EPERM");
        is_int(confined_untraced_run(0, make_call, &trace).result, EPERM,
               "without a listener a trace is EPERM");
}

int main(void) {
        for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
                test_call(&calls[i]);
#if defined(__x86_64__)
        test_int80();
#endif
        test_probes();
        test_counted();
        return done_testing();
}
