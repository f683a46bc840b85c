/* SPDX-License-Identifier: MIT */
/* The seccomp listener. Nothing is decided on memory of the program: the only call that may go on
 * is the launcher's own execve, told by a fact the program cannot forge. Source:
 * seccomp_unotify(2). */
#include "supervisor/listener.h"

#include <errno.h>
#include <poll.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"

#define CALLS_AT_A_TIME 8

/* What the program makes the supervisor do is not counted by its CPUQuota: it is done at once so
 * many times, and then in so small a part of the time that passes. */
#define ANSWERS_AT_ONCE 500
#define ANSWERS_PART    100

/* Before the exec the worker holds the other end, close-on-exec; afterwards nobody does. A counter
 * of calls would not do: an interrupted one is notified again. */
static bool is_executed(int report_fd) {
        struct pollfd pfd = { .fd = report_fd };

        return report_fd < 0 || (poll(&pfd, 1, 0) > 0 && pfd.revents & POLLHUP);
}

int listener_serve(int listener_fd, int report_fd, const FilterPair *filters, Denials *denials) {
        for (int i = 0; i < CALLS_AT_A_TIME; i++) {
                struct pollfd pfd = { .fd = listener_fd, .events = POLLIN };
                struct seccomp_notif_resp response = { 0 };
                struct seccomp_notif call;
                DenialFamily family;
                int r;

                if (poll(&pfd, 1, 0) <= 0)
                        return 0;
                if (!(pfd.revents & POLLIN))
                        return pfd.revents & (POLLHUP | POLLERR) ? -EPIPE : 0;
                r = kernel_notif_recv(listener_fd, &call);
                if (r == -ENOENT || r == -EINTR)
                        continue;
                if (r < 0)
                        return r;
                family = filter_pair_family(filters, call.data.nr);
                response.id = call.id;
                if (family == DENIAL_EXEC && !is_executed(report_fd))
                        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
                else
                        response.error = -EPERM;
                r = kernel_notif_send(listener_fd, &response);
                if (r == 0 && response.error)
                        /* -ENOENT: interrupted, it comes again */
                        denials_count(denials, family, call.data.nr,
                                      (uint64_t[]){ call.data.args[0], call.data.args[1] });
        }
        return 0;
}

void listener_pay(ListenerPace *pace) {
        uint64_t before = pace->cpu_usec;

        if (++pace->n_answers < ANSWERS_AT_ONCE)
                return;
        pace->cpu_usec = clock_cpu_usec();
        if (before > 0)
                pace->pause_usec =
                        clock_add_usec(clock_now_usec(), (pace->cpu_usec - before) * ANSWERS_PART);
}
