/* SPDX-License-Identifier: MIT */
/* The verb log: runs, as the journal has them. */
#pragma once

#include "supervisor/cli.h"

/* Carries @invocation out, whose verb is VERB_LOG. Returns the exit status: 0; 1 if something that
 * it shows is forged, or a start or an end is missing, or the journal cannot be read; 2 for what
 * cannot be meant. Prints its own messages. */
int log_show(const Invocation *invocation);
