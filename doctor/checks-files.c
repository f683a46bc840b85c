/* SPDX-License-Identifier: MIT */
/* The interpreter that scripts get, and the files that decide what is enforced. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/checks-internal.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"

#define VERSION_USEC USEC_PER_SEC

/* The first python3 in PATH. Returns whether there is one. */
static bool find_python(char file[static PATH_MAX]) {
        const char *path = getenv("PATH");
        struct stat st;

        for (path = path ? path : "/usr/bin:/bin"; *path; path += strspn(path, ":")) {
                int length = (int)strcspn(path, ":");

                (void)snprintf(file, PATH_MAX, "%.*s/python3", length, path);
                path += length;
                if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
                        return true;
        }
        return false;
}

static _Noreturn void say_version(const char *file, int out) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);

        if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0 &&
            dup2(out, STDOUT_FILENO) >= 0)
                (void)execl(file, file, "--version", NULL);
        _exit(127);
}

/* Reads from @fd what is written to it in time, until its end. */
static void read_answer(int fd, char *buf, size_t size) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), VERSION_USEC);
        size_t length = 0;
        ssize_t n = 1;

        while (n > 0 && length + 1 < size) {
                struct pollfd pfd = { .fd = fd, .events = POLLIN };

                if (poll(&pfd, 1, clock_poll_timeout(deadline)) <= 0)
                        break;
                n = read(fd, buf + length, size - length - 1);
                length += n > 0 ? (size_t)n : 0;
        }
        buf[length] = '\0';
        buf[strcspn(buf, "\n")] = '\0';
}

/* What @file says when it is asked for its version: links and shims do not tell. */
static int ask_version(const char *file, char *buf, size_t size) {
        _cleanup_close_ int in = -EBADF, out = -EBADF, pidfd = -EBADF;
        const CloneArgs args = {
                .flags = CLONE_PIDFD,
                .pidfd = (uint64_t)(uintptr_t)&pidfd,
                .exit_signal = SIGCHLD,
        };
        siginfo_t info;
        int ends[2];
        pid_t pid;

        if (pipe2(ends, O_CLOEXEC) < 0)
                return -errno;
        in = ends[0];
        out = ends[1];
        pid = kernel_clone3(&args);
        if (pid < 0)
                return pid;
        if (pid == 0)
                say_version(file, out);
        (void)fd_close(TAKE_FD(out));
        read_answer(in, buf, size);
        (void)kernel_pidfd_send_signal(pidfd, SIGKILL);
        (void)kernel_pidfd_wait(pidfd, &info, WEXITED);
        return strncmp(buf, "Python 3.", 9) == 0 ? 0 : -EPROTO;
}

void check_python(const Host *host _unused_, Finding *ret) {
        _cleanup_free_ char *real = NULL;
        char file[PATH_MAX], version[64] = "";

        if (!find_python(file))
                return finding_failed(
                        ret, "install python3, or say -p Interpreter=", "no python3 in PATH");
        real = realpath(file, NULL);
        if (ask_version(file, version, sizeof(version)) < 0)
                return finding_failed(ret,
                                      "see what 'python3 --version' says, install python3, or say "
                                      "-p Interpreter=",
                                      "'%.150s' does not say its version", file);
        finding_good(ret, "%s: %.100s is %.150s", version, file, real ? real : file);
}

/* Whether only root can change @path. */
static bool is_safe(const char *path, const struct stat *st, Finding *ret) {
        if (st->st_uid == 0 && (!(st->st_mode & (S_IWGRP | S_IWOTH)) || S_ISLNK(st->st_mode)))
                return true;
        finding_failed(ret, "chown root: it, and chmod go-w it", "'%s' is uid %u's, mode %04o",
                       path, (unsigned)st->st_uid, (unsigned)st->st_mode & 07777);
        return false;
}

/* What is read for each run, and what the manual sends to: all of it, since each one counts. */
void check_files(const Host *host _unused_, Finding *ret) {
        static const char patterns[][32] = {
                "/etc/confine",       "/etc/confine/*",       "/etc/confine/*/*",
                "/usr/share/confine", "/usr/share/confine/*", "/usr/share/confine/*/*",
        };
        _cleanup_(globfree) glob_t found = { 0 };
        char program[PATH_MAX];
        struct stat st;
        ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

        if (length < 0 || stat("/proc/self/exe", &st) < 0)
                return finding_note(ret, "", "the program cannot be looked at: %s",
                                    strerror(errno));
        program[length] = '\0';
        if (!is_safe(program, &st, ret))
                return;
        for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
                (void)glob(patterns[i], GLOB_NOSORT | (i > 0 ? GLOB_APPEND : 0), NULL, &found);
        for (size_t i = 0; i < found.gl_pathc; i++)
                if (stat(found.gl_pathv[i], &st) == 0 && !is_safe(found.gl_pathv[i], &st, ret))
                        return;
        finding_good(ret, "only root can change them");
}
