/* SPDX-License-Identifier: MIT */
/* Compiles a profile to BPF. Pure: nothing is installed here.
 *
 * We emit the program ourselves instead of through libseccomp, which serves for names only. Every
 * release of it up to 2.6.0 can merge the rules of one call into a weaker filter (its advisory
 * GHSA-4q85-33p6-j5g6); its 32-bit comparisons look at the upper half all the same, so that musl,
 * which sign-extends ioctl requests, would be refused; and its programs are three times as long,
 * which each run pays for when the kernel loads them. */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <sys/types.h>

#include "policy/diag.h"
#include "policy/profile.h"

typedef enum FilterLayer {
        FILTER_OUTER,
        FILTER_OUTER_TRACE,
        FILTER_INNER,
        _FILTER_LAYER_MAX,
        _FILTER_LAYER_INVALID = -22,
} FilterLayer;

typedef struct FilterProgram {
        struct sock_filter *code; /* owned */
        size_t n_code;            /* 1 to BPF_MAXINSNS */
} FilterProgram;

/* Compiles the program of one layer (see FilterPair for what each does).
 * @grants: FILTER_* bits. *ret is owned by the caller, free with filter_program_done().
 * Returns 0; -EINVAL with messages in @reterr: a name that is no system call, a call listed twice,
 * conditions on a notified call; -E2BIG for more than BPF_MAXINSNS; -ENOMEM. */
int filter_compile(const Profile *profile, ProfileArch arch, unsigned grants, FilterLayer layer,
                   FilterProgram *ret, Diag *reterr);

/* Frees what @program holds; the struct itself is the caller's. Accepts a zeroed one. */
void filter_program_done(FilterProgram *program);

/* What each call that @profile notifies on @arch is counted as, whatever is granted: a DenialFamily
 * by number. Returns 0; -EINVAL with a message in @reterr for a call that is in two families. */
int filter_families(const Profile *profile, ProfileArch arch, uint8_t ret[static CALLS_MAX],
                    Diag *reterr);
