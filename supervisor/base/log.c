/* SPDX-License-Identifier: MIT */
/* Confine's own messages on stderr. Who may print is decided above: verbs only. */
#include "supervisor/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/str.h"

#define LINE_MAX_BYTES 2048

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
        (void)fd_write_all(STDERR_FILENO, line, length); /* stderr gone: nobody to tell */
        errno = saved;
}
