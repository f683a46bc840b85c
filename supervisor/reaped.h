/* SPDX-License-Identifier: MIT */
/* The end record of a run that `confine reap` ended: nobody else is left to write one. */
#pragma once

#include "supervisor/sandbox.h"

/* What could be read of a run before it was ended. */
typedef struct Reaped {
        const Sandbox *sandbox; /* NULL: there is nothing to record; not owned */
        Counters counters;
} Reaped;

/* Reads what the run of @sandbox used, before its end: with the last process its cgroup goes. A run
 * without a process of the program has had its end, and one that another reap is at is its, if not
 * only a user says so. */
void reaped_look(const Sandbox *sandbox, Reaped *ret);

/* Records the end of what was looked at, if it is gone, and waits until journald has taken that.
 * Prints a failure. */
void reaped_record(const Invocation *invocation, const Reaped *reaped);
