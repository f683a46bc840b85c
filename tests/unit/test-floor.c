/* SPDX-License-Identifier: MIT */
/* policy/floor.c and its table: P11 to P14 for a profile of the user's own. Every row refuses a
 * profile that is made to break it, and is lifted by the grant that it names; the shipped profile
 * passes. */
#include "policy/floor.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

#define ALL_BITS UINT32_MAX
#define C(name)  CONSTANT_##name

enum {
#define CONSTANT(name, value) CONSTANT_##name = (value),
#include "policy/constants.def"
#undef CONSTANT
};

typedef struct Row {
        const char *call;
        unsigned when, unless;
        const char *reason;
        struct {
                unsigned index;
                uint32_t mask, value;
        } conditions[2];
} Row;

static const Row never[] = {
#define NEVER(call, when, unless, reason, ...) { #call, when, unless, reason, { __VA_ARGS__ } },
#include "policy/floor.def"
};

static const struct {
        const char *call;
        unsigned when, unless;
        const char *reason;
        unsigned index;
        uint32_t good;
} only[] = {
#define FIRST(value, ...) value
#define ONLY(call, when, unless, reason, index, ...) \
        { #call, when, unless, reason, index, FIRST(__VA_ARGS__, 0) },
#include "policy/floor.def"
};

/* What every profile needs, with and without subprocesses. */
#define LAUNCHED                                                                              \
        "{\"name\":\"launch\",\"reason\":\"r\",\"calls\":[\"read\",\"write\",\"exit_group\"," \
        "\"rt_sigaction\",\"rt_sigprocmask\"]},"                                              \
        "{\"name\":\"exec\",\"reason\":\"r\",\"action\":\"notify\",\"family\":\"exec\","      \
        "\"calls\":[\"execve\",\"execveat\"]}"

/* Checks a profile of LAUNCHED and @groups. Returns what floor_check() does. */
static int check(const char *groups, unsigned grants, char *message, size_t room) {
        Profile profile = { 0 };
        char text[8192];
        Diag diag = { 0 };
        int r;

        (void)snprintf(text, sizeof(text), "{\"version\":1,\"groups\":[\n%s]}", groups);
        if (profile_parse(&profile, text, strlen(text), "p.json", &diag) < 0)
                bail_out("%s: %s", text, diag.messages[0].text);
        r = floor_check(&profile, PROFILE_X86_64, grants, "p.json", &diag);
        message[0] = '\0';
        for (size_t i = 0, n = 0; i < diag.n_messages && n < room; i++)
                n += (size_t)snprintf(message + n, room - n, "%s\n", diag.messages[i].text);
        is_int(r, diag.n_messages ? -EINVAL : 0, "the result is as the messages are");
        profile_done(&profile);
        diag_done(&diag);
        return r;
}

static void with_entry(const char *entry, unsigned grants, char *message, size_t room) {
        char groups[4096];

        (void)snprintf(groups, sizeof(groups),
                       LAUNCHED ",{\"name\":\"own\",\"reason\":\"r\",\"calls\":[\n%s]}", entry);
        (void)check(groups, grants, message, room);
}

/* An entry that admits just what @row forbids. */
static void breaking_entry(const Row *row, char *ret, size_t room) {
        size_t n;

        if (!row->conditions[0].mask) {
                (void)snprintf(ret, room, "\"%s\"", row->call);
                return;
        }
        n = (size_t)snprintf(ret, room, "{\"name\":\"%s\",\"arguments\":[", row->call);
        for (size_t i = 0; i < 2 && row->conditions[i].mask; i++)
                n += (size_t)snprintf(ret + n, room - n, "%s{\"index\":%u,\"in\":[%u]}",
                                      i ? "," : "", row->conditions[i].index,
                                      row->conditions[i].value);
        (void)snprintf(ret + n, room - n, "]}");
}

static void test_never(void) {
        for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
                const Row *row = &never[i];
                char entry[512], message[4096];

                breaking_entry(row, entry, sizeof(entry));
                with_entry(entry, row->when, message, sizeof(message));
                has_str(message, row->reason, "P11: refused: %s", entry);
                has_str(message, "'p.json:3': group 'own' admits", "by its place");
                (void)snprintf(entry, sizeof(entry), "\"%s\"", row->call);
                with_entry(entry, row->when, message, sizeof(message));
                ok(message[0], "so is %s without conditions", row->call);
        }
}

