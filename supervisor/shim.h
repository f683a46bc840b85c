/* SPDX-License-Identifier: MIT */
/* Shims: what a version manager puts into PATH in place of a program. A shim is a script that finds
 * out which version is meant and executes that; a run has one execution only. */
#pragma once

/* Finds what the shim @path would execute. A shim is a script ROOT/shims/NAME beside a directory
 * ROOT/versions, which is how pyenv and its relatives lay them out; the version is what
 * PYENV_VERSION, a .python-version in the current directory or above it, or ROOT/version says.
 * Returns 1 with *ret, absolute and the caller's; 0 if @path is no shim; -ENXIO if it stands for
 * what comes next in PATH; -ENOMEM. */
int shim_resolve(const char *path, char **ret);
