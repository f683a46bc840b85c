/* SPDX-License-Identifier: MIT */
/* Attacks on files: around the paths that Landlock decides about, on what it does not decide about,
 * and races with both. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "attacks.h"

#define ROUNDS 1000
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE 2
#endif

/* Closes @fd; @r was what came of it. */
static int closing(int fd, int r) {
        if (fd >= 0)
                (void)close(fd);
        return r;
}

static int tried(int fd) {
        return closing(fd, result(fd));
}

static int read_path(const Scene *scene UNUSED, const char *path) {
        return tried(open(path, O_RDONLY | O_CLOEXEC));
}

static int write_path(const Scene *scene UNUSED, const char *path) {
        return tried(open(path, O_WRONLY | O_CLOEXEC));
}

static int truncate_path(const Scene *scene UNUSED, const char *path) {
        return result(truncate(path, 5));
}

static int open_truncated(const Scene *scene UNUSED, const char *path) {
        return tried(open(path, O_RDONLY | O_TRUNC | O_CLOEXEC));
}

/* ---- from one side to the other */

static int rename_in(const Scene *scene UNUSED, const char *path) {
        if (rename(path, "write/moved") < 0)
                return errno;
        return result(rename("write/moved", path));
}

static int rename_out(const Scene *scene UNUSED, const char *path) {
        if (rename(path, "scene/moved") < 0)
                return errno;
        return result(rename("scene/moved", path));
}

static int link_in(const Scene *scene UNUSED, const char *path) {
        if (link(path, "write/linked") < 0)
                return errno;
        return result(unlink("write/linked"));
}

static int exchange(const Scene *scene UNUSED, const char *path) {
        if (syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, "write/file", RENAME_EXCHANGE) < 0)
                return errno;
        return result(
                syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, "write/file", RENAME_EXCHANGE));
}

static int symlink_out(const Scene *scene, const char *target) {
        int r;

        if (symlink(target, "write/planted") < 0)
                return errno;
        r = read_path(scene, "write/planted");
        (void)unlink("write/planted");
        return r;
}

/* ---- descriptors that Landlock does not mediate: O_PATH, and what /proc makes of descriptors */

static int reopen(int fd, int flags) {
        char path[32];

        if (fd < 0)
                return EPROTO;
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        return closing(fd, tried(open(path, flags | O_CLOEXEC)));
}

static int reopen_opath(const Scene *scene UNUSED, const char *path) {
        return reopen(open(path, O_PATH | O_CLOEXEC), O_RDONLY);
}

static int reopen_for_write(const Scene *scene UNUSED, const char *path) {
        return reopen(open(path, O_RDONLY | O_CLOEXEC), O_RDWR);
}

static int open_below_opath(const Scene *scene UNUSED, const char *directory) {
        int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

        return fd < 0 ? EPROTO : closing(fd, tried(openat(fd, "secret", O_RDONLY | O_CLOEXEC)));
}

static int open_below_cwd(const Scene *scene UNUSED, const char *directory) {
        int home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC), r;

        if (home < 0 || chdir(directory) < 0)
                return EPROTO;
        r = tried(open("secret", O_RDONLY | O_CLOEXEC));
        return closing(home, fchdir(home) < 0 ? EPROTO : r);
}

/* A directory that is moved away while a descriptor stands in it. */
static int open_above_moved(const Scene *scene UNUSED, const char *path) {
        int fd = open("write/a/deep", O_PATH | O_DIRECTORY | O_CLOEXEC), r;

        if (fd < 0 || rename("write/a/deep", "write/deep") < 0)
                return EPROTO;
        r = closing(fd, tried(openat(fd, path, O_RDONLY | O_CLOEXEC)));
        return rename("write/deep", "write/a/deep") < 0 ? EPROTO : r;
}

/* ---- metadata */

static int change_mode(const Scene *scene UNUSED, const char *path) {
        return result(chmod(path, 0600));
}

static int change_mode_flags(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_PATH | O_CLOEXEC);

        return closing(fd, result(syscall(SYS_fchmodat2, fd, "", 0600, AT_EMPTY_PATH)));
}

