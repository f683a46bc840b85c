/* SPDX-License-Identifier: MIT */
/* policy/grant.c: P2, what may be granted; B03 and its kind, what may never be written. */
#include "policy/grant.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

static const Facts facts = { .uid = 1000, .landlock_abi = 3, .cwd = "/home/u" };

static int add(Policy *policy, Key key, const char *text, Diag *diag) {
        return grant_add(policy, key, text, "--here", &facts, diag);
}

static void test_write(void) {
        static const struct {
                const char *path;
                bool good;
        } rows[] = {
                { "/srv", true },
                { "/sys/fs", false },
                { "/sys/fs/cgroup", false },
                { "/sys/fs/cgroup/a", false },
                { "/sys/fs/cgroups", true },
                { "/sys/fs/bpf", true },
                { "/sys", false },
                { "/proc", false },
                { "/proc/", false },
                { "//proc/./sys", false },
                { "/proc/self/fd", false },
                { "/process", true },
                { "/run", false },
                { "/run/systemd/transient", false },
                { "/run/systemd-x", true },
                { "/run/user", false },
                { "/run/user/1000", false },
                { "/run/user/1000/systemd/user", false },
                { "/run/user/1000/app", true },
                { "/run/user/10000", true },
                { "/", false },
                { "/..", false },
                { "/a/../..", false },
                { "/srv/../proc", false },
                { "/proc/../srv",
                  false }, /* /proc is a directory, but as it is written it is named */
                { "../../proc", false },
                { "../u/x", true },
                { "/etc/confine", false },
                { "/etc/confine/confine.conf", false },
                { "/etc", false },
                { "/etc/confined", true },
                { "/usr/share", false },
                { "/usr/share/doc", true },
                { "/run/confine/uids", false },
                { "/var/lib/confine", false },
                { "-/proc", false },
                { "-/srv", true },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(policy_freep) Policy *policy = calloc(1, sizeof(*policy));
                Diag diag = { 0 };

                if (!policy)
                        bail_out("out of memory");
                is_int(add(policy, KEY_AllowWrite, rows[i].path, &diag), rows[i].good ? 0 : -EINVAL,
                       "B03: a write grant of '%s'", rows[i].path);
                is_uint(policy->n_grants, rows[i].good, "'%s' is kept or not", rows[i].path);
                if (!rows[i].good)
                        has_str(diag.messages[0].text, "(--here)", "with its place");
                diag_done(&diag);
        }
}

static void test_read(void) {
        _cleanup_(policy_freep) Policy *policy = calloc(1, sizeof(*policy));
        Diag diag = { 0 };

        if (!policy)
                bail_out("out of memory");
        is_int(add(policy, KEY_AllowExec, "/", &diag), -EINVAL, "executing all is refused");
        has_str(diag.messages[0].text, "grant the directories you need", "with the fix");
        is_int(add(policy, KEY_AllowExec, "/..", &diag), -EINVAL, "however it is written");
        is_int(add(policy, KEY_AllowWrite, "/", &diag), -EINVAL, "so is writing");
        is_int(add(policy, KEY_AllowRead, "/", &diag), 0, "all may be read, in parts");
        is_int(add(policy, KEY_AllowRead, "/proc", &diag), 0, "/proc may be read if asked for");
        is_int(add(policy, KEY_AllowRead, "", &diag), -EINVAL, "an empty path is refused");
        is_int(add(policy, KEY_AllowRead, "-", &diag), -EINVAL, "an optional empty one too");
        has_str(diag.messages[diag.n_messages - 1].text, "'-' is no path for 'AllowRead' (--here)",
                "by name");
        diag_done(&diag);
}

