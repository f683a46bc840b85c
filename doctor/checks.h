/* SPDX-License-Identifier: MIT */
/* What is looked at on a machine before it is asked for a sandbox. checks.def is the table; what is
 * found is for `confine doctor` to print. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "doctor/manager.h"
#include "policy/facts.h"
#include "supervisor/base/base.h"

typedef enum CheckResult {
        CHECK_GOOD,
        CHECK_NOTE,   /* the default policy is in force all the same, with what is said */
        CHECK_FAILED, /* something is missing; the row says whether a run needs it */
} CheckResult;

typedef enum CheckNeed {
        NEED_NEVER,
        NEED_ALWAYS,
        NEED_SYSTEM, /* by runs of the system manager */
        NEED_USER,   /* by runs of a user manager */
} CheckNeed;

typedef struct Finding {
        CheckResult result;
        char found[600]; /* one line */
        char fix[280];   /* what to do; "" if there is nothing to be done */
} Finding;

/* The machine and caller that the checks are about. */
typedef struct Host {
        Facts facts;
        Manager system; /* PID 1 */
        Manager user;   /* the caller's own */
} Host;

typedef struct Check {
        const char *name;
        void (*look)(const Host *host, Finding *ret);
        CheckNeed need;
        const char *means; /* for protection, if it is not good */
} Check;

/* Looks at what the checks share: @system is the manager that a run would have. Creates a scope of
 * that manager and removes it. Waits for a manager as long as manager_look() says. */
void checks_prepare(bool system, Host *ret);

/* The rows. Static; *ret_n: how many. */
const Check *checks_table(size_t *ret_n);

/* Makes @check. Returns whether a run with the default policy is refused for what was found. */
bool check_look(const Check *check, const Host *host, Finding *ret);

/* The manager that a run would have. */
const Manager *host_manager(const Host *host);

/* Says in @finding that all is well, and what was found. */
void finding_good(Finding *finding, const char *format, ...) _printf_(2, 3);

/* Says that a run is enforced all the same, what was found, and what may be done. */
void finding_note(Finding *finding, const char *fix, const char *format, ...) _printf_(3, 4);

/* Says that something is missing, what was found, and what is to be done. */
void finding_failed(Finding *finding, const char *fix, const char *format, ...) _printf_(3, 4);