/* What lifts a row: the grant, or to be told that what it needs was not given. */
static void test_lifted(void) {
        for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
                const Row *row = &never[i];
                char entry[512], message[4096];

                breaking_entry(row, entry, sizeof(entry));
                if (row->unless) {
                        with_entry(entry, row->when | row->unless, message, sizeof(message));
                        ok(!strstr(message, row->reason), "with the grant: %s", entry);
                }
                if (row->when) {
                        with_entry(entry, 0, message, sizeof(message));
                        ok(!strstr(message, row->reason), "without the grant: %s", entry);
                }
        }
}

static void test_only(void) {
        for (size_t i = 0; i < ARRAY_SIZE(only); i++) {
                char entry[512], message[4096];

                (void)snprintf(entry, sizeof(entry), "\"%s\"", only[i].call);
                with_entry(entry, only[i].when, message, sizeof(message));
                ok(message[0], "P11 P12: refused: %s", entry);
                (void)snprintf(entry, sizeof(entry),
                               "{\"name\":\"%s\",\"arguments\":[{\"index\":%u,\"in\":[1000]}]}",
                               only[i].call, only[i].index);
                with_entry(entry, only[i].when, message, sizeof(message));
                has_str(message, only[i].reason, "refused: %s", entry);
                (void)snprintf(entry, sizeof(entry),
                               "{\"name\":\"%s\",\"arguments\":[{\"index\":%u,\"mask\":255,"
                               "\"in\":[1]}]}",
                               only[i].call, only[i].index);
                with_entry(entry, only[i].when, message, sizeof(message));
                has_str(message, only[i].reason, "refused: %s", entry);
        }
}

static void test_near(void) {
        static const struct {
                const char *entry;
                unsigned grants;
        } good[] = {
                { "{\"name\":\"ioctl\",\"arguments\":[{\"index\":1,\"in\":[\"TCGETS\"]}]}", 0 },
                { "{\"name\":\"clone\",\"arguments\":[{\"index\":0,\"mask\":\"CLONE_THREAD|"
                  "CLONE_PARENT|CLONE_NEWNS|CLONE_NEWCGROUP|CLONE_NEWUTS|CLONE_NEWIPC|"
                  "CLONE_NEWUSER|CLONE_NEWPID|CLONE_NEWNET\",\"in\":[\"CLONE_THREAD\"]}]}",
                  0 },
                { "{\"name\":\"prlimit64\",\"arguments\":[{\"index\":0,\"in\":[0,\"self\"]}]}", 0 },
                { "{\"name\":\"prlimit64\",\"arguments\":[{\"index\":0,\"null\":true}]}", 0 },
                { "{\"name\":\"fcntl\",\"arguments\":[{\"index\":1,\"in\":[\"F_SETFL\"]},{"
                  "\"index\":2,\"without\":\"O_ASYNC\"}]}",
                  0 },
                { "{\"name\":\"mmap\",\"arguments\":[{\"index\":3,\"without\":\"MAP_HUGETLB\"}]}",
                  0 },
                { "{\"name\":\"memfd_create\",\"arguments\":[{\"index\":1,\"only\":1}]}", 0 },
                { "{\"name\":\"socket\",\"arguments\":[{\"index\":0,\"in\":[\"AF_INET\"]},{"
                  "\"index\":1,\"in\":[\"SOCK_STREAM\"]},{\"index\":2,\"in\":[0]}]}",
                  FILTER_NETWORK },
                { "\"kill\"", 0 },
                { "{\"name\":\"kill\",\"arguments\":[{\"index\":0,\"in\":[\"self\"]}]}",
                  FILTER_BIND_SIGNALS },
                { "\"mlock\"", 0 },
                { "\"uname\"", FILTER_NETWORK },
        };

        for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
                char message[4096];

                with_entry(good[i].entry, good[i].grants, message, sizeof(message));
                is_str(message, "", "admitted: %s", good[i].entry);
        }
}

