/* SPDX-License-Identifier: MIT */
/* The seccomp filters of a run: those of the shipped profile, which the build compiled, or those of
 * the user's own, compiled here. */
#pragma once

#include "supervisor/run.h"

/* Sets run->filters by the policy and the Landlock ABI in force. A profile that drops what the
 * launch needs or admits what none may is refused.
 * Returns 0 or a negative errno with run->outcome failed. */
int filters_prepare(Run *run);

/* The hash of the profile that the filters were compiled from; NULL: the shipped one. */
const char *filters_sha256(const Run *run);

/* Frees what filters_prepare() made. */
void filters_done(Run *run);
