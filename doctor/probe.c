/* SPDX-License-Identifier: MIT */
/* Looks at the machine and fills Facts. */
#include "doctor/probe.h"

#include <unistd.h>

#include "supervisor/base/kernel.h"

void probe_facts(bool system_manager, Facts *ret) {
        *ret = (Facts){
                .uid = geteuid(),
                .system_manager = system_manager,
                .landlock_abi = kernel_landlock_abi(),
        };
}
