/* SPDX-License-Identifier: MIT */
/* Taking a uid for a run of root. */
#include "supervisor/uids.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/slots.h"

#define LOCK_FILE "/run/confine/uids"
#define TRIES     16 /* with as many left by dead runs something else is wrong */

/* Whether the process @name of /proc has @uid in any way; "Uid:" is among the first lines. */
static bool process_has_uid(int proc_fd, const char *name, uid_t uid) {
        _cleanup_close_ int fd = -EBADF;
        char path[64], text[1024];
        const char *at;
        ssize_t n;

        (void)snprintf(path, sizeof(path), "%s/status", name);
        fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        text[MAX(n, 0)] = '\0';
        at = strstr(text, "\nUid:");
        if (!at)
                return false; /* it has ended */
        at += strlen("\nUid:");
        for (int i = 0; i < 4; i++) {
                uint64_t id;

                if (!str_read_number(at, &at, &id) || id == uid)
                        return true;
        }
        return false;
}

static bool uid_has_process(uid_t uid) {
        DIR *proc = opendir("/proc");
        const struct dirent *entry;
        bool found = false;

        if (!proc)
                return true; /* as far as anybody can tell */
        while (!found && (entry = readdir(proc)))
                found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
                        process_has_uid(dirfd(proc), entry->d_name, uid);
        (void)closedir(proc); /* it was only read */
        return found;
}

/* Each uid is marked while a run has it. A mark that is left tells of a run that did not come to
 * its end, of which something may still live: only then /proc is searched. */
int uids_take(const UidRange *range, uint32_t *ret_uid) {
        for (int i = 0; i < TRIES; i++) {
                _cleanup_close_ int fd = -EBADF;
                int r;

                fd = slot_take(LOCK_FILE, range->first, range->last - range->first + 1, ret_uid);
                if (fd < 0)
                        return fd;
                if (slot_is_marked(fd, *ret_uid) && uid_has_process(*ret_uid))
                        continue;
                r = slot_mark(fd, *ret_uid, true);
                return r < 0 ? r : TAKE_FD(fd);
        }
        return -EAGAIN;
}

void uids_release(int fd, uint32_t uid) {
        (void)slot_mark(fd, uid, false); /* a mark only costs time */
}

/* Puts in *@ret the ids that @line gives to the name it begins with, which is cut out. */
static bool read_ids(char *line, bool is_range, UidRange *ret) {
        const char *fields[3] = { NULL }; /* name; password or first; id or count */
        uint64_t first, last;
        char *rest = line;

        for (size_t i = 0; i < ARRAY_SIZE(fields) && rest; i++)
                fields[i] = strsep(&rest, ":\n");
        if (!fields[2] || !str_read_number(fields[2], NULL, &last))
                return false;
        first = last;
        if (is_range && (last == 0 || !str_read_number(fields[1], NULL, &first)))
                return false;
        if (is_range)
                last += first - 1;
        *ret = (UidRange){ (uint32_t)MIN(first, (uint64_t)UINT32_MAX),
                           (uint32_t)MIN(last, (uint64_t)UINT32_MAX) };
        return true;
}

static int check_file(const char *path, bool is_range, const UidRange *range, const char *origin,
                      Outcome *outcome) {
        _cleanup_fclose_ FILE *f = fopen(path, "re");
        _cleanup_free_ char *line = NULL;
        size_t size = 0;

        while (f && getline(&line, &size, f) > 0) {
                UidRange ids;

                if (read_ids(line, is_range, &ids) && ids.first <= range->last &&
                    ids.last >= range->first)
                        return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                            "UIDRange=%u-%u (%s) has %u in it, which '%s' gives to "
                                            "'%s': write a range that nobody uses",
                                            range->first, range->last, origin,
                                            MAX(ids.first, range->first), path, line);
        }
        return 0;
}

int uids_check(const UidRange *range, const char *origin, Outcome *outcome) {
        static const struct {
                char path[12];
                bool is_range;
        } files[] = {
                { "/etc/passwd", false },
                { "/etc/group", false },
                { "/etc/subuid", true },
                { "/etc/subgid", true },
        };

        for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
                int r;

                r = check_file(files[i].path, files[i].is_range, range, origin, outcome);
                if (r < 0)
                        return r;
        }
        return 0;
}
