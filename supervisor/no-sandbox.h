/* SPDX-License-Identifier: MIT */
/* --no-sandbox: the one way to run without the sandbox. Nothing else of confine ends here. */
#pragma once

#include "supervisor/run.h"

/* The verb --no-sandbox: stores a record of its own in the journal, then becomes plain python3 with
 * the words of @invocation as they are, restricted by nothing.
 * Returns only if that failed: the exit status. Prints its own messages. */
int no_sandbox(const Invocation *invocation, const Signals *signals);
