/* SPDX-License-Identifier: MIT */
/* A directory for the files of a unit test: the current one once it was made. In paths and texts
 * "@" stands for it. Whatever fails here ends the test. */
#pragma once

#include <sys/types.h>

/* The canonical path of the directory, which the first call makes. Static. */
const char *tree_root(void);

/* Removes the directory with all that is in it. */
void tree_remove(void);

/* Makes the file @name, relative to the root, of @text, and the directories that lead to it. */
void tree_put(const char *name, const char *text, mode_t mode);

/* Makes the link @name, relative to the root. */
void tree_link(const char *target, const char *name);

/* Makes what an installation of Python below @prefix, relative to the root, is known by. */
void tree_python(const char *prefix);

/* @text with the root in place of each "@"; the caller's. */
char *tree_expand(const char *text);

/* The strings of @strv, which may be NULL, with blanks between; the caller's. */
char *tree_join(char *const *strv);

/* Makes @path the home directory of the caller. */
void tree_home(const char *path);

/* Checks that @got is @wanted, in which "@" stands for the root. */
void is_path(const char *got, const char *wanted, const char *what);
