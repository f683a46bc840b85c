/* SPDX-License-Identifier: MIT */
/* The base sets: what an ordinary program gets without asking, and what it must never get. */
#include "policy/baseset.h"

#include <string.h>

#include "supervisor/base/base.h"
#include "tests/unit/tap.h"

/* Whether an entry covers @path: it, or a directory above it. */
static bool covers(const BaseEntry *entry, const char *path) {
        size_t length = strlen(entry->path);

        return strncmp(entry->path, path, length) == 0 &&
               (path[length] == '\0' || path[length] == '/');
}

static const BaseEntry *find(const char *path) {
        size_t n;
        const BaseEntry *entries = baseset_entries(BASE_SYSTEM, &n);

        for (size_t i = 0; i < n; i++)
                if (covers(&entries[i], path))
                        return &entries[i];
        return NULL;
}

static void test_never(void) {
        static const char *const secret[] = {
                "/",
                "/etc",
                "/etc/shadow",
                "/etc/gshadow",
                "/etc/ssl/private",
                "/etc/ssh",
                "/root",
                "/home",
                "/proc",
                "/proc/self",
                "/proc/1",
                "/sys",
                "/run",
                "/var",
                "/tmp",
                "/dev",
                "/dev/pts",
                "/dev/shm",
                "/dev/mem",
                "/boot",
                "/etc/sudoers",
                "/proc/sys",
                "/sys/fs/cgroup",
                "/proc/kcore",
                "/proc/keys",
        };

        for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
                ok(!find(secret[i]), "P2: the base set does not cover %s", secret[i]);
}

static void test_always(void) {
        static const struct {
                const char *path;
                unsigned access;
                BaseNeed need;
        } rows[] = {
                { "/usr/bin/env", GRANT_EXEC, BASE_ALWAYS },
                { "/lib64", GRANT_EXEC, BASE_ALWAYS },
                { "/etc/ld.so.cache", GRANT_READ, BASE_ALWAYS },
                { "/etc/passwd", GRANT_READ, BASE_ALWAYS },
                { "/etc/resolv.conf", GRANT_READ, BASE_NETWORK },
                { "/etc/services", GRANT_READ, BASE_NETWORK },
                { "/dev/null", GRANT_WRITE, BASE_ALWAYS },
                { "/dev/urandom", GRANT_WRITE, BASE_ALWAYS },
                { "/dev/tty", GRANT_WRITE, BASE_TERMINAL },
                { "/proc/meminfo", GRANT_READ, BASE_ALWAYS },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const BaseEntry *entry = find(rows[i].path);

                ok(entry && entry->access == rows[i].access && entry->need == rows[i].need,
                   "%s is in the base set as it should be", rows[i].path);
        }
}

static void test_shape(void) {
        size_t n;
        const BaseEntry *entries = baseset_entries(BASE_SYSTEM, &n);

        for (size_t i = 0; i < n; i++)
                ok(entries[i].path[0] == '/' && !strstr(entries[i].path, "..") &&
                           (entries[i].access != GRANT_WRITE ||
                            covers(&(BaseEntry){ .path = "/dev" }, entries[i].path)),
                   "%s is absolute, and writable only below /dev", entries[i].path);
        ok(!baseset_entries(BASE_NONE, &n) && n == 0, "Base=none grants nothing");
        ok(!baseset_entries(_BASE_INVALID, &n) && n == 0, "an invalid set grants nothing");
}

int main(void) {
        test_never();
        test_always();
        test_shape();
        return done_testing();
}