static int change_mode_read_only(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        return fd < 0 ? EPROTO : closing(fd, result(fchmod(fd, 0644)));
}

static int change_mode_by_proc(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_PATH | O_CLOEXEC);
        char link[32];

        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        return closing(fd, result(chmod(link, 0600)));
}

static int change_owner(const Scene *scene UNUSED, const char *path) {
        return result(chown(path, getuid(), getgid()));
}

static int change_times(const Scene *scene UNUSED, const char *path) {
        return result(utimensat(AT_FDCWD, path, NULL, 0));
}

static int change_times_read_only(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        return fd < 0 ? EPROTO : closing(fd, result(futimens(fd, NULL)));
}

static int set_attribute(const Scene *scene UNUSED, const char *path) {
        return result(setxattr(path, "user.attack", "x", 1, 0));
}

static int remove_attribute(const Scene *scene UNUSED, const char *path) {
        if (removexattr(path, "user.scene") < 0)
                return errno;
        return result(setxattr(path, "user.scene", "x", 1, 0));
}

static int make_device(const Scene *scene UNUSED, const char *path) {
        if (mknod(path, S_IFCHR | 0600, 0x0103 /* /dev/null */) < 0)
                return errno;
        return result(unlink(path));
}

/* ---- races */

typedef struct Race {
        pthread_t thread;
        const char *one, *other;
        unsigned flags; /* of renameat2 */
        atomic_bool over;
} Race;

static void *race_main(void *argument) {
        Race *race = argument;

        while (!atomic_load(&race->over)) {
                (void)syscall(SYS_renameat2, AT_FDCWD, race->one, AT_FDCWD, race->other,
                              race->flags);
                (void)syscall(SYS_renameat2, AT_FDCWD, race->other, AT_FDCWD, race->one,
                              race->flags);
        }
        return NULL;
}

/* Whether the file behind @path is the neighbour's; it may just as well be ours, or none. */
static int read_secret(const char *path) {
        char text[sizeof(SECRET)] = "";
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        if (fd < 0)
                return errno;
        if (read(fd, text, sizeof(text) - 1) < 0)
                text[0] = '\0';
        (void)close(fd);
        return strcmp(text, SECRET) == 0 ? 0 : ENOENT;
}

/* Opens @path while another thread moves a part of it. EACCES was met, and the secret never. */
static int race(Race *race, const char *path) {
        int met = ENOENT;

        if (pthread_create(&race->thread, NULL, race_main, race) != 0)
                return EPROTO;
        for (int i = 0; met != 0 && (i < ROUNDS || met == ENOENT) && i < 100 * ROUNDS; i++) {
                int r = read_secret(path);

                if (r != ENOENT)
                        met = r;
        }
        atomic_store(&race->over, 1);
        (void)pthread_join(race->thread, NULL);
        return met;
}

/* write/swap, which has a file of the same name, against a link to scene/. */
static int race_link(const Scene *scene UNUSED, const char *path) {
        Race swap = { .one = "write/swap", .other = "write/link", .flags = RENAME_EXCHANGE };

        return race(&swap, path);
}

/* A ".." that leads elsewhere after a move. */
static int race_parent(const Scene *scene UNUSED, const char *path) {
        Race move = { .one = "write/a/deep", .other = "write/deep" };

        return race(&move, path);
}

/* ---- disclosed */

static int look_at(const Scene *scene UNUSED, const char *path) {
        struct stat st;

        return result(stat(path, &st));
}

static int lock_read_only(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        return fd < 0 ? EPROTO : closing(fd, result(flock(fd, LOCK_EX | LOCK_NB)));
}

