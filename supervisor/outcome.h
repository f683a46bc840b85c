/* SPDX-License-Identifier: MIT */
/* How a run ended: the one structure that messages, record, JSON and exit status are made from. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "policy/denials.h"
#include "policy/errors.h"
#include "supervisor/base/base.h"

typedef enum Cause {
        CAUSE_NONE,
        CAUSE_EXIT,    /* ended by itself; status in exit_status */
        CAUSE_SIGNAL,  /* died of signal */
        CAUSE_TIMEOUT, /* RuntimeMaxSec reached */
        CAUSE_LIMIT,   /* a limit ended it; named in limit */
        CAUSE_KILLED,  /* the unit was stopped, or confine was told to end twice */
        CAUSE_REFUSED, /* confine refused before anything was created */
        CAUSE_ERROR,   /* confine failed before the program ran, or lost the sandbox */
        CAUSE_AUDIT,   /* a record could not be stored */
        CAUSE_EXEC,    /* the program could not be executed: 126 or 127 */
        _CAUSE_MAX,
        _CAUSE_INVALID = -22,
} Cause;

#define COUNTER_UNKNOWN UINT64_MAX /* the kernel or a missing controller does not tell */

typedef struct Counters {
        uint64_t cpu_usec;
        uint64_t throttled_usec;
        uint64_t n_throttled;
        uint64_t memory_peak_bytes;
        uint64_t tasks_peak;
        uint64_t n_oom_kills;           /* kills in the scope; over-counts, use as a yes or no */
        uint64_t n_oom_scope;           /* OOMs that the scope's own limit caused */
        uint64_t n_tasks_refused;       /* forks that TasksMax refused */
        uint64_t n_slice_tasks_refused; /* that of a slice above did, while the run was there */
        uint64_t n_landlock_denials;    /* accesses that Landlock denied */
        uint64_t n_killed_after_exit;
        uint64_t disk_bytes;   /* in the scratch at the end */
        uint64_t disk_is_full; /* whether that was all it has, of bytes or of files */
} Counters;

/* What is in force, as read back from the kernel: what was asked for, or less by an admin's
 * drop-in. COUNTER_UNKNOWN: not enforced here (best-effort). */
typedef struct LimitsFound {
        uint64_t memory_max_bytes;
        uint64_t memory_swap_max_bytes;
        uint64_t tasks_max; /* without the keeper */
        uint64_t cpu_quota_usec_per_sec;
} LimitsFound;

typedef struct Outcome {
        Cause cause;
        int exit_status; /* of the program, for CAUSE_EXIT and CAUSE_LIMIT; else what confine
                            returns */
        int signal;      /* that the program died of, 0 = none */
        ErrorType error;
        char *message; /* one line for stderr: what, which object, exact fix; owned, NULL = none */
        char *limit;   /* the limit that ended it, such as "MemoryMax"; owned, NULL = none */
        char *slice_limit;      /* the limit of a slice that refused something, such as "NAME.slice
                                   TasksMax"; owned, NULL = none */
        bool started;           /* the program's first instruction may have run */
        bool orphaned;          /* something survived the kill */
        uint64_t killed_by_uid; /* whoever ended it by `confine kill`; COUNTER_UNKNOWN: nobody */
        bool best_effort;       /* something the policy asks for is not enforced here */
        uint64_t keys_missing;  /* of it, the limits that have no controller: bits 1 << Key */
        uint64_t duration_usec;
        LimitsFound limits;
        Counters counters;
        Denials denials;
        bool denials_unknown; /* nobody asks: there is no listener (best-effort) */
} Outcome;

/* An outcome with every counter unknown. */
Outcome outcome_init(void);

/* Frees what @outcome holds. */
void outcome_done(Outcome *outcome);

/* Notes a failure of confine itself. The first one wins: it is the cause, the rest follows from it.
 * Returns -ENOTRECOVERABLE always, for `return outcome_fail(...)`. */
int outcome_fail(Outcome *outcome, Cause cause, ErrorType error, const char *format, ...)
        _printf_(4, 5);

/* Sets the message of an outcome that is not a failure of confine, if there is none yet. */
void outcome_explain(Outcome *outcome, ErrorType error, const char *format, ...) _printf_(3, 4);

/* What confine exits with, 0-255; *@ret_signal is the signal to die of instead, 0 = none. */
int outcome_status(const Outcome *outcome, int *ret_signal);

/* The stable name of @cause: "exit", "signal", ... Static. */
const char *cause_name(Cause cause);
