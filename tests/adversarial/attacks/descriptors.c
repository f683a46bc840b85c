/* SPDX-License-Identifier: MIT */
/* Attacks by descriptors that a confederate outside hands in over standard input, and by the
 * terminal that the caller lends. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "attacks.h"

static int closed(int fd, long r) {
        int met = result(r);

        if (fd >= 0)
                (void)close(fd);
        return met;
}

/* What was handed in may be used; it must not lead on to what is behind it. @what: see scene_fd().
 */
static int open_below(const Scene *scene, const char *what) {
        int fd = scene_fd(scene, what[0]), below;

        if (fd < 0)
                return EPROTO;
        below = openat(fd, "secret", O_RDONLY | O_CLOEXEC);
        (void)close(fd);
        return closed(below, below);
}

static int create_below(const Scene *scene, const char *what) {
        int fd = scene_fd(scene, what[0]), r;

        if (fd < 0)
                return EPROTO;
        r = mkdirat(fd, "made", 0700);
        if (r == 0)
                r = unlinkat(fd, "made", AT_REMOVEDIR);
        return closed(fd, r);
}

static int reopen_for_write(const Scene *scene, const char *what) {
        int fd = scene_fd(scene, what[0]), again;
        char path[32];

        if (fd < 0)
                return EPROTO;
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        again = open(path, O_RDWR | O_CLOEXEC);
        (void)closed(fd, 0);
        return closed(again, again);
}

static int change_mode(const Scene *scene, const char *what) {
        int fd = scene_fd(scene, what[0]);

        return fd < 0 ? EPROTO : closed(fd, fchmod(fd, 0600));
}

static int link_in(const Scene *scene, const char *what) {
        int fd = scene_fd(scene, what[0]), r;
        char path[32];

        if (fd < 0)
                return EPROTO;
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        r = linkat(AT_FDCWD, path, AT_FDCWD, "write/linked", AT_SYMLINK_FOLLOW);
        if (r == 0)
                r = unlink("write/linked");
        return closed(fd, r);
}

static int list(const Scene *scene, const char *what) {
        int fd = scene_fd(scene, what[0]);
        char entries[1024];

        return fd < 0 ? EPROTO : closed(fd, syscall(SYS_getdents64, fd, entries, sizeof(entries)));
}

/* ---- the terminal that standard error is: B54, B55 */

static int ask_terminal(uint64_t request) {
        char byte[64] = "#";

        return result(syscall(SYS_ioctl, STDERR_FILENO, request, byte));
}

static int type(const Scene *scene UNUSED, const char *argument) {
        return ask_terminal(0x5412 /* TIOCSTI */ | (argument[0] == 'h' ? HIGH : 0));
}

static int type_by_name(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);

        return fd < 0 ? EPROTO : closed(fd, ioctl(fd, 0x5412 /* TIOCSTI */, "#"));
}

static int paste(const Scene *scene UNUSED, const char *argument) {
        return ask_terminal(0x541c /* TIOCLINUX */ | (argument[0] == 'h' ? HIGH << 31 : 0));
}

static int set_discipline(const Scene *scene UNUSED, const char *argument UNUSED) {
        int number = 0;

        return result(ioctl(STDERR_FILENO, 0x5423 /* TIOCSETD */, &number));
}

static int lose_terminal(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(ioctl(STDERR_FILENO, 0x5422 /* TIOCNOTTY */, 0));
}

/* The kernel would send SIGIO to the foreground group. Taken back at once. */
static int signal_on_input(const Scene *scene UNUSED, const char *with) {
        int on = 1, off = 0, flags = fcntl(STDERR_FILENO, F_GETFL), r;

        if (with[0] == 'i') {
                r = result(ioctl(STDERR_FILENO, 0x5452 /* FIOASYNC */, &on));
                (void)ioctl(STDERR_FILENO, 0x5452 /* FIOASYNC */, &off);
                return r;
        }
        r = result(fcntl(STDERR_FILENO, F_SETFL, flags | O_ASYNC));
        (void)fcntl(STDERR_FILENO, F_SETFL, flags);
        return r;
}

static int open_terminal(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);

        return closed(fd, fd);
}

/* clang-format off */
const Attack attacks_descriptors[] = {
        { "handed-directory", "P5", "a file below a directory that was handed in", open_below, "d", 0, EACCES, 0 },
        { "handed-opath", "P5", "the same with O_PATH", open_below, "o", 0, EACCES, 0 },
        { "handed-mkdir", "P5", "a directory below it", create_below, "d", 0, EACCES, 0 },
        { "handed-reopen", "P5", "a file that was handed in, opened for writing", reopen_for_write, "f", 0, EACCES, 0 },
        { "handed-chmod", "B76", "chmod of it", change_mode, "f", 0, EPERM, 0 },
        { "handed-link", "P5 B70", "a hard link of it into a write grant", link_in, "f", 0, EXDEV, 0 },
        { "handed-list", "P22", "disclosed: listing a directory that was handed in", list, "d", 0, 0, 0 },
        { "tiocsti", "P11 B54", "typing into the terminal", type, "", 0, EPERM, TERMINAL },
        { "tiocsti-high", "P11 B54", "the same with a high bit", type, "h", 0, EPERM, TERMINAL },
        { "tiocsti-tty", "P11 B54", "the same by /dev/tty", type_by_name, "/dev/tty", 0, EPERM, TERMINAL },
        { "tioclinux", "P11 B55", "pasting into the terminal", paste, "", ENOTTY, EPERM, TERMINAL },
        { "tioclinux-high", "P11 B55", "the same with a high bit", paste, "h", ENOTTY, EPERM, TERMINAL },
        { "tiocsetd", "P11", "another line discipline", set_discipline, "", 0, EPERM, TERMINAL },
        { "tiocnotty", "P11", "leaving the terminal", lose_terminal, "", 0, EPERM, TERMINAL },
        { "o-async", "P11 B59", "a signal for whoever has the terminal", signal_on_input, "f", 0, EPERM, TERMINAL },
        { "fioasync", "P11 B59", "the same by FIOASYNC", signal_on_input, "i", 0, EPERM, TERMINAL },
        { "ptmx", "P5", "a terminal of its own", open_terminal, "/dev/ptmx", 0, EACCES, 0 },
};
/* clang-format on */
const size_t n_attacks_descriptors = COUNT(attacks_descriptors);
