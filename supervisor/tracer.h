/* SPDX-License-Identifier: MIT */
/* In place of the listener, where a filter above has the only one that there can be: a tracer lets
 * the run's own execve through and is gone. Later ones find no tracer and get ENOSYS. */
#pragma once

#include <sys/types.h>

/* Attaches to the waiting worker @pid before it is told to go. Returns 0 or a negative errno.
 * Source: ptrace(2), PTRACE_SEIZE, PTRACE_O_TRACESECCOMP. */
int tracer_attach(pid_t pid);

/* Looks, when the worker has stopped, whether it stands before its execve; if so lets it go and
 * detaches. Returns 1 if it did, 0 if not yet, a negative errno if @pid is no longer traced. */
int tracer_serve(pid_t pid);
