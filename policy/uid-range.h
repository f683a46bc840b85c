/* SPDX-License-Identifier: MIT */
/* The uids, which are gids as well, that runs of root take turns in. */
#pragma once

#include "policy/policy.h"
#include "policy/value.h"

/* Reads @text, FIRST-LAST, into *ret. Returns 0; -EINVAL with @reterr_hint for another form, more
 * than 65536 numbers, and numbers that are somebody's on every machine. Who has an account is for
 * supervisor/uids.c to see. */
int uid_range_parse(const char *text, UidRange *ret, ValueHint *reterr_hint);

/* Whether @id is one of @range. */
bool uid_range_has(const UidRange *range, uint32_t id);
