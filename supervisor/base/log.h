/* SPDX-License-Identifier: MIT */
/* Confine's own messages: one line on stderr, "confine: what 'object': exact fix". */
#pragma once

#include <stdbool.h>

#include "supervisor/base/base.h"

/* Prints one line on stderr with one write(2), so that lines of parallel runs do not mix. Gives up
 * after a second if nobody makes room for it. Control
 * characters become '?', lines end at 2 KiB. %m prints errno. Keeps errno. */
void log_line(const char *format, ...) _printf_(1, 2);