/* clang-format off */
const Attack attacks_files[] = {
        { "dot-dot", "P5", "out of a read grant by ..", read_path, "read/../scene/secret", 0, EACCES, 0 },
        { "root-link", "P5", "a file of the host by /proc/self/root", read_path, "/proc/self/root/etc/machine-id", 0, EACCES, 0 },
        { "cwd-link", "P5", "the secret by /proc/self/cwd", read_path, "/proc/self/cwd/scene/secret", 0, EACCES, 0 },
        { "write-read-grant", "P5 B74", "writing what may be read", write_path, "read/file", 0, EACCES, 0 },
        { "truncate-outside", "P5 B74", "truncate outside", truncate_path, "scene/file", 0, EACCES, 0 },
        { "truncate-read-grant", "P5 B74", "truncate of what may be read", truncate_path, "read/file", 0, EACCES, 0 },
        { "open-truncated", "P5 B74", "O_RDONLY|O_TRUNC of what may be read", open_truncated, "read/empty", 0, EACCES, 0 },
        { "rename-in", "P5 B70", "a file from outside renamed into a write grant", rename_in, "scene/file", 0, EACCES, 0 },
        { "rename-in-read", "P5 B70", "one from a read grant", rename_in, "read/file", 0, EACCES, 0 },
        { "rename-out", "P5 B70", "a file renamed out of a write grant", rename_out, "write/file", 0, EACCES, 0 },
        { "link-in", "P5 B70", "a hard link into a write grant", link_in, "scene/secret", 0, EXDEV, 0 },
        { "exchange", "P5 B70", "RENAME_EXCHANGE across the border", exchange, "scene/file", 0, EACCES, 0 },
        { "symlink-out", "B84", "a link in a write grant that leads out", symlink_out, "../scene/secret", 0, EACCES, 0 },
        { "symlink-planted", "B84", "a link in a read grant that leads out", read_path, "read/out/secret", 0, EACCES, 0 },
        { "reopen-opath", "P5", "a descriptor of O_PATH opened again by /proc", reopen_opath, "scene/secret", 0, EACCES, 0 },
        { "reopen-for-write", "P5", "one for reading opened again for writing", reopen_for_write, "read/file", 0, EACCES, 0 },
        { "below-opath", "P5", "openat below a directory of O_PATH", open_below_opath, "scene", 0, EACCES, 0 },
        { "below-cwd", "P5", "open below a changed working directory", open_below_cwd, "scene", 0, EACCES, 0 },
        { "above-moved", "P5 B84", ".. of a directory that was moved", open_above_moved, "../../scene/secret", 0, EACCES, 0 },
        { "chmod", "B76", "chmod outside", change_mode, "scene/file", 0, EPERM, 0 },
        { "fchmodat2", "B76", "chmod of a descriptor of O_PATH", change_mode_flags, "scene/file", 0, EPERM, 0 },
        { "fchmod", "B76", "chmod of what may be read", change_mode_read_only, "read/file", 0, EPERM, 0 },
        { "chmod-by-proc", "B76", "chmod by /proc/self/fd", change_mode_by_proc, "scene/file", 0, EPERM, 0 },
        { "chown", "B76", "chown outside", change_owner, "scene/file", 0, EPERM, 0 },
        { "utimensat", "B76", "utime outside", change_times, "scene/file", 0, EPERM, 0 },
        { "futimens", "B76", "utime of what may be read", change_times_read_only, "read/file", 0, EPERM, 0 },
        { "setxattr", "B76", "setxattr outside", set_attribute, "scene/file", 0, EPERM, 0 },
        { "removexattr", "B76", "removexattr outside", remove_attribute, "scene/file", 0, EPERM, 0 },
        { "mknod", "P11", "a device node in a write grant", make_device, "write/device", 0, EPERM, ROOT },
        { "race-link", "P5 B84", "1000 opens of a path that becomes a link out", race_link, "write/swap/secret", 0, EACCES, 0 },
        { "race-parent", "P5 B84", "1000 opens of a path whose .. moves", race_parent, "write/deep/../../scene/secret", 0, EACCES, 0 },
        { "stat", "P22 B77", "disclosed: stat anywhere", look_at, "scene/secret", 0, 0, 0 },
        { "flock", "P22 B97", "disclosed: flock of what may be read", lock_read_only, "read/file", 0, 0, 0 },
};
/* clang-format on */
const size_t n_attacks_files = COUNT(attacks_files);
