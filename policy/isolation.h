/* SPDX-License-Identifier: MIT */
/* Tiers of isolation, in the order of their resistance to an escape into the kernel and nothing
 * else, and what a run may claim and may be required to have. */
#pragma once

#include <stdbool.h>

#include "policy/diag.h"
#include "policy/policy.h"
#include "policy/settings.h"

/* The tier of a run of @policy. @has_view: it gets the private view. */
Tier isolation_provided(const Policy *policy, bool has_view);

/* What @tier is called in records. Static. */
const char *isolation_name(Tier tier);

/* Refuses a @policy, made of @settings, that requires more than it is going to have.
 * @has_view: as above. @no_view: why there is none, and what would help; NULL: not known, or there
 * is one. Returns 0; -EINVAL with a message in @reterr_diag. */
int isolation_check(const Policy *policy, const Settings *settings, bool has_view,
                    const char *no_view, Diag *reterr_diag);

/* Who requires a tier of every run. Returns the setting or ceiling, which is of @settings; NULL:
 * nobody. */
const Setting *isolation_required(const Settings *settings);
