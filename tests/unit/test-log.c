/* SPDX-License-Identifier: MIT */
/* Messages: one line each, nothing in them that drives a terminal. B56 */
#include "supervisor/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <termios.h>

#include "supervisor/base/clock.h"
#include "tests/unit/tap.h"

/* What log_line() wrote for @text, in a static buffer. */
static const char *logged(const char *text) {
        static char buf[8192];
        int saved = dup(STDERR_FILENO), ends[2];
        ssize_t n;

        if (saved < 0 || pipe(ends) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
                return "";
        log_line("%s", text);
        (void)dup2(saved, STDERR_FILENO);
        (void)close(saved);
        (void)close(ends[1]);
        n = read(ends[0], buf, sizeof(buf) - 1);
        (void)close(ends[0]);
        buf[n > 0 ? n : 0] = '\0';
        return buf;
}

/* Leaves no room in the blocking @fd. */
static void fill(int fd) {
        struct pollfd pfd = { .fd = fd, .events = POLLOUT };
        static const char data[4096];

        if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
                bail_out("cannot fill: %m");
        do {
                while (write(fd, data, sizeof(data)) > 0)
                        ;
                while (write(fd, data, 1) > 0)
                        ;
        } while (poll(&pfd, 1, 200) > 0); /* a terminal hands on what it got a little later */
        (void)fcntl(fd, F_SETFL, 0);
}

/* A message to @fd ends, at the latest by its own deadline. */
static void test_stuck(int fd, const char *what) {
        uint64_t begin = clock_now_usec();
        int saved = dup(STDERR_FILENO);

        if (saved < 0 || dup2(fd, STDERR_FILENO) < 0)
                bail_out("dup: %m");
        log_line("%s", what);
        (void)dup2(saved, STDERR_FILENO);
        (void)close(saved);
        ok(clock_now_usec() - begin >= USEC_PER_SEC, "%s is waited for", what);
}

static int open_terminal(void) {
        int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC); /* open until the end */

        if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
                bail_out("no terminal: %m");
        return open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static void test_all_stuck(void) {
        int ends[2], terminal = open_terminal();

        (void)alarm(60); /* what waits for ever has failed */
        if (pipe2(ends, O_CLOEXEC) < 0)
                bail_out("pipe2: %m");
        fill(ends[1]);
        test_stuck(ends[1], "a full pipe");
        if (tcflow(terminal, TCOOFF) < 0)
                bail_out("tcflow: %m");
        test_stuck(terminal, "a stopped terminal");
        terminal = open_terminal();
        fill(terminal);
        test_stuck(terminal, "a terminal that nobody reads");
        (void)alarm(0);
}

int main(void) {
        char text[4096];

        is_str(logged("hello"), "confine: hello\n", "one line with the prefix");
        is_str(logged("a\nb\033]0;x\a"), "confine: a?b?]0;x?\n", "B56: control characters");
        is_str(logged("\xff\xc2\x9b"), "confine: ??\n", "B56: bytes that are no UTF-8, and C1");
        is_str(logged("gr\xc3\xbc\xc3\x9f"), "confine: gr\xc3\xbc\xc3\x9f\n", "UTF-8 stays");
        memset(text, 'x', sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        is_int((long)strlen(logged(text)), 2047, "a long message is cut, with its newline");
        errno = ENOENT;
        (void)logged("errno");
        is_int(errno, ENOENT, "errno is kept");
        test_all_stuck();
        return done_testing();
}
