/* SPDX-License-Identifier: MIT */
/* How many accesses Landlock denied to a run, where root may read it from the kernel: Landlock ABI
 * 7, with audit switched on.
 *
 * The kernel counts what each domain denies, and tells the number when it frees one that it has
 * logged before. So the worker, right before it executes the program, makes one access that is
 * denied, and logged with the domain's id and the worker's pid. What the program is denied is
 * counted and not logged: it cannot flood the log with it. No run fails, or waits for long, for
 * what is not told. */
#pragma once

#include "supervisor/run.h"

/* Whether it may be told to a caller of @facts. No system call. */
bool landlock_audit_possible(const Facts *facts);

/* Listens for the records of Landlock domains, if they can be read. To be called once the worker is
 * forked, before it is told to go on. */
void landlock_audit_open(Run *run);

/* What to wait for with POLLIN while the domain of @run is not known; else -EBADF. */
int landlock_audit_fd(const Run *run);

/* Looks there for that domain, and from then on listens to nothing else. */
void landlock_audit_read(Run *run);

/* Once all of @run is gone, and nothing here holds the domain: waits until the kernel has freed it,
 * 2 s at most, and notes the number in the counters of its outcome. Stops listening. */
void landlock_audit_finish(Run *run);

/* Whether what @run is denied is told, or is going to be, as far as is known now. */
bool landlock_audit_tells(const Run *run);
