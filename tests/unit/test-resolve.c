/* SPDX-License-Identifier: MIT */
/* policy/resolve.c: defaults (S10, S11), values (B29), the machine (P5, B83), the environment. */
#include "policy/resolve.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

static const Facts facts = { .uid = 0, .landlock_abi = 4, .cwd = "/home/u" };

typedef struct Fixture {
        Settings *settings;
        Policy *policy;
        Diag diag;
} Fixture;

static void fixture_done(Fixture *fixture) {
        fixture->settings = settings_free(fixture->settings);
        fixture->policy = policy_free(fixture->policy);
        diag_done(&fixture->diag);
}

#define _fixture_(name)                                                        \
        _cleanup_(fixture_done) Fixture name = { .settings = settings_new() }; \
        if (!name.settings)                                                    \
        bail_out("out of memory")

static int resolve(Fixture *f) {
        return policy_resolve(f->settings, &facts, &f->policy, &f->diag);
}

static void set(Fixture *f, const char *key, const char *value) {
        if (settings_set(f->settings, key, value, "-p here", &f->diag) < 0)
                bail_out("%s=%s", key, value);
}

static void test_defaults(void) {
        const Policy *p;
        _fixture_(f);

        if (!is_int(resolve(&f), 0, "P2 S11: nothing asked for is a policy"))
                return;
        p = f.policy;
        is_uint(p->n_grants, 0, "P2: nothing is granted");
        is_int(p->base, BASE_SYSTEM, "Base=system");
        ok(p->private_tmp, "PrivateTmp=yes");
        is_uint(p->disk_max_bytes, 256 << 20, "P17 S11: DiskMax=256M");
        is_uint(p->limit_fsize_bytes, 1 << 30, "P16 S11: LimitFSIZE=1G");
        is_uint(p->memory_max_bytes, 1 << 30, "P17 S11: MemoryMax=1G");
        is_uint(p->memory_swap_max_bytes, 0, "S2 S11: MemorySwapMax=0");
        is_uint(p->cpu_quota_usec_per_sec, USEC_PER_SEC, "P17 S11: CPUQuota=100%%");
        is_uint(p->tasks_max, 256, "S2 S11: TasksMax=256");
        is_uint(p->runtime_max_usec, 300 * USEC_PER_SEC, "S10: RuntimeMaxSec=300s");
        is_uint(p->timeout_stop_usec, 5 * USEC_PER_SEC, "S13: TimeoutStopSec=5s");
        is_uint(p->start_timeout_usec, 30 * USEC_PER_SEC, "S10: StartTimeoutSec=30s");
        is_uint(p->limit_nofile, 1024, "LimitNOFILE=1024");
        is_uint(p->limit_core_bytes, 0, "LimitCORE=0");
        is_uint(p->limit_stack_bytes, LIMIT_UNSET, "LimitSTACK is as inherited");
        ok(!p->network, "P7 S3: Network=deny");
        ok(!p->subprocess, "P2: Subprocess=deny");
        is_str(p->interpreter, "python3", "Interpreter=python3");
        is_int(p->enforcement, ENFORCEMENT_STRICT, "P5: Enforcement=strict");
        is_uint(strv_length(p->environment), 0, "no environment");
        is_uint(strv_length(p->pass_environment), 0, "and none handed on");
        ok(p->environment && p->pass_environment, "but vectors");
        ok(!p->seccomp_profile, "P11: SeccompProfile=shipped");
        ok(!p->user && !p->group && !p->working_directory, "no identity");
        is_uint(p->uids.first, 60578, "UIDRange=60578-61183, which systemd leaves");
        is_uint(p->uids.last, 61183, "to nobody");
        is_int(p->audit, AUDIT_REQUIRED, "Audit=required");
        is_int(p->audit_arguments, AUDIT_ARGUMENTS_HASH, "AuditArguments=hash");
}

