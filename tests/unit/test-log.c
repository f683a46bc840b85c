/* SPDX-License-Identifier: MIT */
/* Messages: one line each, nothing in them that drives a terminal. B56 */
#include "supervisor/base/log.h"

#include <errno.h>
#include <string.h>

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
        return done_testing();
}
