/* SPDX-License-Identifier: MIT */
/* Why a run ended, by what the kernel, the keeper and the service manager say: never by a signal
 * or a status alone. */
#include "supervisor/explain.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/str.h"
#include "supervisor/killed.h"
#include "supervisor/moved.h"
#include "supervisor/scope.h"
#include "supervisor/sigsys.h"
#include "supervisor/slice-counts.h"
#include "supervisor/worker/report.h"

/* Only a busy machine needs so much. */
#define QUERY_TIMEOUT_USEC (5 * USEC_PER_SEC)

/* "64M" if that is exact, else "63.9M". */
static void format_bytes(uint64_t bytes, char ret[static VALUE_FORMAT_SIZE]) {
        static const char units[] = "BKMGT";
        size_t unit = 0;
        double value = (double)bytes;

        while (value >= 1024 && unit + 2 < sizeof(units)) {
                value /= 1024;
                unit++;
        }
        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%.1f%c", value, units[unit]);
}

/* OOM, by what the kernel counted and where: never by a SIGKILL alone. */
static void explain_oom(const Run *run, Outcome *o) {
        const Counters *c = &o->counters;
        char max[VALUE_FORMAT_SIZE], peak[VALUE_FORMAT_SIZE] = "unknown";
        bool own = c->n_oom_scope != COUNTER_UNKNOWN && c->n_oom_scope > 0;
        _cleanup_free_ char *slice = NULL;

        if (c->n_oom_kills == COUNTER_UNKNOWN || c->n_oom_kills == 0)
                return;
        if (o->cause != CAUSE_SIGNAL && o->cause != CAUSE_EXIT && o->cause != CAUSE_KILLED)
                return;
        if (c->memory_peak_bytes != COUNTER_UNKNOWN)
                format_bytes(c->memory_peak_bytes, peak);
        o->cause = CAUSE_LIMIT;
        if (own) {
                value_format_number(VALUE_SIZE, NULL, o->limits.memory_max_bytes, max);
                o->limit = strdup("MemoryMax");
                outcome_explain(o, ERROR_RESOURCE_LIMIT,
                                "MemoryMax=%s reached: the run was killed, peak %s: raise it with "
                                "--memory=",
                                max, peak);
                return;
        }
        slice = slice_counts_out_of_memory(run);
        if (!slice) {
                o->limit = strdup("host memory");
                outcome_explain(o, ERROR_RESOURCE_LIMIT,
                                "the host ran out of memory and the run was killed, peak %s: not "
                                "its own MemoryMax; see what used it with "
                                "'journalctl --dmesg --grep=oom-kill'",
                                peak);
                return;
        }
        o->limit = str_format("%s MemoryMax", slice);
        outcome_explain(o, ERROR_RESOURCE_LIMIT,
                        "slice '%s' ran out of memory and the run was killed, peak %s: not its own "
                        "MemoryMax; see 'systemctl show -p MemoryMax %s'",
                        slice, peak, slice);
}

static void explain_timeout(const Run *run, Outcome *o) {
        char span[VALUE_FORMAT_SIZE];

        if (o->cause != CAUSE_TIMEOUT || o->limit)
                return;
        value_format_number(VALUE_SPAN, NULL, run->policy->runtime_max_usec, span);
        o->limit = strdup("RuntimeMaxSec");
        outcome_explain(
                o, ERROR_EXECUTION_TIMEOUT,
                "RuntimeMaxSec=%s reached: the run was ended: raise it with --timeout=", span);
}

/* Whether the keeper has had a SIGTERM. A stop of the unit is sent to it and to the program, in any
 * order, and on a busy machine the program may have ended before the keeper was able to tell. */
static bool ask_keeper(const Run *run) {
        const Message question = { .kind = MESSAGE_SYNC, .value = INT32_MAX };
        uint64_t deadline = clock_add_usec(clock_now_usec(), QUERY_TIMEOUT_USEC);
        struct pollfd fds[] = { { .fd = run->keeper_fd, .events = POLLIN } };
        Message message = { 0 };
        bool stopped = false;
        int fd = -EBADF;

        if (run->keeper_fd < 0)
                return false;
        /* Gone, since the stop went on: then what it said before is still there. */
        (void)message_send(run->keeper_fd, &question, -EBADF);
        while (message.kind != MESSAGE_SYNCED || message.value != question.value) {
                (void)poll(fds, ARRAY_SIZE(fds), clock_poll_timeout(deadline));
                if (message_recv(run->keeper_fd, &message, &fd, MSG_DONTWAIT) <= 0)
                        break;
                fd = fd_close(fd);
                stopped |= message.kind == MESSAGE_SIGNAL && message.step <= 0 &&
                           message.value == SIGTERM;
        }
        return stopped;
}