static void test_launch(void) {
        static const struct {
                const char *groups;
                unsigned grants;
                const char *message;
        } rows[] = {
                { LAUNCHED, 0, "" },
                { LAUNCHED, FILTER_SUBPROCESS, "" },
                { "{\"name\":\"a\",\"reason\":\"r\",\"calls\":[\"write\"]}", 0,
                  "'p.json' does not admit 'read' with any arguments" },
                { LAUNCHED ",{\"name\":\"b\",\"reason\":\"r\",\"action\":\"errno\",\"errno\":"
                           "\"ENOSYS\",\"calls\":[\"sendmsg\"]}",
                  0, "'p.json' answers or notifies 'sendmsg'" },
                { LAUNCHED ",{\"name\":\"b\",\"reason\":\"r\",\"action\":\"notify\",\"family\":"
                           "\"network\",\"calls\":[\"close\"]}",
                  0, "'p.json' answers or notifies 'close'" },
                { "{\"name\":\"launch\",\"reason\":\"r\",\"calls\":[\"read\",\"write\","
                  "\"exit_group\",\"rt_sigaction\",\"rt_sigprocmask\"]}",
                  0, "the launch's own 'execve'" },
                { "{\"name\":\"launch\",\"reason\":\"r\",\"calls\":[\"read\",\"write\","
                  "\"exit_group\",\"rt_sigaction\",\"rt_sigprocmask\",\"execve\",\"execveat\"]}",
                  FILTER_SUBPROCESS, "" },
                { "{\"name\":\"launch\",\"reason\":\"r\",\"calls\":[\"read\",\"write\","
                  "\"exit_group\",\"rt_sigaction\",\"rt_sigprocmask\"]},{\"name\":\"b\",\"reason\":"
                  "\"r\",\"action\":\"notify\",\"family\":\"process\",\"calls\":[\"execve\","
                  "\"execveat\"]}",
                  0, "the launch's own 'execve'" },
                { "{\"name\":\"launch\",\"reason\":\"r\",\"calls\":[\"read\",\"write\","
                  "\"exit_group\",\"rt_sigaction\",\"rt_sigprocmask\"]},{\"name\":\"b\",\"reason\":"
                  "\"r\",\"action\":\"notify\",\"family\":\"exec\",\"calls\":[\"execve\"]}",
                  0, "the launch's own 'execveat'" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char message[4096];

                (void)check(rows[i].groups, rows[i].grants, message, sizeof(message));
                if (rows[i].message[0])
                        has_str(message, rows[i].message, "P14: profile %zu is refused", i);
                else
                        is_str(message, "", "P14: profile %zu can be launched", i);
        }
}

static void test_shipped(void) {
        Profile profile = { 0 };
        Diag diag = { 0 };

        if (profile_read_directory(&profile, "policy/seccomp", &diag) < 0)
                bail_out("%s", diag.n_messages ? diag.messages[0].text : "policy/seccomp");
        for (unsigned arch = 0; arch < _PROFILE_ARCH_MAX; arch++)
                for (unsigned grants = 0; grants < _FILTER_COMBINATIONS; grants++)
                        is_int(floor_check(&profile, (ProfileArch)arch, grants, "shipped", &diag),
                               0, "P11: the shipped profile is above the floor with grants %#x",
                               grants);
        for (size_t i = 0; i < diag.n_messages; i++)
                diagnostic("%s", diag.messages[i].text);
        profile_done(&profile);
        diag_done(&diag);
}

int main(void) {
        test_never();
        test_lifted();
        test_only();
        test_near();
        test_launch();
        test_shipped();
        return done_testing();
}
