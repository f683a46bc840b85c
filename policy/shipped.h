/* SPDX-License-Identifier: MIT */
/* The filters of the shipped profile, compiled at build time by mkfilters from policy/seccomp into
 * gen/filters.c, so that a run only picks a table. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/* What a run was granted, as far as filters differ by it. Any or-ed set of these is valid.
 * The names in the profile's "when" are those of profile.c. */
enum {
        FILTER_SUBPROCESS = 1 << 0,   /* processes may be started: fork, exec, wait */
        FILTER_NETWORK = 1 << 1,      /* IPv4 and IPv6, TCP and UDP */
        FILTER_VIEW = 1 << 2,         /* all but the write grants is mounted read-only */
        FILTER_BIND_SIGNALS = 1 << 3, /* no Landlock signal scope: kill only the own process */
        FILTER_PORTS = 1 << 4,        /* the network is TCP connections to some ports */
        _FILTER_COMBINATIONS = 1 << 5,
};

/* What a notified call is counted as. */
typedef enum DenialFamily {
        DENIAL_NONE, /* not a notified call */
        DENIAL_EXEC,
        DENIAL_NETWORK,
        DENIAL_PROCESS,
        DENIAL_INSPECT, /* looks into other processes: ptrace and its kin */
        DENIAL_LOCAL,   /* sockets that cannot leave the machine: no profile names it */
        _DENIAL_MAX,
        _DENIAL_INVALID = -22,
} DenialFamily;

/* The filters of a run. The program is under both: the kernel takes the stricter answer, so the
 * inner one admits what the outer one hands to the supervisor. */
typedef struct FilterPair {
        /* Installed first, with a listener. Foreign ABI: SIGSYS. clone3: ENOSYS. Calls that the
         * supervisor decides or counts: USER_NOTIF. Everything else passes. */
        struct sock_fprog outer;
        /* The same for a host that refuses a listener (EBUSY): the calls of the family DENIAL_EXEC
         * go to a tracer (ENOSYS without one), the other notified calls are EPERM. */
        struct sock_fprog outer_trace;
        /* Installed last: the allowlist, EPERM for the rest. Admits no further filter. */
        struct sock_fprog inner;
        /* What the calls that the outer one notifies are counted as: a DenialFamily by number. */
        const uint8_t *families;
        size_t n_families;
} FilterPair;

/* The filters of the native architecture for @grants, a set of FILTER_* bits. Static, never NULL.
 * With FILTER_BIND_SIGNALS see filter_bind_self(). */
const FilterPair *shipped_filters(unsigned grants);

/* The family of the system call @nr of the native architecture under @pair. */
static inline DenialFamily filter_pair_family(const FilterPair *pair, int nr) {
        return nr >= 0 && (size_t)nr < pair->n_families ? (DenialFamily)pair->families[nr]
                                                        : DENIAL_NONE;
}
