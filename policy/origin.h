/* SPDX-License-Identifier: MIT */
/* Where the lines of a policy come from. */
#pragma once

#include "policy/facts.h"
#include "policy/policy.h"
#include "policy/settings.h"

/* Tells who set @value, a value of @key as in the canonical text but without its escapes, in
 * @policy, which @settings and @facts were resolved to.
 * Returns text that is static, or belongs to @settings; never NULL. */
const char *origin_find(const Settings *settings, const Facts *facts, const Policy *policy, Key key,
                        const char *value);
