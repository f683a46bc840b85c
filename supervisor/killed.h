/* SPDX-License-Identifier: MIT */
/* Who ended a run by `confine kill`: left at its cgroup by that verb, read by its supervisor. */
#pragma once

#include "supervisor/run.h"

/* Notes at the scope behind @scope_fd that the caller sends @sig to its run. Returns 0 or a
 * negative errno. */
int killed_note(int scope_fd, int sig);

/* Names that as the cause of the end of @run, if the program died of the signal that was noted.
 * Before the scope goes. */
void killed_explain(Run *run);
