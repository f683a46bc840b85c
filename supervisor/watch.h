/* SPDX-License-Identifier: MIT */
/* From the worker's start to its end: signals, deadline, listener, keeper. */
#pragma once

#include "supervisor/run.h"

/* Watches the run until the worker has ended, or cannot be ended. Fills
 * run->outcome's cause, status and signal. Closes report and listener descriptors.
 * Returns 0, or a negative errno if the worker is still there (run->outcome.orphaned is set). */
int watch_worker(Run *run);
