/* SPDX-License-Identifier: MIT */
/* From a path to the whole disk behind it, by /sys/dev/block. */
#include "supervisor/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "supervisor/base/base.h"
#include "supervisor/base/fd.h"
#include "supervisor/base/str.h"

#define DEPTH_MAX 8U /* of device mapper on device mapper */

/* Reads a file "dev" of sysfs, "MAJOR:MINOR\n". Returns 0 or a negative errno. */
static int read_number(const char *path, char ret[static DISK_SIZE]) {
        ssize_t n = fd_read_file(AT_FDCWD, path, ret, DISK_SIZE);

        if (n < 0)
                return (int)n;
        ret[strcspn(ret, "\n")] = '\0';
        return ret[0] ? 0 : -ENODEV;
}

/* The one device below @number, in its place. Returns whether there was one. */
static bool go_below(char number[static DISK_SIZE]) {
        _cleanup_(globfree) glob_t found = { 0 };
        char pattern[64];

        (void)snprintf(pattern, sizeof(pattern), "/sys/dev/block/%s/slaves/*/dev", number);
        return glob(pattern, GLOB_NOSORT, NULL, &found) == 0 && found.gl_pathc == 1 &&
               read_number(found.gl_pathv[0], number) == 0;
}

int disk_find(const char *path, char ret[static DISK_SIZE]) {
        char place[64];
        struct stat st;
        dev_t device;
        unsigned depth = 0;

        if (stat(path, &st) < 0)
                return -errno;
        device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
        if (major(device) == 0)
                return -ENODEV;
        (void)snprintf(ret, DISK_SIZE, "%u:%u", major(device), minor(device));
        while (go_below(ret))
                if (++depth == DEPTH_MAX)
                        return -ELOOP;
        (void)snprintf(place, sizeof(place), "/sys/dev/block/%s/partition", ret);
        if (access(place, F_OK) < 0)
                return 0;
        (void)snprintf(place, sizeof(place), "/sys/dev/block/%s/../dev", ret);
        return read_number(place, ret);
}

/* A disk without any limit has no line. */
uint64_t disk_limit(const char *io_max, const char *disk, const char *word) {
        size_t n = strlen(disk);
        uint64_t found;

        for (const char *line = io_max; line; line = strchr(line, '\n')) {
                const char *at;

                line += *line == '\n';
                if (strncmp(line, disk, n) != 0 || line[n] != ' ')
                        continue;
                at = strstr(line, word);
                return at && at < line + strcspn(line, "\n") &&
                                       str_read_number(at + strlen(word), NULL, &found)
                               ? found
                               : UINT64_MAX;
        }
        return UINT64_MAX;
}
