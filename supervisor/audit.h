/* SPDX-License-Identifier: MIT */
/* The journal: the only writer. It speaks journald's native protocol itself, since libsystemd's
 * sender neither says that journald is missing nor ever gives up on one that hangs. */
#pragma once

#include <stdint.h>

#include "supervisor/record.h"

/* A journal entry in journald's native form, ready to be sent. */
typedef struct AuditEntry {
        char *data; /* owned; NULL: none */
        size_t size_bytes;
} AuditEntry;

/* Connects to journald's socket. Returns a descriptor, owned by the caller; -ENOENT if there is no
 * journald; another negative errno. Does not block. */
int audit_open(void);

/* Renders @record as a journal entry. @system: which manager's journalctl -u shall show it for
 * @unit, "" for none. Returns 0 and *ret (free with audit_entry_done()) or -ENOMEM. Source:
 * systemd's JOURNAL_NATIVE_PROTOCOL.md; systemd.journal-fields(7). */
int audit_format(const Record *record, const char *unit, bool system, AuditEntry *ret);

/* Sends @entry over @fd, as a sealed memfd if it is too large for a datagram.
 * Returns 0 or a negative errno, -ETIMEDOUT if the socket stays full until @deadline_usec. */
int audit_send(int fd, const AuditEntry *entry, uint64_t deadline_usec);

/* Builds the record of @event of @run, sends it over a connection of its own and waits until
 * journald has looked at its sender: for who ends, or becomes somebody else, right after it.
 * Returns 0; -ETIMEDOUT after @timeout_usec; another negative errno. */
int audit_store(Run *run, RecordEvent event, uint64_t timeout_usec);

/* Frees what @entry holds; the struct itself is the caller's. Accepts a zeroed one. */
void audit_entry_done(AuditEntry *entry);

/* Waits until journald has taken from the socket whatever was sent over @fd.
 * Returns 0 or -ETIMEDOUT at @deadline_usec. */
int audit_confirm(int fd, uint64_t deadline_usec);

/* Waits until journald has done with whatever was sent over @fd, the look at its sender included.
 * Returns 0; -ETIMEDOUT at @deadline_usec; another negative errno. */
int audit_finish(int fd, uint64_t deadline_usec);
