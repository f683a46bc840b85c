/* SPDX-License-Identifier: MIT */
/* policy/wire.c: the text of a policy is canonical and is read back to the byte. */
#include "policy/wire.h"

#include <errno.h>
#include <string.h>

#include "policy/keys.h"
#include "policy/resolve.h"
#include "tests/unit/tap.h"

static const Facts facts = { .uid = 0, .landlock_abi = 4, .cwd = "/home/u" };

static const char plain[] = "Base=system\n"
                            "PrivateTmp=yes\n"
                            "DiskMax=256M\n"
                            "LimitFSIZE=1G\n"
                            "MemoryMax=1G\n"
                            "MemorySwapMax=0\n"
                            "CPUQuota=100%\n"
                            "TasksMax=256\n"
                            "RuntimeMaxSec=5min\n"
                            "TimeoutStopSec=5s\n"
                            "StartTimeoutSec=30s\n"
                            "LimitNOFILE=1024\n"
                            "LimitCORE=0\n"
                            "Slice=confine.slice\n"
                            "Network=deny\n"
                            "Subprocess=deny\n"
                            "Interpreter=python3\n"
                            "Enforcement=strict\n"
                            "UIDRange=60578-61183\n"
                            "Audit=required\n"
                            "AuditArguments=hash\n";

