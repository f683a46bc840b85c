/* SPDX-License-Identifier: MIT */
/* Where what is shown goes: through a pager on a terminal, else as it is. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Lets a pager have what is written to stdout from now on, if that is a terminal with capabilities:
 * less(1), or for others than root the shell command in $PAGER. Without one stdout stays the
 * terminal. SIGPIPE is ignored from then on. Returns what pager_close() gets; 0: there is none. */
pid_t pager_open(void);

/* Whether stdout may be coloured: a terminal, and nobody said NO_COLOR. Call it before
 * pager_open(). */
bool pager_may_colour(void);

/* Ends what is written, and waits until the reader has seen it. Nothing is written to stdout
 * afterwards. Accepts 0. */
void pager_close(pid_t pager);
