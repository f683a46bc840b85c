/* SPDX-License-Identifier: MIT */
/* Which project's files the caller trusts: by their path and every byte of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether the caller trusts the file @path, canonical, with the @size_bytes bytes of @text. */
bool trust_has(const char *path, const char *text, size_t size_bytes);

/* The verb policy trust: remembers @name as it is now; NULL: confine.conf of the current directory.
 * Returns the exit status. Prints its own messages. */
int trust_file(const char *name);
