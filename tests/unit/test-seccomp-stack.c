/* SPDX-License-Identifier: MIT */
/* The two filters together, by the kernel's precedence: P6, P7, P11-P15, P21. test-filter.c
 * compares programs with the JSON; here stands, call by call, what the JSON has to come to. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>

#include "policy/filter.h"
#include "policy/profile.h"
#include "policy/shipped.h"
#include "tests/unit/bpf.h"
#include "tests/unit/tap.h"

#define ALLOW  SECCOMP_RET_ALLOW
#define NOTIFY SECCOMP_RET_USER_NOTIF
#define DENY   (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)

#define HIGH (UINT64_C(1) << 32)

/* What glibc passes to clone for a thread. */
#define THREAD                                                                              \
        (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | \
         CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

typedef struct Row {
        const char *call;
        uint64_t args[6];
        uint32_t wanted;
        unsigned grants;
} Row;

static const Row rows[] = {
#include "tests/unit/seccomp-stack.def"
};

static const char *const probes[] = {
#include "tests/unit/probes.def"
};

/* Never allowed, whatever is granted. */
static const char *const never[] = {
        "process_madvise",
        "pidfd_open",
        "pidfd_send_signal",
        "rt_sigqueueinfo",
        "rt_tgsigqueueinfo",
        "process_mrelease",
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "fsopen",
        "fsmount",
        "fspick",
        "fsconfig",
        "open_tree",
        "move_mount",
        "mount_setattr",
        "unshare",
        "setns",
        "keyctl",
        "add_key",
        "request_key",
        "io_uring_setup",
        "io_uring_enter",
        "io_uring_register",
        "bpf",
        "perf_event_open",
        "userfaultfd",
        "seccomp",
        "shmget",
        "shmat",
        "shmctl",
        "msgget",
        "msgsnd",
        "semget",
        "semop",
        "mq_open",
        "mq_unlink",
        "inotify_init1",
        "inotify_add_watch",
        "fanotify_init",
        "fanotify_mark",
        "name_to_handle_at",
        "open_by_handle_at",
        "quotactl",
        "setuid",
        "setgid",
        "setresuid",
        "setresgid",
        "setgroups",
        "capset",
        "setrlimit",
        "sethostname",
        "setdomainname",
        "syslog",
        "reboot",
        "swapon",
        "init_module",
        "finit_module",
        "delete_module",
        "kexec_load",
        "acct",
        "settimeofday",
        "clock_settime",
        "clock_adjtime",
        "adjtimex",
        "sync",
        "syncfs",
        "mlock",
        "mlockall",
        "memfd_secret",
        "pkey_alloc",
        "remap_file_pages",
        "map_shadow_stack",
        "io_setup",
        "io_submit",
        "splice",
        "tee",
        "vmsplice",
        "mbind",
        "set_mempolicy",
        "move_pages",
        "migrate_pages",
        "ioprio_set",
        "vhangup",
        "lookup_dcookie",
        "nfsservctl",
};

static const char *const never_x86_64[] = { "iopl",  "ioperm", "modify_ldt", "inotify_init",
                                            "ustat", "sysfs",  "uselib",     "_sysctl" };

static const char *const metadata[] = {
        "fchmod",   "fchmodat",  "fchmodat2", "fchown",      "fchownat",     "utimensat",
        "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"
};

/* ---- */

typedef struct Stack {
        ProfileArch arch;
        FilterProgram programs[_FILTER_LAYER_MAX];
} Stack;

static uint32_t run(const Stack *s, FilterLayer first, const struct seccomp_data *data) {
        const FilterProgram *outer = &s->programs[first], *inner = &s->programs[FILTER_INNER];
        const struct sock_fprog filters[] = {
                { (unsigned short)outer->n_code, outer->code },
                { (unsigned short)inner->n_code, inner->code },
        };

        return bpf_run_stack(filters, ARRAY_SIZE(filters), data);
}

static uint32_t run_call(const Stack *s, FilterLayer first, const char *call,
                         const uint64_t args[static 6]) {
        struct seccomp_data data = {
                .nr = call_number(s->arch, call),
                .arch = s->arch == PROFILE_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64,
        };

        memcpy(data.args, args, sizeof(data.args));
        return run(s, first, &data);
}

static bool exists(const Stack *s, const char *call) {
        return call_number(s->arch, call) >= 0;
}

static size_t count_other(const Stack *s, const char *const *names, size_t n_names,
                          uint32_t wanted) {
        static const uint64_t none[6] = { 0 };
        size_t n = 0;

        for (size_t i = 0; i < n_names; i++) {
                if (!exists(s, names[i]) || run_call(s, FILTER_OUTER, names[i], none) == wanted)
                        continue;
                diagnostic("%s", names[i]);
                n++;
        }
        return n;
}

static void test_rows(const Stack *s, unsigned grants) {
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const Row *row = &rows[i];

                if (row->grants != grants || !exists(s, row->call))
                        continue;
                is_uint(run_call(s, FILTER_OUTER, row->call, row->args), row->wanted,
                        "%s(%#llx, %#llx, %#llx, %#llx) with grants %#x", row->call,
                        (unsigned long long)row->args[0], (unsigned long long)row->args[1],
                        (unsigned long long)row->args[2], (unsigned long long)row->args[3], grants);
        }
}

