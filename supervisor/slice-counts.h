/* SPDX-License-Identifier: MIT */
/* What the limits of the slices above a run did while it was there: theirs, and not the run's. */
#pragma once

#include "supervisor/run.h"

/* Notes what the slices above the scope of @run have counted so far: before the program runs. */
void slice_counts_note(Run *run);

/* Moves what a slice refused to where run->outcome tells that, with the limit's name; its counters
 * have been read.
 * Linux 6.11 and later count at the cgroup whose limit it was, for all that is in it, so that a
 * slice is named that refused something while the run was there. Earlier ones, and later ones with
 * the mount option pids_localevents, count at the cgroup whose fork it was, and not whose limit: it
 * was not the run's own if that was never reached.
 * Source: the kernel's cgroup-v2.rst, "pids.events", and pids_event() of its pids.c. */
void slice_counts_explain_tasks(Run *run);

/* Says which slice above the scope of @run ran out of memory while the run was there: the name of
 * the nearest, or NULL for the host itself. To be freed by the caller.
 * Source: the kernel's cgroup-v2.rst, "memory.events.local". */
char *slice_counts_out_of_memory(const Run *run);
