/* SPDX-License-Identifier: MIT */
/* The program to execute: PATH search and environment, so that one execve of an absolute path is
 * all that a run needs. */
#pragma once

#include "policy/policy.h"
#include "supervisor/identity.h"
#include "supervisor/outcome.h"

typedef struct Program {
        char *path;   /* absolute; owned */
        char *script; /* absolute path of a script that is started through path, or NULL; owned */
        char *words;  /* what WORD... of its first line point into, or NULL; owned */
        char **argv;  /* NULL-terminated; owned, its strings are not */
        char **envp;  /* NULL-terminated; owned with its strings */
} Program;

/* Finds the program @name in the caller's PATH, or below the current directory if it has a slash.
 * @shims: find what a shim of a version manager would execute, see shim.h, and not the shim.
 * Returns 0 with *ret, absolute and the caller's; 1 likewise for one found behind a shim; -ENOENT
 * or another negative errno. */
int program_find(const char *name, bool shims, char **ret);

/* Notes in @outcome that @name cannot be executed because of @error, a negative errno: 126 or 127.
 * @fix: what to do about it; NULL: what is usual for a program.
 * Returns -ENOTRECOVERABLE always. */
int program_fail(const char *name, int error, const char *fix, Outcome *outcome);

/* Finds @command[0] in the caller's PATH, or below the current directory if it has a slash. A
 * script whose first line is `#!/usr/bin/env NAME` or `#!/usr/bin/env -S NAME WORD...` is started
 * through NAME, found the same way: env would need a second execve. Returns 0, or a negative errno
 * with @outcome failed (126 or 127). */
int program_resolve(char **command, const Policy *policy, Program *ret, Outcome *outcome);

/* Builds the minimal environment of the run into ret->envp: a fixed PATH, who and where, the
 * locale, TERM on a terminal, thread counts by CPUQuota, then PassEnvironment and Environment of
 * @policy.
 * @caller_env: the environment of confine itself. @scratch: the private directory for HOME and
 * TMPDIR, NULL: none. Returns 0 or -ENOMEM. Pure. */
int program_environment(const Policy *policy, const Identity *identity, char *const *caller_env,
                        bool have_terminal, const char *scratch, const char *credentials,
                        Program *ret);

/* Frees what @program holds; the struct itself is the caller's. Accepts a zeroed one. */
void program_done(Program *program);