/* Resolves the NULL-terminated pairs of key and value. */
static Policy *resolve(const char *const *pairs) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        Policy *policy = NULL;
        Diag diag = { 0 };

        if (!settings)
                bail_out("out of memory");
        for (; *pairs; pairs += 2)
                if (settings_set(settings, pairs[0], pairs[1], "test", &diag) < 0)
                        bail_out("%s", diag.messages[0].text);
        if (policy_resolve(settings, &facts, &policy, &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        diag_done(&diag);
        return policy;
}

static char *format(const char *const *pairs) {
        _cleanup_(policy_freep) Policy *policy = resolve(pairs);
        char *text = NULL;

        if (wire_format(policy, &text) < 0)
                bail_out("out of memory");
        return text;
}

static void read_back(const char *text, const char *what) {
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_free_ char *again = NULL;
        Diag diag = { 0 };

        if (!is_int(wire_parse(text, &policy, &diag), 0, "%s is read back", what))
                diagnostic("%s", diag.n_messages > 0 ? diag.messages[0].text : "no message");
        else if (wire_format(policy, &again) == 0)
                is_str(again, text, "%s is the same again", what);
        diag_done(&diag);
}

static const char *const all[] = {
        "AllowRead",
        "/b",
        "AllowRead",
        "-/a b",
        "AllowWrite",
        "/w\\x",
        "AllowExec",
        "/e\xff\xc3\xa9",
        "Base",
        "none",
        "MemoryMax",
        "1536M",
        "CPUQuota",
        "50%",
        "RuntimeMaxSec",
        "1h30min",
        "LimitSTACK",
        "8M",
        "Network",
        "allow",
        "TCPConnectPorts",
        "8080",
        "TCPConnectPorts",
        "443",
        "TCPConnectPorts",
        "8080",
        "Subprocess",
        "allow",
        "SeccompProfile",
        "own.json",
        "Environment",
        "B=\n\"$%\\",
        "Environment",
        "A=\xe2\x80\xae",
        "User",
        "u",
        "PassEnvironment",
        "TERM",
        "Group",
        "1",
        "UIDRange",
        "70000-70009",
        "WorkingDirectory",
        ".",
        "Label",
        "b=%i $x \"\\",
        "Label",
        "a=1",
        "Label",
        "a=2",
        "Audit",
        "best-effort",
        NULL,
};
static const char wanted[] = "AllowRead=-/a b\n"
                             "AllowRead=/b\n"
                             "AllowWrite=/w\\\\x\n"
                             "AllowExec=/e\\xff\xc3\xa9\n"
                             "Base=none\n"
                             "PrivateTmp=yes\n"
                             "DiskMax=256M\n"
                             "LimitFSIZE=1G\n"
                             "MemoryMax=1536M\n"
                             "MemorySwapMax=0\n"
                             "CPUQuota=50%\n"
                             "TasksMax=256\n"
                             "RuntimeMaxSec=1h 30min\n"
                             "TimeoutStopSec=5s\n"
                             "StartTimeoutSec=30s\n"
                             "LimitNOFILE=1024\n"
                             "LimitCORE=0\n"
                             "LimitSTACK=8M\n"
                             "Slice=confine.slice\n"
                             "Network=allow\n"
                             "TCPConnectPorts=443\n"
                             "TCPConnectPorts=8080\n"
                             "Subprocess=allow\n"
                             "Interpreter=python3\n"
                             "SeccompProfile=/home/u/own.json\n"
                             "Enforcement=strict\n"
                             "Environment=A=\\xe2\\x80\\xae\n"
                             "Environment=B=\\x0a\"$%\\\\\n"
                             "PassEnvironment=TERM\n"
                             "User=u\n"
                             "Group=1\n"
                             "UIDRange=70000-70009\n"
                             "WorkingDirectory=/home/u\n"
                             "Label=a=2\n"
                             "Label=b=%i $x \"\\\\\n"
                             "Audit=best-effort\n"
                             "AuditArguments=hash\n";

static void test_format(void) {
        static const char *const none[] = { NULL };
        _cleanup_free_ char *text = format(none), *full = format(all);

        is_str(text, plain, "the defaults");
        read_back(text, "the default policy");
        is_str(full, wanted, "B56: one of everything, harmless on a terminal");
        read_back(full, "one of everything");
}

static void test_order_does_not_matter(void) {
        static const char *const one[] = { "AllowRead",   "/a",          "AllowRead",
                                           "/b",          "Environment", "A=1",
                                           "Environment", "B=2",         NULL };
        static const char *const two[] = { "Environment", "B=1", "AllowRead", "/b/",
                                           "Environment", "B=2", "AllowRead", "//a",
                                           "Environment", "A=1", "AllowRead", "/a/.",
                                           NULL };
        _cleanup_free_ char *a = format(one), *b = format(two);

        is_str(a, b, "one policy has one text");
}

static void test_refused(void) {
        static const struct {
                const char *from, *to; /* a change of the default text */
                const char *part;
        } rows[] = {
                { "Base=system\n", "", "not canonical" },
                { "Base=system\n", "Base=system\n\n", "no '=' in line 2" },
                { "Base=system\n", "Base\n", "no '=' in line 1" },
                { "Base=system\n", "Base=system\nBase=system\n", "given twice: line 1 and line 2" },
                { "Base=system\n", "Base=\\q\n", "bad escape in line 1" },
                { "Base=system\n", "Base=\\\n", "bad escape" },
                { "Base=system\n", "Base=\\x0\n", "bad escape" },
                { "Base=system\n", "Base=\\x00\n", "bad escape" },
                { "Base=system\n", "Base=\\x0A\n", "bad escape" },
                { "Base=system\n", "Base=\\x73ystem\n", "not canonical" },
                { "Base=system\n", "Base=snake\n", "not a choice" },
                { "Network=deny\n", "Network=learn\n", "not supported yet" },
                { "Base=system\n", "Bass=system\n", "unknown key" },
                { "Base=system\n", "SeccompProfile=shipped\nBase=system\n", "not canonical" },
                { "Base=system\n", "AllowRead=/b\nAllowRead=/a\nBase=system\n", "not canonical" },
                { "Base=system\n", "AllowRead=a\nBase=system\n", "absolute path" },
                { "MemoryMax=1G", "MemoryMax=1024M", "not canonical" },
                { "MemoryMax=1G", "MemoryMax=1g", "not a size" },
                { "TasksMax=256\n", "TasksMax=256 \n", "not a count" },
                { "hash\n", "hash", "not canonical" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const char *place = strstr(plain, rows[i].from);
                _cleanup_free_ char *text = NULL;
                Policy *policy = NULL;
                Diag diag = { 0 };

                if (!place || asprintf(&text, "%.*s%s%s", (int)(place - plain), plain, rows[i].to,
                                       place + strlen(rows[i].from)) < 0)
                        bail_out("row %zu", i);
                is_int(wire_parse(text, &policy, &diag), -EINVAL, "row %zu is refused", i);
                has_str(diag.n_messages > 0 ? diag.messages[0].text : NULL, rows[i].part,
                        "row %zu: the reason", i);
                diag_done(&diag);
        }
}

/* As many lists as there may be, and every byte in a value. */
static void test_extremes(void) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_free_ char *text = NULL;
        char value[260] = "ALL=";
        Diag diag = { 0 };

        if (!settings)
                bail_out("out of memory");
        for (int byte = 1; byte < 256; byte++)
                value[3 + byte] = (char)byte;
        value[259] = '\0';
        (void)settings_set(settings, "Environment", value, "test", &diag);
        for (int i = 1; i < SETTINGS_LIST_MAX; i++) {
                (void)snprintf(value, sizeof(value), "/%d", i);
                (void)settings_set(settings, "AllowRead", value, "test", &diag);
        }
        if (policy_resolve(settings, &facts, &policy, &diag) < 0 || wire_format(policy, &text) < 0)
                bail_out("no policy");
        read_back(text, "the largest policy");
}

/* Pseudo-random policies, the same every time. */
static void test_property(void) {
        uint64_t seed = 1;

        for (size_t round = 0; round < 200; round++) {
                char memory[32], tasks[32], span[32], path[32], variable[32];
                const char *const pairs[] = { "MemoryMax",     memory,   "TasksMax",  tasks,
                                              "RuntimeMaxSec", span,     "AllowRead", path,
                                              "Environment",   variable, NULL };
                _cleanup_(policy_freep) Policy *policy = NULL;
                _cleanup_free_ char *text = NULL;
                Diag diag = { 0 };

                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                (void)snprintf(memory, sizeof(memory), "%llu",
                               (4ULL << 20) + (unsigned long long)(seed >> 20) % (1ULL << 50));
                (void)snprintf(tasks, sizeof(tasks), "%u", 1 + (unsigned)(seed >> 33) % 4000000);
                (void)snprintf(span, sizeof(span), "%llums",
                               1 + (unsigned long long)(seed >> 13) % 31536000000ULL);
                (void)snprintf(path, sizeof(path), "/p%c%c", (char)(' ' + (seed >> 40) % 95),
                               (char)(0x80 + (seed >> 48) % 0x80));
                (void)snprintf(variable, sizeof(variable), "V=%c%c%c",
                               (char)(1 + (seed >> 8) % 255), (char)(1 + (seed >> 24) % 255),
                               (char)(1 + (seed >> 56) % 255));
                text = format(pairs);
                if (wire_parse(text, &policy, &diag) < 0)
                        ok(false, "round %zu: %s", round, diag.messages[0].text);
                diag_done(&diag);
        }
        ok(true, "200 pseudo-random policies are read back");
}

int main(void) {
        test_format();
        test_order_does_not_matter();
        test_refused();
        test_extremes();
        test_property();
        return done_testing();
}
