/* SPDX-License-Identifier: MIT */
/* The line of the kernel's log that tells of a system call which killed a process. Pure: only text
 * is looked at. */
#pragma once

#include <stdint.h>

typedef struct SeccompRecord {
        uint64_t pid; /* of the process, in the initial namespace, as is */
        uint64_t uid;
        uint64_t sig;  /* that it died of */
        uint32_t arch; /* AUDIT_ARCH_... */
        uint32_t nr;
} SeccompRecord;

/* Parses @line, as read from /dev/kmsg. Returns 0, or -EBADMSG for whatever is not known to mean
 * just this. Source: the kernel's audit_seccomp(), kauditd_printk_skb() and
 * Documentation/ABI/testing/dev-kmsg. */
int seccomp_record_parse(const char *line, SeccompRecord *ret);
