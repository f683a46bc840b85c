/* SPDX-License-Identifier: MIT */
/* The one clock: deadlines are absolute microseconds on CLOCK_MONOTONIC. */
#pragma once

#include <stdint.h>

/* Microseconds on CLOCK_MONOTONIC. Safe after fork. */
uint64_t clock_now_usec(void);

/* Microseconds of CPU time that this process has used. Safe after fork. */
uint64_t clock_cpu_usec(void);

/* @now + @usec without wrapping; USEC_INFINITY stays. */
uint64_t clock_add_usec(uint64_t now_usec, uint64_t usec);

/* What poll(2) wants until @deadline_usec: milliseconds rounded up, 0 when it has passed, -1 for
 * USEC_INFINITY. */
int clock_poll_timeout(uint64_t deadline_usec);
