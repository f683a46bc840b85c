/* SPDX-License-Identifier: MIT */
/* Who can enforce which key: manager, cgroup controller, kernel. capabilities.def is the table;
 * what it rules out is refused by name. */
#pragma once

#include <stdbool.h>

#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/settings.h"

#define LANDLOCK_ABI_MIN 3 /* truncation: landlock(7), "Compatibility" */

/* Text within, since each pointer in a table is a relocation, which every start pays for. */
typedef struct Capability {
        bool system_only;   /* no run of a user manager can have it */
        char controller[8]; /* of cgroup v2, looked for when the scope is up; "": none */
        int landlock_abi;   /* at least; never below LANDLOCK_ABI_MIN */
        bool root;          /* the caller has to be root */
        char by[20];        /* what holds it while the program runs */
} Capability;

/* The row of @key. Static. */
const Capability *capability_of(Key key);

/* The first Linux that has the Landlock ABI @abi, such as "6.7". Static. */
const char *capability_linux(int abi);

/* Adds a message to @reterr_diag for each key in @settings that the machine or caller described by
 * @facts cannot enforce: CapabilityNotSupported, naming who can. A Landlock that is below
 * LANDLOCK_ABI_MIN is another matter, and told once by resolve.c. */
void capabilities_check(const Settings *settings, const Facts *facts, Diag *reterr_diag);
