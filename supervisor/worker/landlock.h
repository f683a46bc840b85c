/* SPDX-License-Identifier: MIT */
/* The Landlock ruleset of a run. Built by the keeper while systemd makes the scope, put into force
 * by the worker. */
#pragma once

#include "supervisor/worker/plan.h"

/* Opens the base set, adds it and plan->grant_fds to a new ruleset.
 * *@ret_detail is the index of the grant that could not be added, -1 if it was something else.
 * Returns the ruleset's descriptor (close-on-exec, owned by the caller) or a negative errno.
 * Allocates nothing. Source: landlock(7), "Good practices". */
int landlock_build(const Plan *plan, int *ret_detail);
