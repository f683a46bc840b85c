/* SPDX-License-Identifier: MIT */
/* The end of a run: nothing left of it, its cause named, its record kept. */
#pragma once

#include "supervisor/run.h"

/* Kills what is left in the leaf, reads the counters, names the cause in run->outcome, ends the
 * keeper and with it the scope, sends the end record and waits until journald has taken it. Works
 * from every stage of a run, also a half-made one. Failures go to run->outcome, or to stderr where
 * the policy only wants the attempt. */
void finish_run(Run *run);

/* Prints run->outcome's message and notes, if there are any. */
void finish_report(const Run *run);

/* Writes --result, last. A failure is printed, and fails run->outcome. */
void finish_result(Run *run);