static void test_order(void) {
        static const struct {
                Key key;
                const char *text;
        } added[] = {
                { KEY_AllowExec, "/b" },  { KEY_AllowRead, "/b" }, { KEY_AllowRead, "-/a" },
                { KEY_AllowWrite, "/a" }, { KEY_AllowRead, "/a" }, { KEY_AllowRead, "-/c" },
                { KEY_AllowRead, "-/c" }, { KEY_AllowRead, "b/" },
        };
        static const char *const wanted[] = { "AllowRead /a",  "AllowRead /b",
                                              "AllowRead -/c", "AllowRead /home/u/b",
                                              "AllowWrite /a", "AllowExec /b" };
        _cleanup_(policy_freep) Policy *policy = calloc(1, sizeof(*policy));
        Diag diag = { 0 };

        if (!policy)
                bail_out("out of memory");
        grants_normalize(policy);
        is_uint(policy->n_grants, 0, "no grants are normal");
        for (size_t i = 0; i < ARRAY_SIZE(added); i++)
                (void)add(policy, added[i].key, added[i].text, &diag);
        grants_normalize(policy);
        if (!is_uint(policy->n_grants, ARRAY_SIZE(wanted), "doubles are removed"))
                return;
        for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
                char got[64];

                (void)snprintf(got, sizeof(got), "%s %s%s", policy->grants[i].key,
                               policy->grants[i].optional ? "-" : "", policy->grants[i].path);
                is_str(got, wanted[i], "grant %zu is in its place", i);
        }
        is_int(policy->grants[0].access, GRANT_READ, "AllowRead reads");
        is_int(policy->grants[4].access, GRANT_WRITE, "AllowWrite writes");
        is_int(policy->grants[5].access, GRANT_EXEC, "AllowExec executes");
        diag_done(&diag);
}

/* Of a path that two ask for, who wrote it may have meant a link; the others never do. */
static void test_no_link(void) {
        static const struct {
                bool implicit[2], from_project[2];
                bool want_implicit, want_from_project;
                const char *what;
        } rows[] = {
                { { true, true }, { false, false }, true, false, "what is run, twice" },
                { { true, false }, { false, true }, false, true, "what is run, and the project" },
                { { false, true }, { true, false }, false, true, "the project, and what is run" },
                { { false, false }, { true, true }, false, true, "the project, twice" },
                { { false, false }, { true, false }, false, false, "the project, and the caller" },
                { { true, false }, { false, false }, false, false, "what is run, and the caller" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(policy_freep) Policy *policy = calloc(1, sizeof(*policy));
                Diag diag = { 0 };

                if (!policy)
                        bail_out("out of memory");
                for (size_t j = 0; j < 2; j++) {
                        if (add(policy, KEY_AllowRead, "/a", &diag) < 0)
                                bail_out("/a is refused");
                        policy->grants[j].implicit = rows[i].implicit[j];
                        policy->grants[j].from_project = rows[i].from_project[j];
                }
                grants_normalize(policy);
                is_int(policy->grants[0].implicit, rows[i].want_implicit, "%s: implicit",
                       rows[i].what);
                is_int(policy->grants[0].from_project, rows[i].want_from_project,
                       "P2: %s: leads to itself", rows[i].what);
                diag_done(&diag);
        }
}

static void test_target(void) {
        char path[] = "/tmp/link";
        const Grant write = { .path = path, .key = "AllowWrite", .access = GRANT_WRITE };
        const Grant read = { .path = path, .key = "AllowRead", .access = GRANT_READ };
        Diag diag = { 0 };

        is_int(grant_check_target(&write, "/srv/data", &facts, &diag), 0, "a link to a directory");
        is_int(grant_check_target(&write, "/proc/sys", &facts, &diag), -EINVAL,
               "B03: a link to a place that must not be written");
        has_str(diag.messages[0].text, "'/proc/sys' (/tmp/link)", "both are named");
        is_int(grant_check_target(&read, "/proc/sys", &facts, &diag), 0, "which may be read");
        is_int(grant_check_target(&read, "/", &facts, &diag), 0, "all of it in parts");
        is_int(grant_check_target(&write, "/", &facts, &diag), -EINVAL, "B84: but not written");
        diag_done(&diag);
}

int main(void) {
        test_no_link();
        test_write();
        test_read();
        test_order();
        test_target();
        return done_testing();
}
