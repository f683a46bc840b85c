/* SPDX-License-Identifier: MIT */
/* The Landlock ruleset of a run, still without rules: what the kernel takes decides the ABI. */
#pragma once

#include "supervisor/run.h"

/* Makes run->ruleset_fd. Where the kernel refuses rights that its ABI promises, the ABI is stepped
 * down, and run->facts has the one that holds from then on.
 * Returns 0 or a negative errno with run->outcome failed: below the floor there is no run. */
int ruleset_make(Run *run);
