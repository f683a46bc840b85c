/* SPDX-License-Identifier: MIT */
/* [Ceiling] of /etc/confine: the most that anybody may ask for. */
#pragma once

#include "policy/diag.h"
#include "policy/policy.h"
#include "policy/settings.h"

/* Finds the ceiling of @key, which has one number, that is in force: a later file of the site
 * replaces what an earlier one said. Returns it, which is of @settings; NULL: there is none. */
const Setting *ceiling_find(const Settings *settings, Key key);

/* Holds the numbers and ports of @policy to the ceilings of @settings, which it was made of: what
 * somebody asked for beyond one is a message in @reterr_diag that names both places; a default
 * beyond it, one of /usr/share/confine too, is brought to it. Users and groups are bound when they
 * are looked up. */
void ceiling_apply(const Settings *settings, Policy *policy, Diag *reterr_diag);

/* Holds @grant, which @origin asks for, to the ceilings of @settings by its text; what it leads to
 * is known when it is opened. Returns 0; -EINVAL with a message in @reterr_diag; -ENOMEM. */
int ceiling_check_grant(const Settings *settings, const Grant *grant, const char *origin,
                        Diag *reterr_diag);

/* Whether @path, absolute, clean and without links, is one that @grant may have by the ceilings of
 * @settings. @resolve: gives the canonical path of a ceiling's, which is the caller's, or NULL;
 * NULL itself: their text counts. Without a ceiling of its key that of AllowRead binds, since
 * writing and executing include reading. Returns NULL if it may; else the ceiling that says no,
 * which is of @settings. */
const Setting *ceiling_against(const Settings *settings, const Grant *grant, const char *path,
                               char *(*resolve)(const char *path));
