/* SPDX-License-Identifier: MIT */
/* What the worker's report of a failed step means to the user. */
#pragma once

#include "supervisor/run.h"
#include "supervisor/worker/report.h"

/* Fails run->outcome by @message, a MESSAGE_WORKER_ERROR. Returns -ENOTRECOVERABLE always. */
int step_failed(Run *run, const Message *message);

/* Fails run->outcome since the limit @resource, RLIMIT_*, of the caller is less than the policy's,
 * and only root may raise a hard one. @reason: of the refusal. Returns -ENOTRECOVERABLE always. */
int step_limit_failed(Run *run, int resource, const char *reason);
