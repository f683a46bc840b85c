/* SPDX-License-Identifier: MIT */
/* The verbs for runs that go on. All return the exit status of a verb and print their own messages.
 */
#pragma once

#include "supervisor/cli.h"
#include "supervisor/sandbox.h"

/* The verb "list". With --watch it does not return. */
int manage_list(const Invocation *invocation);

/* The verb "inspect": one run. */
int manage_inspect(const Invocation *invocation);

/* The verb "kill". A run that is gone is killed well enough. */
int manage_kill(const Invocation *invocation);

/* The verb "reap": what has lost its supervisor. The status is 1 if something is left of it. */
int manage_reap(const Invocation *invocation);

/* Finds the runs that @invocation may mean, and says so if that fails. Returns 0 and *ret, to be
 * freed with sandboxes_done(), or a negative errno. */
int manage_find(const Invocation *invocation, Sandboxes *ret);

/* Prints @sandboxes, or only those of them that are orphaned. Returns the exit status of a verb. */
int manage_print(const Sandboxes *sandboxes, bool orphaned, bool json);

/* Finds the run of @sandboxes whose id begins with @id; the name of its unit will do, too. Of
 * those that have all of @id it is that of the system manager. Says what is wrong with @id. Returns
 * 1 and *ret, which points into @sandboxes; 0: there is none; -EINVAL: it is no id; -ENOTUNIQ:
 * there are more. */
int manage_match(const Sandboxes *sandboxes, const char *id, Sandbox **ret);
