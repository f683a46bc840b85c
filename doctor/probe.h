/* SPDX-License-Identifier: MIT */
/* Looks at the machine and fills Facts. Changes nothing. */
#pragma once

#include <stdbool.h>

#include "policy/facts.h"

/* Fills *@ret for a run of the calling process under the system or its own user manager. Only what
 * every run needs: a few system calls. */
void probe_facts(bool system_manager, Facts *ret);

/* Whether systemd manages this machine, by '/run/systemd/system'. Source: sd_booted(3). */
bool probe_systemd(void);

/* Whether something here heeds IOWeight=. */
bool probe_io_weight(void);