static void test_values(void) {
        const Policy *p;
        _fixture_(f);

        set(&f, "Base", "none");
        set(&f, "Interpreter", "venv/bin/python");
        set(&f, "MemoryMax", "512M");
        set(&f, "MemorySwapMax", "256M");
        set(&f, "CPUQuota", "50%");
        set(&f, "Subprocess", "allow");
        set(&f, "Enforcement", "best-effort");
        set(&f, "Audit", "best-effort");
        set(&f, "AuditArguments", "full");
        set(&f, "LimitSTACK", "8M");
        set(&f, "User", "nobody");
        set(&f, "Group", "65534");
        set(&f, "WorkingDirectory", "src/");
        set(&f, "SeccompProfile", "./shipped");
        set(&f, "AllowRead", "-data set");
        if (!is_int(resolve(&f), 0, "a policy"))
                return;
        p = f.policy;
        is_int(p->base, BASE_NONE, "Base");
        is_str(p->interpreter, "/home/u/venv/bin/python", "Interpreter: a path is made absolute");
        is_uint(p->memory_max_bytes, 512 << 20, "B29: MemoryMax");
        is_uint(p->memory_swap_max_bytes, 256 << 20, "B29: swap is its own cap, not a sum");
        is_uint(p->cpu_quota_usec_per_sec, 500000, "CPUQuota");
        ok(p->subprocess, "Subprocess");
        is_int(p->enforcement, ENFORCEMENT_BEST_EFFORT, "Enforcement");
        is_int(p->audit, AUDIT_BEST_EFFORT, "Audit");
        is_int(p->audit_arguments, AUDIT_ARGUMENTS_FULL, "AuditArguments");
        is_uint(p->limit_stack_bytes, 8 << 20, "LimitSTACK");
        is_str(p->user, "nobody", "User");
        is_str(p->group, "65534", "Group");
        is_str(p->seccomp_profile, "/home/u/shipped", "a file may be called shipped");
        is_str(p->working_directory, "/home/u/src", "WorkingDirectory is made absolute");
        is_str(p->grants[0].path, "/home/u/data set", "a path may hold spaces");
        ok(p->grants[0].optional, "and be optional");
}

static void test_ports(void) {
        static const char *const texts[] = { "443", "80", "65535", "1", "80" };
        static const uint16_t wanted[] = { 1, 80, 443, 65535 };
        _fixture_(f);

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
                set(&f, "TCPConnectPorts", texts[i]);
        set(&f, "Network", "allow");
        if (!is_int(resolve(&f), 0, "P7: ports of a network grant"))
                return;
        is_uint(f.policy->tcp_connect_ports.n_ports, ARRAY_SIZE(wanted), "each once");
        for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
                is_uint(f.policy->tcp_connect_ports.ports[i], wanted[i], "in order");
}

static void test_replace(void) {
        _fixture_(f);

        settings_start_layer(f.settings, LAYER_SITE);
        set(&f, "SeccompProfile", "/own.json");
        set(&f, "User", "a");
        set(&f, "TasksMax", "10");
        set(&f, "AllowRead", "/a");
        set(&f, "PrivateTmp", "no");
        settings_start_layer(f.settings, LAYER_COMMAND_LINE);
        set(&f, "SeccompProfile", "shipped");
        set(&f, "User", "b");
        set(&f, "TasksMax", "20");
        set(&f, "AllowRead", "/b");
        is_int(resolve(&f), 0, "two layers");
        is_str(f.policy->user, "b", "the later one wins");
        is_str(f.policy->seccomp_profile, NULL, "also for the shipped profile");
        is_uint(f.policy->tasks_max, 20, "also for numbers");
        is_uint(f.policy->n_grants, 2, "and lists add up");
}

