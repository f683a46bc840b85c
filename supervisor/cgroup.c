/* SPDX-License-Identifier: MIT */
/* The scope's cgroup and the leaf below it. Sources: the kernel's cgroup-v2.rst; systemd's
 * CGROUP_DELEGATION.md. */
#include "supervisor/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/str.h"

#define KEEPER_NAME "keeper"

int cgroup_check_mount(void) {
        struct statfs fs;

        if (statfs(CGROUP_ROOT, &fs) < 0)
                return -EOPNOTSUPP;
        return fs.f_type == CGROUP2_SUPER_MAGIC ? 0 : -EOPNOTSUPP;
}

/* The value of "KEY N" in the text of a flat-keyed cgroup file. */
static bool find_value(const char *text, const char *key, uint64_t *ret) {
        size_t length = strlen(key);

        for (const char *line = text; line; line = strchr(line, '\n')) {
                line += *line == '\n';
                if (strncmp(line, key, length) == 0 && line[length] == ' ')
                        return str_read_number(line + length, NULL, ret);
        }
        return false;
}

void cgroup_read_value(int dir_fd, const char *name, const char *key, uint64_t *ret) {
        char text[2048];

        if (fd_read_file(dir_fd, name, text, sizeof(text)) < 0)
                return;
        if (key[0])
                (void)find_value(text, key, ret); /* absent: stays unknown */
        else
                (void)str_read_number(text, NULL, ret); /* "max": stays unknown */
}

static int move_process(int scope_fd, const char *procs, pid_t pid) {
        char text[16];

        (void)snprintf(text, sizeof(text), "%d", (int)pid);
        return fd_write_file(scope_fd, procs, text);
}

/* Whether the blank-separated @list has @word. */
static bool has_word(const char *list, const char *word) {
        size_t length = strlen(word);

        for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
                if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
                        return true;
        return false;
}

/* One write for all controllers, but only of what is there: a missing one fails the whole write. */
static int enable_controllers(int scope_fd) {
        static const char *const wanted[] = { "cpu", "memory", "pids" };
        char available[256], line[64] = "";
        ssize_t n;

        n = fd_read_file(scope_fd, "cgroup.controllers", available, sizeof(available));
        if (n < 0)
                return (int)n;
        for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
                size_t used = strlen(line);

                if (has_word(available, wanted[i]))
                        (void)snprintf(line + used, sizeof(line) - used, "%s+%s", used ? " " : "",
                                       wanted[i]);
        }
        return line[0] ? fd_write_file(scope_fd, "cgroup.subtree_control", line) : 0;
}

static int set_up_leaf(int leaf_fd, uint64_t tasks_max) {
        char text[32];
        int r;

        r = fd_write_file(leaf_fd, "memory.oom.group", "1");
        if (r < 0 && r != -ENOENT)
                return r;
        /* Kernels before 6.11 count a refused fork in the forking task's own cgroup only. */
        (void)snprintf(text, sizeof(text), "%" PRIu64, tasks_max);
        r = fd_write_file(leaf_fd, "pids.max", text);
        return r == -ENOENT ? 0 : r;
}

