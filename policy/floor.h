/* SPDX-License-Identifier: MIT */
/* What no profile may admit, and what every profile has to: the terms under which a user's own
 * profile may stand in for the shipped one. floor.def is the table. Pure. */
#pragma once

#include "policy/diag.h"
#include "policy/profile.h"

/* Checks @profile as it is in force on @arch for @grants, a set of FILTER_* bits. @file: its name,
 * for what it lacks. Returns 0; -EINVAL with a message in @reterr for every fault. */
int floor_check(const Profile *profile, ProfileArch arch, unsigned grants, const char *file,
                Diag *reterr);