static const struct {
        const char *key, *value, *part;
} refusals[] = {
        { "MemoryMax", "0", "write 4M or more" },
        { "MemoryMax", "4194303", "write 4M or more" },
        { "MemoryMax", "4097T", "write 4096T or less" },
        { "MemoryMax", "18446744073709551615", "write 4096T or less" },
        { "MemoryMax", "infinity", "cannot be unset" },
        { "MemoryMax", "", "cannot be unset" },
        { "MemoryMax", "-1", "cannot be negative" },
        { "MemoryMax", "1.5G", "write '1536M'" },
        { "MemoryMax", "512m", "write '512M'" },
        { "MemoryMax", "512MB", "write '512M'" },
        { "MemoryMax", "18446744073709551616", "too large" },
        { "MemorySwapMax", "infinity", "cannot be unset" },
        { "LimitFSIZE", "0", "write 1 or more" },
        { "CPUQuota", "0%", "write 1% or more" },
        { "CPUQuota", "819201%", "write 819200% or less" },
        { "TasksMax", "0", "write 1 or more" },
        { "TasksMax", "4194304", "write 4194303 or less" },
        { "TasksMax", "50%", "write a whole number" },
        { "Network", "alow", "write deny or allow" },
        { "TCPConnectPorts", "443", "there is none: add --allow-net" },
        { "TCPConnectPorts", "0", "'0' is no port for 'TCPConnectPorts'" },
        { "TCPConnectPorts", "65536", "write a number from 1 to 65535" },
        { "TCPConnectPorts", "-1", "no port" },
        { "TCPConnectPorts", "https", "no port" },
        { "TCPConnectPorts", "80 443", "no port" },
        { "TCPConnectPorts", "", "no port" },
        { "SeccompProfile", "", "not a path for 'SeccompProfile'" },
        { "RuntimeMaxSec", "0", "write 1ms or more" },
        { "RuntimeMaxSec", "infinity", "cannot be unset" },
        { "RuntimeMaxSec", "366d", "or less" },
        { "TimeoutStopSec", "0", "write 1ms or more" },
        { "StartTimeoutSec", "25h", "write 1d or less" },
        { "LimitNOFILE", "3", "write 4 or more" },
        { "LimitSTACK", "64K", "write 128K or more" },
        { "LimitCORE", "unlimited", "cannot be unset" },
        { "Subprocess", "yes", "write deny or allow" },
        { "Enforcement", "", "write strict or best-effort" },
        { "Base", "all", "write none or system or python" },
        { "Interpreter", "", "write the name of a program in PATH" },
        { "Interpreter", "a\nb", "'a?b' is not a program" },
        { "Interpreter", "~/bin/python", "not expanded" },
        { "User", "", "write a user or group name" },
        { "Group", "a:b", "write a user or group name" },
        { "UIDRange", "", "'' is no range for 'UIDRange'" },
        { "UIDRange", "60578", "write FIRST-LAST" },
        { "UIDRange", "0-0", "accounts of the system" },
        { "WorkingDirectory", "", "write a path" },
        { "AllowRead", "", "resets nothing" },
        { "AllowWrite", "/proc/sys", "grant another directory" },
        { "AllowExec", "~/bin", "not expanded" },
        { "Environment", "", "write NAME=VALUE" },
        { "Environment", "=x", "variable name" },
        { "Environment", "1=x", "variable name" },
        { "PassEnvironment", "", "variable name" },
        { "PassEnvironment", "A=x", "write the name alone" },
        { "PassEnvironment", "A B", "variable name" },
};

static void test_refusals(void) {
        for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
                _fixture_(f);

                set(&f, refusals[i].key, refusals[i].value);
                is_int(resolve(&f), -EINVAL, "S11 B29: %s=%s is refused", refusals[i].key,
                       refusals[i].value);
                if (!is_uint(f.diag.n_messages, 1, "once"))
                        continue;
                is_int(f.diag.messages[0].type, ERROR_CONFIGURATION, "S20: ConfigurationError");
                has_str(f.diag.messages[0].text, refusals[i].part, "S20: with the fix");
                has_str(f.diag.messages[0].text, "(-p here)", "with its place");
                ok(f.policy == NULL, "and no policy is made");
        }
}

