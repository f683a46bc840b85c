/* SPDX-License-Identifier: MIT */
/* Machine-wide numbered slots: one byte lock each in one file. The kernel frees a slot when the
 * last process that holds it has ended, however it ended, so nothing can be left behind. What the
 * locked byte says outlives its holder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Takes a free slot of the range [@first, @first + @n) in the lock file @path, made (mode 0600)
 * with its directory (0755) if missing. The search starts at a random slot. Returns a descriptor
 * that holds the slot until its last copy is closed (owned by the caller) and the slot in
 * *@ret_slot; -EAGAIN if all are taken; another negative errno. Source: fcntl(2), "Open file
 * description locks". */
int slot_take(const char *path, uint32_t first, uint32_t n, uint32_t *ret_slot);

/* Whether the mark of @slot, held by @fd, is set: not if it was never set since the machine
 * started. True also if that cannot be told. */
bool slot_is_marked(int fd, uint32_t slot);

/* Sets or clears the mark of @slot, held by @fd. Returns 0 or a negative errno. */
int slot_mark(int fd, uint32_t slot, bool mark);
