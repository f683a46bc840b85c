/* SPDX-License-Identifier: MIT */
/* Where what confine remembers for its caller stands: /var/lib/confine for root, confine below
 * $XDG_STATE_HOME or ~/.local/state for others. */
#pragma once

#include <limits.h>

/* Writes the path of the file @name, which has its '/' before it, to @ret. Returns 0; -ENOENT if
 * there is no place for it. */
int state_path(const char *name, char ret[static PATH_MAX]);

/* Makes the directories of @path that are missing, as XDG wants them. What fails shows at the next
 * step. @path is as before afterwards. */
void state_make_directories(char *path);
