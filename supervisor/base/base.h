/* SPDX-License-Identifier: MIT */
/* What every file may use: cleanup attributes, ownership handover, array helpers.
 * No functions with effects belong here. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "supervisor/base/fd.h"

#define _cleanup_(f)      __attribute__((cleanup(f)))
#define _printf_(fmt, va) __attribute__((format(printf, fmt, va)))
#define _noreturn_        __attribute__((noreturn))
#define _unused_          __attribute__((unused))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b)     ((a) < (b) ? (a) : (b))
#define MAX(a, b)     ((a) > (b) ? (a) : (b))

/* Hands a pointer or descriptor over to a new owner; the old variable no longer frees it. */
#define TAKE_PTR(p)                                 \
        ({                                          \
                __typeof__(p) *take_from_ = &(p);   \
                __typeof__(p) taken_ = *take_from_; \
                *take_from_ = NULL;                 \
                taken_;                             \
        })
#define TAKE_FD(fd)                       \
        ({                                \
                int *take_from_ = &(fd);  \
                int taken_ = *take_from_; \
                *take_from_ = -EBADF;     \
                taken_;                   \
        })

/* Cleanup functions: each frees what the variable behind the pointer owns, if anything. */
static inline void free_charp(char **p) {
        free(*p);
}
/* For streams that were read, or that their owner has flushed. */
static inline void fclose_filep(FILE **f) {
        if (*f)
                (void)fclose(*f); /* read-only streams, or already flushed by the owner */
}
/* For directories that were read. */
static inline void closedir_dirp(DIR **dir) {
        if (*dir)
                (void)closedir(*dir); /* nothing was written */
}

#define _cleanup_free_     _cleanup_(free_charp)
#define _cleanup_close_    _cleanup_(fd_closep)
#define _cleanup_fclose_   _cleanup_(fclose_filep)
#define _cleanup_closedir_ _cleanup_(closedir_dirp)

#define USEC_PER_SEC  UINT64_C(1000000)
#define USEC_PER_MSEC UINT64_C(1000)
#define NSEC_PER_USEC UINT64_C(1000)
#define USEC_INFINITY UINT64_MAX