static void test_abi(const Stack *s) {
        static const uint32_t foreign[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM };
        size_t n_alive = 0;

        for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
                for (int nr = 0; nr < 600; nr++) {
                        struct seccomp_data data = { .nr = nr, .arch = foreign[i] };

                        n_alive += run(s, FILTER_OUTER, &data) != SECCOMP_RET_KILL_PROCESS;
                }
        is_uint(n_alive, 0, "P13: a foreign architecture is fatal, for every call");
        if (s->arch != PROFILE_X86_64)
                return;
        for (int nr = 0; nr < 600; nr++) {
                struct seccomp_data data = { .nr = nr | 0x40000000, .arch = AUDIT_ARCH_X86_64 };

                n_alive += run(s, FILTER_OUTER, &data) != SECCOMP_RET_KILL_PROCESS;
        }
        is_uint(n_alive, 0, "P13: x32 is fatal, for every call");
}

/* P15: numbers that no kernel has yet. */
static void test_unknown(const Stack *s) {
        uint32_t arch = s->arch == PROFILE_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64;
        size_t n_other = 0;

        for (int nr = 470; nr < 20000; nr++) {
                struct seccomp_data data = { .nr = nr, .arch = arch };

                n_other += run(s, FILTER_OUTER, &data) != DENY;
        }
        is_uint(n_other, 0, "P11 P15 B63: an unknown call is EPERM");
}

static void test_lists(const Stack *s, unsigned grants) {
        is_uint(count_other(s, probes, ARRAY_SIZE(probes), ALLOW), 0,
                "B63: what libc probes is allowed");
        is_uint(count_other(s, never, ARRAY_SIZE(never), DENY), 0,
                "P11: grants %#x do not admit what is never allowed", grants);
        if (s->arch == PROFILE_X86_64)
                is_uint(count_other(s, never_x86_64, ARRAY_SIZE(never_x86_64), DENY), 0,
                        "P11: nor x86_64's own");
        is_uint(count_other(s, metadata, ARRAY_SIZE(metadata), grants & FILTER_VIEW ? ALLOW : DENY),
                0, "B76: metadata calls need the read-only view");
}

/* Without a listener: nobody is asked, so nothing may wait for an answer. */
static void test_trace(const Stack *s, unsigned grants) {
        static const uint64_t none[6] = { 0 };

        is_uint(run_call(s, FILTER_OUTER_TRACE, "execve", none),
                grants & FILTER_SUBPROCESS ? ALLOW : SECCOMP_RET_TRACE,
                "without a listener exec goes to the tracer");
        is_uint(run_call(s, FILTER_OUTER_TRACE, "socket", none), DENY,
                "without a listener sockets are EPERM");
        is_uint(run_call(s, FILTER_OUTER_TRACE, "clone", none),
                grants & FILTER_SUBPROCESS ? ALLOW : DENY, "without a listener so are processes");
        is_uint(run_call(s, FILTER_OUTER_TRACE, "ptrace", none), DENY,
                "without a listener so is ptrace");
        is_uint(run_call(s, FILTER_OUTER_TRACE, "clone3", none), ABSENT,
                "without a listener clone3 is ENOSYS");
}

