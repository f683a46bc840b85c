/* SPDX-License-Identifier: MIT */
/* Settings + Facts -> const Policy. Pure: defaults, parsing of values, refusals. */
#pragma once

#include "policy/capabilities.h"
#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/policy.h"
#include "policy/settings.h"

/* A machine that refuses nothing, for reading a policy where it is not applied. */
extern const Facts facts_of_any_machine;

/* Resolves @settings over the shipped defaults for the machine described by @facts.
 * Returns 0 and *ret (free with policy_free()); -EINVAL with every fault found in @reterr_diag;
 * -ENOMEM. Never logs. */
int policy_resolve(const Settings *settings, const Facts *facts, Policy **ret, Diag *reterr_diag);
