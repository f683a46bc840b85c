/* SPDX-License-Identifier: MIT */
/* Settings + Facts -> const Policy. Pure: defaults, parsing of values, refusals. */
#pragma once

#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/policy.h"
#include "policy/settings.h"

#define LANDLOCK_ABI_MIN 3 /* truncation: landlock(7), "Compatibility" */

/* Resolves @settings over the shipped defaults for the machine described by @facts.
 * Returns 0 and *ret (free with policy_free()); -EINVAL with every fault found in @reterr_diag;
 * -ENOMEM. Never logs. */
int policy_resolve(const Settings *settings, const Facts *facts, Policy **ret, Diag *reterr_diag);