/* What the worker does between the filters, and after the second one when exec fails. */
static void test_launch(const Stack *s) {
        static const char *const between[] = { "seccomp",     "sendmsg", "close",
                                               "close_range", "prctl",   "write",
                                               "exit_group",  "capset",  "fstat" };
        static const uint64_t none[6] = { 0 };
        const FilterProgram *outer = &s->programs[FILTER_OUTER];
        size_t n_other = 0;

        for (size_t i = 0; i < ARRAY_SIZE(between); i++) {
                struct seccomp_data data = {
                        .nr = call_number(s->arch, between[i]),
                        .arch = s->arch == PROFILE_X86_64 ? AUDIT_ARCH_X86_64 : AUDIT_ARCH_AARCH64,
                };

                n_other += bpf_run(outer->code, outer->n_code, &data) != ALLOW;
        }
        is_uint(n_other, 0, "P14: the outer filter does not hinder the launch");
        is_uint(run_call(s, FILTER_OUTER, "write", none), ALLOW, "the report can be written");
        is_uint(run_call(s, FILTER_OUTER, "exit_group", none), ALLOW, "and the worker can end");
}

static void test_arch(const Profile *profile, ProfileArch arch) {
        for (unsigned grants = 0; grants < _FILTER_COMBINATIONS; grants++) {
                Stack s = { .arch = arch };
                Diag diag = { 0 };

                for (unsigned layer = 0; layer < _FILTER_LAYER_MAX; layer++)
                        if (filter_compile(profile, arch, grants, (FilterLayer)layer,
                                           &s.programs[layer], &diag) < 0)
                                bail_out("filter_compile");
                diagnostic("%s, grants %#x", arch == PROFILE_X86_64 ? "x86_64" : "aarch64", grants);
                test_rows(&s, grants);
                test_abi(&s);
                test_unknown(&s);
                test_lists(&s, grants);
                test_trace(&s, grants);
                test_launch(&s);
                for (unsigned layer = 0; layer < _FILTER_LAYER_MAX; layer++)
                        filter_program_done(&s.programs[layer]);
                diag_done(&diag);
        }
}

static void test_families(void) {
        static const struct {
                const char *call;
                DenialFamily family;
        } wanted[] = {
                { "read", DENIAL_NONE },
                { "execve", DENIAL_EXEC },
                { "execveat", DENIAL_EXEC },
                { "socket", DENIAL_NETWORK },
                { "clone", DENIAL_PROCESS },
                { "ptrace", DENIAL_INSPECT },
                { "connect", DENIAL_NONE },
                { "pidfd_getfd", DENIAL_INSPECT },
                { "clone3", DENIAL_NONE },
                { "process_vm_readv", DENIAL_INSPECT },
#if defined(__x86_64__)
                { "fork", DENIAL_PROCESS },
                { "vfork", DENIAL_PROCESS },
#endif
        };

        for (unsigned grants = 0; grants < _FILTER_COMBINATIONS; grants++)
                for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
                        is_int(filter_pair_family(shipped_filters(grants),
                                                  call_number(PROFILE_NATIVE, wanted[i].call)),
                               wanted[i].family, "S6: the family of %s with grants %#x",
                               wanted[i].call, grants);
        is_int(filter_pair_family(shipped_filters(0), -1), DENIAL_NONE, "no call has none");
        is_int(filter_pair_family(shipped_filters(0), INT32_MAX), DENIAL_NONE, "nor a far one");
}

int main(void) {
        Profile profile = { 0 };
        Diag diag = { 0 };

        if (profile_read_directory(&profile, "policy/seccomp", &diag) < 0)
                bail_out("policy/seccomp: %s", diag.n_messages ? diag.messages[0].text : "");
        for (unsigned arch = 0; arch < _PROFILE_ARCH_MAX; arch++)
                test_arch(&profile, (ProfileArch)arch);
        test_families();
        profile_done(&profile);
        diag_done(&diag);
        return done_testing();
}
