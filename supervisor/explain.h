/* SPDX-License-Identifier: MIT */
/* The cause of a run's end, with the message for it. */
#pragma once

#include "supervisor/run.h"

/* Names in run->outcome what ended @run, if that was not the program itself. Its counters have been
 * read, and its scope is still there: an answer about that needs the unit loaded. May wait some
 * seconds for such an answer. */
void explain_end(Run *run);
