/* SPDX-License-Identifier: MIT */
/* How a run ended, and what confine makes of it. */
#include "supervisor/outcome.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>

static const char *const cause_names[_CAUSE_MAX] = {
        [CAUSE_NONE] = "none",       [CAUSE_EXIT] = "exit",   [CAUSE_SIGNAL] = "signal",
        [CAUSE_TIMEOUT] = "timeout", [CAUSE_LIMIT] = "limit", [CAUSE_KILLED] = "killed",
        [CAUSE_REFUSED] = "refused", [CAUSE_ERROR] = "error", [CAUSE_AUDIT] = "audit",
        [CAUSE_EXEC] = "exec",
};

const char *cause_name(Cause cause) {
        return cause >= 0 && cause < _CAUSE_MAX ? cause_names[cause] : "invalid";
}

Outcome outcome_init(void) {
        return (Outcome){
                .killed_by_uid = COUNTER_UNKNOWN,
                .limits = {
                        .memory_max_bytes = COUNTER_UNKNOWN,
                        .memory_swap_max_bytes = COUNTER_UNKNOWN,
                        .tasks_max = COUNTER_UNKNOWN,
                        .cpu_quota_usec_per_sec = COUNTER_UNKNOWN,
                },
                .counters = {
                        .cpu_usec = COUNTER_UNKNOWN,
                        .throttled_usec = COUNTER_UNKNOWN,
                        .n_throttled = COUNTER_UNKNOWN,
                        .memory_peak_bytes = COUNTER_UNKNOWN,
                        .tasks_peak = COUNTER_UNKNOWN,
                        .n_oom_kills = COUNTER_UNKNOWN,
                        .n_oom_scope = COUNTER_UNKNOWN,
                        .n_tasks_refused = COUNTER_UNKNOWN,
                        .n_slice_tasks_refused = COUNTER_UNKNOWN,
                        .n_landlock_denials = COUNTER_UNKNOWN,
                        .disk_bytes = COUNTER_UNKNOWN,
                        .disk_is_full = COUNTER_UNKNOWN,
                },
        };
}

void outcome_done(Outcome *outcome) {
        free(outcome->message);
        free(outcome->limit);
        free(outcome->slice_limit);
        outcome->message = outcome->limit = outcome->slice_limit = NULL;
}

static _printf_(2, 0) void set_message(Outcome *outcome, const char *format, va_list ap) {
        _cleanup_free_ char *text = NULL;

        if (vasprintf(&text, format, ap) < 0)
                text = NULL; /* out of memory: the type and the status still tell */
        free(outcome->message);
        outcome->message = TAKE_PTR(text);
}

int outcome_fail(Outcome *outcome, Cause cause, ErrorType error, const char *format, ...) {
        va_list ap;

        if (outcome->cause == CAUSE_REFUSED || outcome->cause == CAUSE_ERROR ||
            outcome->cause == CAUSE_AUDIT || outcome->cause == CAUSE_EXEC)
                return -ENOTRECOVERABLE;
        outcome->cause = cause;
        outcome->error = error;
        outcome->signal = 0; /* how the program died is no longer the point */
        outcome->exit_status = error == ERROR_NONE ? 125 : error_exit_status(error);
        va_start(ap, format);
        set_message(outcome, format, ap);
        va_end(ap);
        return -ENOTRECOVERABLE;
}

void outcome_explain(Outcome *outcome, ErrorType error, const char *format, ...) {
        va_list ap;

        if (outcome->message)
                return;
        outcome->error = error;
        va_start(ap, format);
        set_message(outcome, format, ap);
        va_end(ap);
}

int outcome_status(const Outcome *outcome, int *ret_signal) {
        *ret_signal = 0;
        if (outcome->orphaned)
                return 124;
        switch (outcome->cause) {
        case CAUSE_EXIT:
        case CAUSE_EXEC:
        case CAUSE_REFUSED:
        case CAUSE_ERROR:
        case CAUSE_AUDIT:
                return outcome->exit_status;
        case CAUSE_TIMEOUT:
                return 124;
        case CAUSE_LIMIT:
                return 128 + SIGKILL;
        case CAUSE_SIGNAL:
        case CAUSE_KILLED:
                *ret_signal = outcome->signal;
                return 128 + outcome->signal;
        case CAUSE_NONE:
        case _CAUSE_MAX:
        case _CAUSE_INVALID:
                break;
        }
        return 125;
}
