/* SPDX-License-Identifier: MIT */
/* The private view, as far as the supervisor decides it: whether there is one, which paths stay
 * writable in it, where scratch goes. The worker makes it (worker/view.c). */
#pragma once

#include "supervisor/run.h"

/* Notes that @grant, opened as @fd, leads to @target, absolute and without links: nothing is
 * mounted over it, and it stays writable if that is what it grants. Returns 0 or a negative errno.
 */
int view_add_grant(Run *run, const Grant *grant, const char *target, int fd);

/* Decides the rest of run->view, after the last grant. Returns 0 or a negative errno with
 * run->outcome failed: scratch has no place. */
int view_decide(Run *run);

/* There will be none: the host refuses it, and the policy can do without. */
void view_give_up(Run *run);

/* Frees what @view holds. Accepts a zeroed one. */
void view_done(View *view);
