/* SPDX-License-Identifier: MIT */
/* Where a process is in the cgroup hierarchy. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/cgroup.h"

/* Of a path in a message, which has room for the rest of it then. Older kernels tell none above
 * PATH_MAX, others cut it. */
#define TOLD_MAX 1024U
#define TOO_LONG "a cgroup whose path is too long to be told"

/* The v2 line of /proc/PID/cgroup, "0::/path"; lines of v1 hierarchies may stand before it. */
static int read_path(pid_t pid, char **ret) {
        char name[64], text[4096 + 1024], *line, *end;

        (void)snprintf(name, sizeof(name), "/proc/%d/cgroup", (int)pid);
        ssize_t n = fd_read_file(AT_FDCWD, name, text, sizeof(text));
        if (n < 0)
                return (int)n;
        line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
        if (!line)
                return -ENODATA;
        line = strstr(line, "0::") + 3;
        end = strchr(line, '\n');
        if (end)
                *end = '\0';
        *ret = strdup(line);
        return *ret ? 0 : -ENOMEM;
}

int cgroup_open_scope(pid_t pid, const char *unit, char **ret_path) {
        _cleanup_free_ char *path = NULL, *full = NULL;
        size_t path_length, unit_length = strlen(unit);
        int fd, r;

        r = read_path(pid, &path);
        if (r < 0 || !path)
                return r;
        path_length = strlen(path);
        if (path_length <= unit_length || path[path_length - unit_length - 1] != '/' ||
            strcmp(path + path_length - unit_length, unit) != 0) {
                *ret_path = TAKE_PTR(path);
                return -ESRCH;
        }
        if (asprintf(&full, "%s%s", CGROUP_ROOT, path) < 0) {
                full = NULL;
                return -ENOMEM;
        }
        fd = open(full, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
                return -errno;
        *ret_path = TAKE_PTR(path);
        return fd;
}

bool cgroup_has_process(const char *path, pid_t pid) {
        _cleanup_free_ char *found = NULL;

        return read_path(pid, &found) == 0 && found && strcmp(found, path) == 0;
}

/* Anybody whose tree it is may call a cgroup what /proc calls one that was removed. */
static bool is_removed(const char *path) {
        _cleanup_free_ char *full = str_format("%s%s", CGROUP_ROOT, path);

        return full && access(full, F_OK) < 0 && errno == ENOENT;
}

char *cgroup_find_moved(const char *scope, pid_t pid) {
        static const char deleted[] = " (deleted)";
        _cleanup_free_ char *found = NULL;
        size_t length = strlen(scope);
        char *end;
        int r;

        r = read_path(pid, &found);
        if (r == -ENAMETOOLONG || r == -E2BIG) /* that of the scope was not, when it was read */
                return strdup(TOO_LONG);
        if (r < 0 || !found)
                return NULL;
        end = strstr(found, deleted);
        if (end && end[strlen(deleted)] == '\0' && is_removed(found))
                *end = '\0';
        if (strncmp(found, scope, length) == 0 && strcmp(found + length, "/" CGROUP_LEAF) == 0)
                return NULL;
        return strlen(found) > TOLD_MAX ? strdup(TOO_LONG) : TAKE_PTR(found);
}
