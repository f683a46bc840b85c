/* SPDX-License-Identifier: MIT */
/* A program that somebody moved out of its leaf. Whoever may write to both cgroups can do so, which
 * is root and, in a user's manager, the user: a second StartTransientUnit with the process does it.
 * With that a user gets what runs under the same uid out of a scope of root's, too: by PID 1, which
 * looks at the uid of the process alone.
 * Out there no limit of the run binds the program, and the kill of the leaf does not reach it. The
 * kernel tells that the leaf is empty. It does not tell that the program has gone where others of
 * the run are left: that is seen at the end. */
#pragma once

#include "supervisor/run.h"

/* Opens run->events_fd, on which the kernel tells that the leaf has become empty. Without it, what
 * it would tell is seen at the end. */
void moved_watch(Run *run);

/* Whether the leaf of @run is empty and its program elsewhere; for POLLPRI on run->events_fd. */
bool moved_read(Run *run);

/* Sets run->moved_to if the program, not reaped yet, is elsewhere than in its leaf. */
void moved_look(Run *run);

/* Says of @run, whatever its end was, that its program was moved, if it was: for a part of its time
 * no limit of the run bound it. */
void moved_explain(Run *run);
