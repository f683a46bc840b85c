/* SPDX-License-Identifier: MIT */
/* "PATH SIZE", the value of IOReadBandwidthMax= and IOWriteBandwidthMax=: bytes per second of the
 * disk that PATH is, or lies on. Pure text; supervisor/disk.h finds the disk. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/keys.h"

/* Points into the text it was read from. */
typedef struct Bandwidth {
        const char *path;
        size_t path_length; /* bytes */
        uint64_t bytes_per_sec;
} Bandwidth;

/* Reads @text; the last blank is what parts the two.
 * Returns 0; -EINVAL with @reterr_hint. */
int bandwidth_parse(const char *text, Bandwidth *ret, ValueHint *reterr_hint);

/* Takes @text apart, an entry of a Policy.
 * Returns 0, *ret_path is the caller's; -EINVAL: it is none; -ENOMEM. */
int bandwidth_split(const char *text, char **ret_path, uint64_t *ret_bytes_per_sec);

/* Writes the canonical text of @text to *@ret, which is the caller's: its path made absolute by
 * @cwd, of *@ret_path_length bytes, and its size as value_format_number() does.
 * Returns 0; -EINVAL with @reterr_hint; -ENOMEM. */
int bandwidth_canonical(const char *text, const char *cwd, char **ret, size_t *ret_path_length,
                        ValueHint *reterr_hint);

/* Adds @text to *@list, a member of Policy, with its path made absolute and its size in canonical
 * form; the last one of a path wins.
 * Returns 0; -EINVAL with a message in @reterr_diag; -ENOMEM. */
int bandwidth_add(char ***list, Key key, const char *text, const char *origin, const Facts *facts,
                  Diag *reterr_diag);
