/* SPDX-License-Identifier: MIT */
/* The keeper: first process of the scope, trusted, outside the leaf. */
#pragma once

#include "supervisor/worker/plan.h"

/* The keeper's main, in the forked child. Serves the supervisor over plan->keeper_fd until it is
 * told to end or the supervisor is gone; then kills the leaf, removes it and ends. Never returns.
 */
_Noreturn void keeper_main(const Plan *plan);