static void test_edges(void) {
        static const struct {
                const char *key, *value;
        } rows[] = {
                { "MemoryMax", "4M" },      { "MemoryMax", "4096T" },    { "CPUQuota", "1%" },
                { "CPUQuota", "819200%" },  { "TasksMax", "1" },         { "TasksMax", "4194303" },
                { "RuntimeMaxSec", "1ms" }, { "RuntimeMaxSec", "365d" }, { "LimitNOFILE", "4" },
                { "LimitSTACK", "128K" },   { "LimitCORE", "0" },        { "MemorySwapMax", "0" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _fixture_(f);

                set(&f, rows[i].key, rows[i].value);
                is_int(resolve(&f), 0, "S11: %s=%s is the last that is taken", rows[i].key,
                       rows[i].value);
        }
}

static void test_all_faults(void) {
        _fixture_(f);

        set(&f, "MemoryMax", "1.5G");
        set(&f, "AllowExec", "/");
        set(&f, "Environment", "sk-secret");
        is_int(resolve(&f), -EINVAL, "three faults");
        is_uint(f.diag.n_messages, 3, "are said at once");
        ok(!strstr(f.diag.messages[2].text, "secret"), "S14: the value of a variable is not shown");
}

static void test_environment(void) {
        _fixture_(f);

        set(&f, "Environment", "B=1");
        set(&f, "Environment", "A=x=y\nz");
        set(&f, "Environment", "AB=");
        set(&f, "Environment", "B=2");
        set(&f, "PassEnvironment", "TERM");
        set(&f, "PassEnvironment", "A");
        set(&f, "PassEnvironment", "LANG");
        set(&f, "PassEnvironment", "TERM");
        if (!is_int(resolve(&f), 0, "variables"))
                return;
        if (!is_uint(strv_length(f.policy->environment), 3, "one of each name"))
                return;
        is_str(f.policy->environment[0], "A=x=y\nz", "a value may be anything");
        is_str(f.policy->environment[1], "AB=", "also nothing");
        is_str(f.policy->environment[2], "B=2", "the last assignment wins");
        if (!is_uint(strv_length(f.policy->pass_environment), 2, "an assignment wins over A"))
                return;
        is_str(f.policy->pass_environment[0], "LANG", "sorted");
        is_str(f.policy->pass_environment[1], "TERM", "and each once");
}

/* P17: scratch is memory, so half of it at most. */
static void test_scratch(void) {
        static const struct {
                const char *memory, *disk, *private;
                const char *part; /* of the message; NULL: taken */
                uint64_t bytes;
        } rows[] = {
                { "1G", NULL, NULL, NULL, 256 << 20 },
                { "64M", NULL, NULL, NULL, 32 << 20 },
                { "4M", NULL, NULL, NULL, 2 << 20 },
                { "64M", "32M", NULL, NULL, 32 << 20 },
                { "64M", "64K", "yes", NULL, 64 << 10 },
                { "4G", "2G", NULL, NULL, UINT64_C(2) << 30 },
                { "64M", "33M", NULL, "write 32M, half of MemoryMax, or raise that", 0 },
                { "64M", "63K", NULL, "write 64K or more", 0 },
                { "64M", NULL, "no", NULL, LIMIT_UNSET },
                { "64M", "32M", "no", "drop one of them", 0 },
                { "64M", NULL, "maybe", "write yes or no", 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _fixture_(f);

                set(&f, "MemoryMax", rows[i].memory);
                if (rows[i].disk)
                        set(&f, "DiskMax", rows[i].disk);
                if (rows[i].private)
                        set(&f, "PrivateTmp", rows[i].private);
                is_int(resolve(&f), rows[i].part ? -EINVAL : 0, "MemoryMax=%s DiskMax=%s",
                       rows[i].memory, rows[i].disk ? rows[i].disk : "256M by default");
                if (!rows[i].part) {
                        is_uint(f.policy->disk_max_bytes, rows[i].bytes, "in bytes");
                        continue;
                }
                is_int(f.diag.messages[0].type, ERROR_CONFIGURATION, "ConfigurationError");
                has_str(f.diag.messages[0].text, rows[i].part, "S20: with the fix");
        }
}

static void test_no_view(void) {
        Facts machine = facts;
        _fixture_(f);
        _fixture_(without);

        machine.no_view = "the reason: the fix";
        is_int(policy_resolve(f.settings, &machine, &f.policy, &f.diag), -EINVAL,
               "S4: no scratch where no mount namespace is to be had");
        is_int(f.diag.messages[0].type, ERROR_CAPABILITY, "S4: CapabilityNotSupported");
        has_str(f.diag.messages[0].text,
                "the reason: the fix, or say -p PrivateTmp=no; 'confine doctor' tells",
                "S20: the cause and the fix");
        set(&without, "PrivateTmp", "no");
        is_int(policy_resolve(without.settings, &machine, &without.policy, &without.diag), 0,
               "who needs none is served");
}

static void test_machine(void) {
        static const struct {
                int abi;
                const char *part;
        } rows[] = {
                { 1, "too old (ABI 1, 3 is needed)" },
                { 2, "boot Linux 6.2 or newer" },
                { -ENOSYS, "has no Landlock" },
                { -EOPNOTSUPP, "'lsm='" },
                { -EPERM, "must allow" },
                { 3, NULL },
                { 4, NULL },
                { 10, NULL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                Facts machine = facts;
                _fixture_(f);

                machine.landlock_abi = rows[i].abi;
                is_int(policy_resolve(f.settings, &machine, &f.policy, &f.diag),
                       rows[i].part ? -EINVAL : 0, "P5 B83: Landlock ABI %d", rows[i].abi);
                if (!rows[i].part)
                        continue;
                is_int(f.diag.messages[0].type, ERROR_CAPABILITY, "S4: CapabilityNotSupported");
                has_str(f.diag.messages[0].text, rows[i].part, "S20: the cause and the fix");
                has_str(f.diag.messages[0].text, "'confine --no-sandbox'",
                        "P5: and the way without");
        }
}

static void test_no_directory(void) {
        const Facts nowhere = { .uid = 1000, .landlock_abi = 3 };
        _fixture_(f);

        set(&f, "AllowRead", "a");
        set(&f, "WorkingDirectory", "b");
        set(&f, "AllowRead", "/a");
        is_int(policy_resolve(f.settings, &nowhere, &f.policy, &f.diag), -EINVAL,
               "without a current directory relative paths are refused");
        is_uint(f.diag.n_messages, 2, "and absolute ones are not");
}

int main(void) {
        test_defaults();
        test_values();
        test_ports();
        test_replace();
        test_refusals();
        test_edges();
        test_all_faults();
        test_environment();
        test_scratch();
        test_machine();
        test_no_view();
        test_no_directory();
        return done_testing();
}
