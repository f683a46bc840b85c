/* SPDX-License-Identifier: MIT */
/* TAP on standard output. Lines are flushed one by one, so that a crash loses nothing and a forked
 * child prints nothing twice. */
#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/str.h"

static struct {
        unsigned n_run;
        unsigned n_failed;
} tap; /* a test program is one run: the only mutable global of the tree */

/* Descriptions may hold what a test feeds in: shown harmless, on one line, without TAP's "#". */
static void _printf_(1, 0) print_description(const char *format, va_list args) {
        char text[256];

        (void)vsnprintf(text, sizeof(text), format, args);
        str_make_printable(text);
        for (char *c = text; *c != '\0'; c++)
                if (*c == '#')
                        *c = '+';
        (void)printf("%s", text);
}

static bool _printf_(2, 0) report(bool condition, const char *format, va_list args) {
        tap.n_run++;
        tap.n_failed += !condition;
        (void)printf("%sok %u - ", condition ? "" : "not ", tap.n_run);
        print_description(format, args);
        (void)printf("\n");
        (void)fflush(stdout);
        return condition;
}

bool ok(bool condition, const char *format, ...) {
        va_list args;

        va_start(args, format);
        (void)report(condition, format, args);
        va_end(args);
        return condition;
}

bool is_int(int64_t got, int64_t wanted, const char *format, ...) {
        va_list args;

        va_start(args, format);
        (void)report(got == wanted, format, args);
        va_end(args);
        if (got != wanted)
                diagnostic("got %" PRId64 ", wanted %" PRId64, got, wanted);
        return got == wanted;
}

bool is_uint(uint64_t got, uint64_t wanted, const char *format, ...) {
        va_list args;

        va_start(args, format);
        (void)report(got == wanted, format, args);
        va_end(args);
        if (got != wanted)
                diagnostic("got %" PRIu64 ", wanted %" PRIu64, got, wanted);
        return got == wanted;
}

static const char *or_null(const char *text) {
        return text ? text : "(null)";
}

bool is_str(const char *got, const char *wanted, const char *format, ...) {
        bool same = got && wanted ? strcmp(got, wanted) == 0 : got == wanted;
        va_list args;

        va_start(args, format);
        (void)report(same, format, args);
        va_end(args);
        if (!same)
                diagnostic("got '%s', wanted '%s'", or_null(got), or_null(wanted));
        return same;
}

bool has_str(const char *text, const char *part, const char *format, ...) {
        bool there = text && strstr(text, part);
        va_list args;

        va_start(args, format);
        (void)report(there, format, args);
        va_end(args);
        if (!there)
                diagnostic("'%s' is not in '%s'", part, or_null(text));
        return there;
}

void skip(const char *feature, const char *format, ...) {
        const char *must_run = getenv("CONFINE_TESTS_MUST_RUN");
        bool failed = must_run && strcmp(must_run, "1") == 0;
        va_list args;

        tap.n_run++;
        tap.n_failed += failed;
        (void)printf("%sok %u - ", failed ? "not " : "", tap.n_run);
        va_start(args, format);
        print_description(format, args);
        va_end(args);
        (void)printf("%s %s\n", failed ? " (must run) lacks" : " # SKIP lacks", feature);
        (void)fflush(stdout);
}

void diagnostic(const char *format, ...) {
        char text[1024];
        va_list args;

        va_start(args, format);
        (void)vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        str_make_printable(text);
        (void)printf("# %s\n", text);
        (void)fflush(stdout);
}

void bail_out(const char *format, ...) {
        va_list args;

        (void)printf("Bail out! ");
        va_start(args, format);
        (void)vprintf(format, args);
        va_end(args);
        (void)printf("\n");
        exit(EXIT_FAILURE); /* a test program has nothing to unwind */
}

int done_testing(void) {
        (void)printf("1..%u\n", tap.n_run);
        return fflush(stdout) == 0 && tap.n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
