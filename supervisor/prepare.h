/* SPDX-License-Identifier: MIT */
/* What a run needs before anything of it exists, by the caller's rights. */
#pragma once

#include "supervisor/run.h"

/* Checks the machine, resolves program and identity, builds the environment, opens grants, result
 * and journal. Creates nothing but the file of --result.
 * Returns 0 or a negative errno with run->outcome failed. */
int prepare_run(Run *run);

/* The part of it that a dry run takes too: creates nothing, and only opens what is granted. */
int prepare_sandbox(Run *run);

/* Opens what --result names, as prepare_run() does; for a run that is refused before it.
 * Returns 0 or a negative errno with run->outcome failed. */
int prepare_result(Run *run);
