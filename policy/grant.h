/* SPDX-License-Identifier: MIT */
/* Path grants: which may be asked for, and their canonical order. Text only; the supervisor opens
 * them and checks again what they lead to. */
#pragma once

#include <stdbool.h>

#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/keys.h"
#include "policy/policy.h"

/* Whether one of two clean absolute paths is the other or lies below it. */
bool grant_reaches(const char *a, const char *b);

/* Takes "x/.." out of the absolute @path. Only to compare: where x is a symbolic link the path
 * leads elsewhere. Returns the text, which is the caller's, or NULL when out of memory. */
char *grant_fold(const char *path);

/* Adds what @text ([-]PATH) grants under @key (KEY_AllowRead, ...) to @policy.
 * Returns 0; -EINVAL with a message in @reterr_diag for a path that is none, or that must not be
 * granted as a whole (product.md section 2); -ENOMEM. */
int grant_add(Policy *policy, Key key, const char *text, const char *origin, const Facts *facts,
              Diag *reterr_diag);

/* Checks @target, which the path of @grant was found to lead to, by the same rules as the path
 * itself. Returns 0; -EINVAL with a message in @reterr_diag; -ENOMEM. */
int grant_check_target(const Grant *grant, const char *target, const Facts *facts,
                       Diag *reterr_diag);

/* Sorts the grants of @policy by key and path and removes doubles; one that is optional both times
 * stays optional. */
void grants_normalize(Policy *policy);
