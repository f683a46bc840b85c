/* SPDX-License-Identifier: MIT */
/* Opening what is granted, with the rights of the caller, before anything of the run exists. */
#pragma once

#include "supervisor/run.h"

/* Opens every grant of the policy into run->opened. What a path leads to must be grantable as well.
 * A read grant of / becomes grants of what is in it, without /proc, /run and the cgroup tree.
 * Returns 0 or a negative errno with run->outcome failed. */
int grants_open(Run *run);

/* Refuses a write grant with /proc, the cgroups or their kin mounted somewhere below it. For the
 * time that systemd works: a machine with containers has hundreds of mounts, 0.1 ms or more.
 * Returns 0 or a negative errno with run->outcome failed. */
int grants_check_mounts(Run *run);

/* Holds @grant, which leads to the canonical path @target, to the ceilings of the machine.
 * Returns 0 or a negative errno with run->outcome failed. */
int grants_check_ceiling(Run *run, const Grant *grant, const char *target);

/* Closes and frees run->opened. */
void grants_close(Run *run);
