/* SPDX-License-Identifier: MIT */
/* TAP on standard output, for unit and native tests. A main is: checks, then return done_testing();
 * Descriptions name the requirements and cases they prove: "S11 B29: 0 is refused". */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/base/base.h"

/* Prints the result of one check. Returns @condition. */
bool ok(bool condition, const char *format, ...) _printf_(2, 3);

/* Checks that @got is @wanted and says both if not. Returns whether it is. */
bool is_int(int64_t got, int64_t wanted, const char *format, ...) _printf_(3, 4);

/* The same for unsigned numbers, such as sizes and times. */
bool is_uint(uint64_t got, uint64_t wanted, const char *format, ...) _printf_(3, 4);

/* The same for strings. Either may be NULL. */
bool is_str(const char *got, const char *wanted, const char *format, ...) _printf_(3, 4);

/* Checks that @part stands in @text, which may be NULL. Returns whether it does. */
bool has_str(const char *text, const char *part, const char *format, ...) _printf_(3, 4);

/* Prints a check that cannot be made here. @feature: what is missing. With
 * CONFINE_TESTS_MUST_RUN=1 in the environment it counts as failed. */
void skip(const char *feature, const char *format, ...) _printf_(2, 3);

/* Prints a line for the reader of a failure. */
void diagnostic(const char *format, ...) _printf_(1, 2);

/* Ends the test program at once, as failed: what comes next makes no sense. */
_noreturn_ void bail_out(const char *format, ...) _printf_(1, 2);

/* Prints the plan. Returns the exit status of the test program: 0 if no check failed, else 1. */
int done_testing(void);