/* An end that neither the program nor confine made: the unit's manager says which. */
static void explain_stop(Run *run, Outcome *o) {
        /* The program may have died of a stop before the keeper has seen its own SIGTERM. */
        bool unasked = o->cause == CAUSE_SIGNAL && o->signal == SIGTERM && !run->told_to_end;
        ScopeEnd end = SCOPE_END_UNKNOWN;

        /* Success needs no other cause, and is not made to wait for the answer. */
        if (o->cause == CAUSE_EXIT && o->exit_status != 0 && !run->told_to_end)
                run->unit_stopped |= ask_keeper(run);
        if (!run->unit_stopped && !run->keeper_gone && !unasked)
                return;
        if (o->cause == CAUSE_TIMEOUT || o->cause == CAUSE_LIMIT || o->cause == CAUSE_EXEC ||
            o->cause == CAUSE_ERROR)
                return;
        end = scope_query_end(run->facts.system_manager, run->unit, QUERY_TIMEOUT_USEC);
        /* A manager that is too busy to answer has signalled the keeper by now if it did. */
        if (end == SCOPE_END_UNKNOWN && unasked)
                run->unit_stopped |= ask_keeper(run);
        /* Its clock runs since the scope was made, which on a busy machine is long before the
         * program starts. Asked late, it may have forgotten the unit. */
        if (end != SCOPE_END_RUNNING &&
            clock_now_usec() >=
                    clock_add_usec(run->requested_usec, scope_runtime_max_usec(run->policy))) {
                o->cause = CAUSE_TIMEOUT;
                return;
        }
        if (end == SCOPE_END_TIMEOUT) {
                o->cause = CAUSE_TIMEOUT;
                o->limit = strdup("RuntimeMaxSec");
                outcome_explain(
                        o, ERROR_EXECUTION_TIMEOUT,
                        "unit '%s' reached a RuntimeMaxSec shorter than the run's own: look for a "
                        "drop-in with 'systemctl %scat %s'",
                        run->unit, run->facts.system_manager ? "" : "--user ", run->unit);
                return;
        }
        /* Without keeper only its word counts: an empty scope ends by itself. */
        if ((run->unit_stopped && end != SCOPE_END_RUNNING) ||
            (!run->keeper_gone && end == SCOPE_END_STOPPED)) {
                o->cause = CAUSE_KILLED;
                if (!o->signal)
                        o->signal = SIGTERM;
                outcome_explain(o, ERROR_NONE, "unit '%s' was stopped from outside", run->unit);
                return;
        }
        if (run->keeper_gone)
                (void)outcome_fail(
                        o, CAUSE_ERROR, ERROR_SANDBOX_GONE,
                        "the keeper of '%s' was killed from outside, so the run was ended: look "
                        "for who did it with 'journalctl -u %s'",
                        run->unit, run->unit);
}

/* It dies of it only if it has undone that the signal is ignored. Whoever sent it is not told. */
static void explain_sigxfsz(const Run *run, Outcome *o) {
        char limit[VALUE_FORMAT_SIZE];

        if (o->cause != CAUSE_SIGNAL || o->signal != SIGXFSZ)
                return;
        value_format_number(VALUE_SIZE, NULL, run->policy->limit_fsize_bytes, limit);
        outcome_explain(o, ERROR_NONE,
                        "a file of the program reached LimitFSIZE=%s, or it sent itself SIGXFSZ: "
                        "raise it with -p LimitFSIZE=",
                        limit);
}

static void explain_orphan(const Run *run, Outcome *o) {
        if (o->orphaned)
                outcome_explain(
                        o, ERROR_ORPHANED,
                        "processes of '%s' survive the kill (uninterruptible sleep?): look at "
                        "'systemd-cgls -u %s'",
                        run->unit, run->unit);
}

void explain_end(Run *run) {
        Outcome *o = &run->outcome;

        moved_explain(run);  /* before what it looks like */
        explain_oom(run, o); /* first: of the keeper, it looks like a stop from outside */
        killed_explain(run); /* a SIGTERM that somebody answers for is no stop of the unit */
        explain_stop(run, o);
        explain_timeout(run, o);
        sigsys_explain(run);
        explain_sigxfsz(run, o);
        explain_orphan(run, o);
}
