/* SPDX-License-Identifier: MIT */
/* The audit record that the kernel makes of a Landlock domain when it first logs it and when it
 * frees it. Pure: only text is looked at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct DomainRecord {
        uint64_t domain;    /* its id, of which no other has the same until the next boot */
        bool allocated;     /* false: freed */
        uint64_t pid;       /* of the process that made it, which may be gone; if allocated */
        uint64_t uid;       /* of that process at that time; if allocated */
        uint64_t n_denials; /* all accesses that it has denied; if freed */
} DomainRecord;

/* Parses @text, the payload of an audit message of the type AUDIT_LANDLOCK_DOMAIN; what follows the
 * fields above may be cut. Returns 0, or -EBADMSG for whatever is not known to mean just this.
 * Source: the kernel's Documentation/admin-guide/LSM/landlock.rst, security/landlock/audit.c. */
int domain_record_parse(const char *text, DomainRecord *ret);
