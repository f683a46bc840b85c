/* SPDX-License-Identifier: MIT */
/* The keeper: first process of the scope, trusted, outside the leaf. */
#pragma once

#include "supervisor/worker/plan.h"

typedef enum KeeperStep {
        KEEPER_STEP_SCOPE, /* no scope directory came */
        KEEPER_STEP_LEAF,
        KEEPER_STEP_MOVE,
        KEEPER_STEP_CONTROLLERS,
        KEEPER_STEP_OOM_GROUP,
        KEEPER_STEP_TASKS,
        KEEPER_STEP_WORKER,
        _KEEPER_STEP_MAX,
} KeeperStep;

/* What @step does, for messages. Static. */
const char *keeper_step_name(int step);

/* The keeper's main, in the forked child. Serves the supervisor over plan->keeper_fd until it is
 * told to end or the supervisor is gone; then kills the leaf, removes it and ends. Never returns.
 */
_Noreturn void keeper_main(const Plan *plan);
