/* SPDX-License-Identifier: MIT */
/* What a run was denied, as far as the supervisor was asked: counted by family and call, and told.
 * Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/shipped.h"

#define DENIAL_ROWS_MAX 24U /* calls, and kinds of sockets, that are told apart */

typedef struct DenialRow {
        int nr;
        int domain; /* of socket(2); -1: another call */
        uint64_t n;
} DenialRow;

/* Zeroed: nothing was denied. */
typedef struct Denials {
        uint64_t n_families[_DENIAL_MAX];
        DenialRow rows[DENIAL_ROWS_MAX];
        size_t n_rows;
        uint64_t n_others;  /* of calls that found no row */
        uint64_t n_probes;  /* of sockets that may be libc's way to nscd */
        uint64_t n_netlink; /* of such sockets */
} Denials;

/* Counts the denied system call @nr, which began with @arguments. A socket that cannot leave
 * the machine (AF_UNIX, AF_NETLINK, AF_ALG) is no attempt at the network: getpwuid(3) and
 * getaddrinfo(3) try them and go on. It is counted as DENIAL_LOCAL. */
void denials_count(Denials *denials, DenialFamily family, int nr,
                   const uint64_t arguments[static 2]);

/* Writes what was denied by call, such as "execve=2 socket(AF_INET)=1", to *ret, which is the
 * caller's; NULL if nothing was. Returns 0 or -ENOMEM. */
int denials_format(const Denials *denials, char **ret);

/* Writes what was denied in words, with the option that grants each under @policy, to *ret, which
 * is the caller's; NULL if there is nothing worth a word, as what getpwuid(3) and getaddrinfo(3)
 * have tried. Returns 0 or -ENOMEM. */
int denials_explain(const Denials *denials, const Policy *policy, char **ret);
