/* SPDX-License-Identifier: MIT */
/* What the attack programs share: how a result is printed, so that a shell test can compare the
 * line of the control run with that of the confined run. Static programs, nothing of ours linked
 * in. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Prints "NAME ok" for @r >= 0, else "NAME errno=N", after a call that left errno. Returns 0. */
static inline int report(const char *name, long r) {
        if (r >= 0)
                printf("%s ok\n", name);
        else
                printf("%s errno=%d\n", name, errno);
        return 0;
}

/* Prints how to call the program and ends it with 2. */
__attribute__((noreturn)) static inline void usage(const char *text) {
        (void)fprintf(stderr, "usage: %s\n", text);
        exit(2);
}

/* Reads a whole number, decimal or 0x. Ends the program if @text is none. */
static inline unsigned long long number(const char *text) {
        char *end;
        unsigned long long value;

        errno = 0;
        value = strtoull(text, &end, 0);
        if (errno != 0 || end == text || *end != '\0') {
                (void)fprintf(stderr, "not a number: %s\n", text);
                exit(2);
        }
        return value;
}
