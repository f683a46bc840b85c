/* SPDX-License-Identifier: MIT */
/* The Python behind a path, and which files are its own. It is never run to be asked: what it would
 * say stands in pyvenv.cfg and in the layout that CPython itself goes by. */
#pragma once

#include <stdbool.h>

/* Whether the executable @path is a script, which would have to execute an interpreter itself. */
bool interpreter_is_script(const char *path);

/* Finds what the interpreter @path, absolute, needs to run and the base set has not: the directory
 * of its virtualenv, the prefix of the Python behind that, and the executable itself if it is in
 * neither. Of a prefix that is more than Python's own, such as a home directory, only what Python
 * uses. Returns 0 with *ret, NULL-terminated or NULL for nothing, canonical absolute paths, to be
 * freed with strv_free(); a negative errno. Source: CPython's Modules/getpath.py. */
int interpreter_files(const char *path, char ***ret);
