/* SPDX-License-Identifier: MIT */
/* Confine's own messages on stderr. Who may print is decided above: verbs only. */
#include "supervisor/base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/clock.h"
#include "supervisor/base/str.h"

#define LINE_MAX_BYTES 2048
#define WAIT_USEC      (1 * USEC_PER_SEC)

/* What a program left of stderr, a terminal that it stopped or a pipe that it filled, must not hold
 * confine up. A terminal can be short of room for a whole line: it is opened once more, so as not
 * to change the flags of the caller's. */
static void write_line(const char *line, size_t length) {
        _cleanup_close_ int terminal = -EBADF;

        if (isatty(STDERR_FILENO))
                terminal = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        (void)fd_write_until(terminal >= 0 ? terminal : STDERR_FILENO, line, length,
                             clock_now_usec() + WAIT_USEC); /* nobody to tell */
}

void log_line(const char *format, ...) {
        char line[LINE_MAX_BYTES] = "confine: ";
        size_t prefix = strlen(line), length;
        int saved = errno;
        va_list ap;
        int r;

        va_start(ap, format);
        r = vsnprintf(line + prefix, sizeof(line) - prefix - 1, format, ap);
        va_end(ap);
        if (r < 0)
                return;
        length = MIN(prefix + (size_t)r, sizeof(line) - 2);
        /* What a program or a file chose must not drive the admin's terminal. */
        line[length] = '\0';
        str_make_printable(line);
        length = strlen(line);
        line[length++] = '\n';
        write_line(line, length);
        errno = saved;
}
