/* SPDX-License-Identifier: MIT */
/* Deadlines: no wrapping, no waiting for ever by accident. */
#include "supervisor/base/clock.h"

#include <limits.h>

#include "supervisor/base/base.h"
#include "tests/unit/tap.h"

int main(void) {
        uint64_t first = clock_now_usec(), second = clock_now_usec();
        uint64_t cpu = clock_cpu_usec();

        ok(first > 0 && second >= first, "the clock does not go back");
        while (clock_cpu_usec() == cpu)
                ;
        ok(clock_cpu_usec() > cpu, "CPU time that is used counts");
        ok(clock_add_usec(5, 7) == 12, "a sum");
        ok(clock_add_usec(5, USEC_INFINITY) == USEC_INFINITY, "infinity stays");
        ok(clock_add_usec(USEC_INFINITY - 1, 1) == USEC_INFINITY, "S10: no wrapping at the limit");
        ok(clock_add_usec(USEC_INFINITY - 2, 1) == USEC_INFINITY - 1,
           "the last sum that is finite");
        is_int(clock_poll_timeout(USEC_INFINITY), -1, "no deadline: wait for ever");
        is_int(clock_poll_timeout(0), 0, "a deadline that has passed");
        is_int(clock_poll_timeout(clock_now_usec() + 900), 1,
               "rounded up, so that the loop does not spin");
        is_int(clock_poll_timeout(USEC_INFINITY - 1), INT_MAX, "cut to what poll takes");
        return done_testing();
}
