/* SPDX-License-Identifier: MIT */
/* The record of a run that never began. */
#pragma once

#include "supervisor/run.h"

/* Stores what refused @run, which is in its outcome. Waits for journald for two seconds at most: a
 * run that does not take place needs no record to stay safe. Prints a line if it cannot be stored,
 * unless that is why the run was refused. */
void refusal_record(Run *run);
