/* SPDX-License-Identifier: MIT */
/* The one clock: deadlines are absolute microseconds on CLOCK_MONOTONIC. */
#include "supervisor/base/clock.h"

#include <limits.h>
#include <time.h>

#include "supervisor/base/base.h"

static uint64_t read_usec(clockid_t clock) {
        struct timespec ts = { 0 };

        (void)clock_gettime(clock, &ts); /* cannot fail: both clocks always exist */
        return (uint64_t)ts.tv_sec * USEC_PER_SEC + (uint64_t)ts.tv_nsec / NSEC_PER_USEC;
}

uint64_t clock_now_usec(void) {
        return read_usec(CLOCK_MONOTONIC);
}

uint64_t clock_cpu_usec(void) {
        return read_usec(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_add_usec(uint64_t now_usec, uint64_t usec) {
        return usec >= USEC_INFINITY - now_usec ? USEC_INFINITY : now_usec + usec;
}

int clock_poll_timeout(uint64_t deadline_usec) {
        uint64_t now = clock_now_usec(), msec;

        if (deadline_usec == USEC_INFINITY)
                return -1;
        if (deadline_usec <= now)
                return 0;
        msec = (deadline_usec - now + USEC_PER_MSEC - 1) / USEC_PER_MSEC;
        return msec > INT_MAX ? INT_MAX : (int)msec;
}