int cgroup_divide(int scope_fd, pid_t keeper, pid_t worker, uint64_t tasks_max,
                  const char **reterr_what) {
        _cleanup_close_ int leaf_fd = -EBADF;
        int r;

        *reterr_what = "making the cgroups of the run";
        if (mkdirat(scope_fd, KEEPER_NAME, 0755) < 0 || mkdirat(scope_fd, CGROUP_LEAF, 0755) < 0)
                return -errno;
        leaf_fd = openat(scope_fd, CGROUP_LEAF, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (leaf_fd < 0)
                return -errno;
        /* Right after PID 1's own moves: one after idle time waits for an RCU period. */
        *reterr_what = "moving the keeper aside";
        r = move_process(scope_fd, KEEPER_NAME "/cgroup.procs", keeper);
        if (r < 0)
                return r;
        *reterr_what = "moving the worker into its cgroup";
        r = move_process(scope_fd, CGROUP_LEAF "/cgroup.procs", worker);
        if (r < 0)
                return r;
        /* After the moves: a cgroup that holds processes cannot hand controllers down. */
        *reterr_what = "enabling the cgroup controllers";
        r = enable_controllers(scope_fd);
        if (r < 0)
                return r;
        *reterr_what = "setting up the cgroup of the run";
        r = set_up_leaf(leaf_fd, tasks_max);
        return r < 0 ? r : TAKE_FD(leaf_fd);
}

int cgroup_populated(int leaf_fd) {
        char text[256];
        uint64_t populated = 0;
        ssize_t n;

        n = fd_read_file(leaf_fd, "cgroup.events", text, sizeof(text));
        if (n < 0)
                return (int)n;
        if (!find_value(text, "populated", &populated))
                return -EPROTO;
        return populated != 0;
}

uint64_t cgroup_count(int leaf_fd) {
        _cleanup_close_ int fd = openat(leaf_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
        uint64_t n_lines = 0;
        char buf[4096];
        ssize_t n;

        while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
                for (ssize_t i = 0; i < n; i++)
                        n_lines += buf[i] == '\n';
        return n_lines;
}

int cgroup_kill(int leaf_fd) {
        return fd_write_file(leaf_fd, "cgroup.kill", "1");
}

int cgroup_wait_empty(int leaf_fd, uint64_t deadline_usec) {
        _cleanup_close_ int fd = openat(leaf_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return errno == ENOENT || errno == ENODEV ? 0 : -errno;
        for (;;) {
                struct pollfd pfd = { .fd = fd, .events = POLLPRI };
                uint64_t now = clock_now_usec();
                int r;

                r = cgroup_populated(leaf_fd);
                if (r == -ENOENT || r == -ENODEV || r == 0)
                        return 0;
                if (r < 0)
                        return r;
                if (now >= deadline_usec)
                        return -ETIMEDOUT;
                /* The kernel holds a repeated notification back for up to 10 ms: look again sooner.
                 */
                (void)poll(&pfd, 1, MIN(clock_poll_timeout(deadline_usec), 3));
        }
}

void cgroup_read_oom(int scope_fd, Counters *c) {
        cgroup_read_value(scope_fd, "memory.events", "oom_kill", &c->n_oom_kills);
        /* Only an OOM that the scope's own limit caused is counted here; one of a slice or of the
         * host counts at that level. */
        cgroup_read_value(scope_fd, "memory.events.local", "oom", &c->n_oom_scope);
}

void cgroup_read_counters(int scope_fd, int leaf_fd, Counters *c) {
        uint64_t leaf_refused = COUNTER_UNKNOWN, scope_refused = COUNTER_UNKNOWN;
        uint64_t scope_peak = COUNTER_UNKNOWN;

        cgroup_read_value(leaf_fd, "cpu.stat", "usage_usec", &c->cpu_usec);
        cgroup_read_value(scope_fd, "cpu.stat", "nr_throttled", &c->n_throttled);
        cgroup_read_value(scope_fd, "cpu.stat", "throttled_usec", &c->throttled_usec);
        cgroup_read_value(leaf_fd, "memory.peak", "", &c->memory_peak_bytes);
        /* The leaf's peak also counts charges that the limit above it then refused; the scope's has
         * the keeper in it. Each is an upper bound. */
        cgroup_read_value(scope_fd, "memory.peak", "", &scope_peak);
        c->memory_peak_bytes = MIN(c->memory_peak_bytes, scope_peak);
        cgroup_read_value(leaf_fd, "pids.peak", "", &c->tasks_peak);
        cgroup_read_oom(scope_fd, c);
        cgroup_read_value(leaf_fd, "pids.events", "max", &leaf_refused);
        cgroup_read_value(scope_fd, "pids.events", "max", &scope_refused);
        if (leaf_refused != COUNTER_UNKNOWN)
                c->n_tasks_refused = scope_refused == COUNTER_UNKNOWN
                                             ? leaf_refused
                                             : MAX(leaf_refused, scope_refused);
}

void cgroup_read_usage(int scope_fd, CgroupUsage *ret) {
        *ret = (CgroupUsage){ COUNTER_UNKNOWN, COUNTER_UNKNOWN, COUNTER_UNKNOWN, COUNTER_UNKNOWN,
                              COUNTER_UNKNOWN };
        cgroup_read_value(scope_fd, CGROUP_LEAF "/memory.current", "", &ret->memory_bytes);
        cgroup_read_value(scope_fd, "memory.max", "", &ret->memory_max_bytes);
        cgroup_read_value(scope_fd, CGROUP_LEAF "/cpu.stat", "usage_usec", &ret->cpu_usec);
        cgroup_read_value(scope_fd, CGROUP_LEAF "/pids.current", "", &ret->n_tasks);
        cgroup_read_value(scope_fd, CGROUP_LEAF "/pids.max", "", &ret->tasks_max);
}

int cgroup_remove_leaf(int scope_fd) {
        return unlinkat(scope_fd, CGROUP_LEAF, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int cgroup_remove_scope(const char *path, int scope_fd) {
        _cleanup_free_ char *full = str_format("%s%s", CGROUP_ROOT, path);

        if (!full)
                return -ENOMEM;
        (void)cgroup_remove_leaf(scope_fd); /* the scope's own removal tells */
        (void)unlinkat(scope_fd, KEEPER_NAME, AT_REMOVEDIR);
        return rmdir(full) < 0 && errno != ENOENT ? -errno : 0;
}

bool cgroup_has_leaf(int scope_fd) {
        return faccessat(scope_fd, CGROUP_LEAF, F_OK, 0) == 0;
}

bool cgroup_climb(char *path) {
        char *slash = strrchr(path, '/');

        *slash = '\0';
        return slash > path + strlen(CGROUP_ROOT);
}
