/* SPDX-License-Identifier: MIT */
/* The end of a run: nothing left of it, its cause named, its record kept. */
#pragma once

#include "supervisor/run.h"

/* Kills what is left in the leaf, reads the counters, removes the leaf and ends the keeper. Names
 * the cause in run->outcome. Works from every stage of a run, also a half-made one. */
void finish_teardown(Run *run);

/* Sends the end record and waits until journald has taken it, writes --result. Failures go to
 * run->outcome, or to stderr where the policy only wants the attempt. */
void finish_record(Run *run);

/* Prints run->outcome's message and notes, if there are any. */
void finish_report(const Run *run);
