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

/* All of it, as confine(1) tells it: what is added here is added for every run of every host. */
static void test_exact(void) {
        static const struct {
                unsigned access;
                BaseNeed need;
                const char *directory;
                const char *names; /* each with a blank behind it */
        } lists[] = {
                { GRANT_EXEC, BASE_ALWAYS, "/", "usr bin sbin lib lib32 lib64 libx32 " },
                { GRANT_READ, BASE_ALWAYS, "/etc/",
                  "ld.so.cache ld.so.conf ld.so.conf.d ld.so.preload nsswitch.conf host.conf hosts "
                  "passwd group localtime timezone locale.alias locale.conf locale.gen mime.types "
                  "python3.10/sitecustomize.py python3.11/sitecustomize.py "
                  "python3.12/sitecustomize.py python3.13/sitecustomize.py "
                  "python3.14/sitecustomize.py os-release debian_version alternatives ssl/certs "
                  "ssl/openssl.cnf ca-certificates " },
                { GRANT_READ, BASE_NETWORK, "/etc/", "resolv.conf services protocols " },
                { GRANT_READ, BASE_ALWAYS, "/sys/", "devices/system/cpu " },
                { GRANT_READ, BASE_ALWAYS, "/proc/",
                  "cpuinfo meminfo stat loadavg filesystems sys/kernel/osrelease "
                  "sys/kernel/ngroups_max sys/kernel/cap_last_cap sys/vm/overcommit_memory " },
                { GRANT_WRITE, BASE_ALWAYS, "/dev/", "null zero full random urandom " },
                { GRANT_WRITE, BASE_TERMINAL, "/dev/", "tty " },
        };
        size_t n, n_wanted = 0;
        const BaseEntry *entries = baseset_entries(BASE_SYSTEM, &n);

        for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
                for (const char *name = lists[i].names, *end; (end = strchr(name, ' '));
                     name = end + 1) {
                        char path[64];
                        size_t n_found = 0;

                        (void)snprintf(path, sizeof(path), "%s%.*s", lists[i].directory,
                                       (int)(end - name), name);
                        for (size_t j = 0; j < n; j++)
                                n_found += strcmp(entries[j].path, path) == 0 &&
                                           entries[j].access == lists[i].access &&
                                           entries[j].need == lists[i].need;
                        is_uint(n_found, 1, "%s is in the base set, once", path);
                        n_wanted++;
                }
        is_uint(n, n_wanted, "and nothing else");
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
        test_exact();
        test_shape();
        return done_testing();
}
