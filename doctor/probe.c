/* SPDX-License-Identifier: MIT */
/* Looks at the machine and fills Facts. */
#include "doctor/probe.h"

#include <limits.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"

/* Lower in test builds only (`make attacks`), which show what an older kernel leaves to the other
 * layers; their --version says so. */
#ifndef CONFINE_LANDLOCK_ABI_MAX
#define CONFINE_LANDLOCK_ABI_MAX INT_MAX
#endif

void probe_facts(bool system_manager, Facts *ret) {
        *ret = (Facts){
                .uid = geteuid(),
                .system_manager = system_manager,
                .landlock_abi = MIN(kernel_landlock_abi(), CONFINE_LANDLOCK_ABI_MAX),
        };
}
