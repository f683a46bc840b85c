/* SPDX-License-Identifier: MIT */
/* The canonical text of a Policy, both ways: what is shown, recorded and hashed. One line Key=Value
 * for each value in the order of keys.def, lists sorted; two policies are the same exactly if their
 * texts are. A backslash is written \\, and what may not be shown on a terminal \xNN by byte. */
#pragma once

#include "policy/diag.h"
#include "policy/policy.h"

/* Writes the canonical text of @policy to *ret, which is the caller's. Returns 0; -ENOMEM. */
int wire_format(const Policy *policy, char **ret);

/* Undoes in place what escapes a value of the canonical text. Returns 0 or -EINVAL. */
int wire_unescape(char *text);

/* Reads @text, which must be canonical to the byte.
 * Returns 0 and *ret (free with policy_free()); -EINVAL with messages in @reterr_diag; -ENOMEM. */
int wire_parse(const char *text, Policy **ret, Diag *reterr_diag);
