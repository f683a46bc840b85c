/* SPDX-License-Identifier: MIT */
/* The names of the slices that runs may be in. */
#pragma once

#include <stdbool.h>

#include "policy/value.h"

#define SLICE_TOP        "confine.slice" /* whose bounds hold for all runs of a manager */
#define SLICE_NAME_MAX   64 /* bytes; each '-' is a directory with a name of its own length */
#define SLICE_LEVELS_MAX 3  /* below confine.slice: systemd keeps every one until it is stopped */

/* Checks @text, "confine" or a name below it such as "confine-batch-night", with or without
 * ".slice". Returns 0 or -EINVAL with @reterr_hint. Source: systemd.slice(5), systemd.unit(5). */
int slice_check(const char *text, ValueHint *reterr_hint);

/* Reads that. Returns 0, *ret is the caller's and ends in ".slice"; -EINVAL with @reterr_hint;
 * -ENOMEM. */
int slice_parse(const char *text, char **ret, ValueHint *reterr_hint);

/* Whether the slice @name is right below the slice @parent: a '-' and one word more. */
bool slice_is_child(const char *name, const char *parent);
