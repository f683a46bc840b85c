/* SPDX-License-Identifier: MIT */
/* The code of a run, as a hash: equal code is found by it, whatever its arguments were. */
#pragma once

#include "supervisor/run.h"

/* More is not hashed: what a run waits for systemd is about as long as this takes. */
#define CODE_SIZE_MAX (1 << 20)

/* Fills run->code_sha256, if that was not done yet: of a script, a program by its file name and
 * code from a file on standard input with the SHA-256 of its content, read here without moving a
 * position in it; of -c, whose code is a word of the command, under the key of record_build() as
 * that is. Stays "" for everything else: a command, a module, a directory, a pipe, what is larger,
 * what cannot be read, and -c without a key. For while systemd works; waits for nothing but a disk.
 */
void code_hash(Run *run);
