/* SPDX-License-Identifier: MIT */
/* The values of the secrets of a run: read, kept in locked memory until the worker is forked, and
 * forgotten before the keeper is. */
#pragma once

#include "supervisor/run.h"

/* Reads the secrets that run->policy names into run->secrets. What came from a variable is gone
 * from the environment of this process afterwards, also from its /proc/PID/environ. Returns 0 or a
 * negative errno with run->outcome failed: one cannot be had, is too large, or can be seen in the
 * command. */
int secrets_read(Run *run);

/* Wipes and frees @secrets. Accepts a zeroed one, and a second call. */
void secrets_forget(Secrets *secrets);
