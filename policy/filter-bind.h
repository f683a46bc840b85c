/* SPDX-License-Identifier: MIT */
/* Binding a compiled filter to the process that runs it. Apart from the compiler, so that the
 * worker needs neither it nor libseccomp. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <sys/types.h>

#define FILTER_LENGTH_MAX 1024U /* instructions that a worker has room to bind */

/* Replaces the value "self" in @code by @pid: the caller copies the shipped table, binds the copy
 * in the process that will run the program, and installs it. Returns how often it was replaced. */
size_t filter_bind_self(struct sock_filter *code, size_t n_code, pid_t pid);
