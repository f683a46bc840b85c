/* SPDX-License-Identifier: MIT */
/* The journal: the only writer. It speaks journald's native protocol itself, since libsystemd's
 * sender neither says that journald is missing nor ever gives up on one that hangs. */
#pragma once

#include <stdint.h>

#include "supervisor/record.h"

/* Connects to journald's socket. Returns a descriptor, owned by the caller; -ENOENT if there is no
 * journald; another negative errno. Does not block. */
int audit_open(void);

/* Sends @record over @fd, as a sealed memfd if it is too large for a datagram.
 * @system: which manager's journalctl -u shall show it for @unit.
 * Returns 0 or a negative errno, -ETIMEDOUT if the socket stays full until @deadline_usec.
 * Source: systemd's JOURNAL_NATIVE_PROTOCOL.md; systemd.journal-fields(7). */
int audit_send(int fd, const Record *record, const char *unit, bool system, uint64_t deadline_usec);

/* Waits until journald has taken from the socket whatever was sent over @fd.
 * Returns 0 or -ETIMEDOUT at @deadline_usec. */
int audit_confirm(int fd, uint64_t deadline_usec);
