/* SPDX-License-Identifier: MIT */
/* Which Landlock rights exist at an ABI and which of them a grant includes. rights.def is the
 * table. Pure functions: nothing here asks the kernel.
 *
 * An ABI newer than the table gets the newest row: what a later kernel adds stays unhandled until
 * somebody has read what it means. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The lowest ABI a run accepts: without TRUNCATE (ABI 3) any readable file could be emptied. */
int rights_floor(void);

/* The newest ABI the table knows. */
int rights_newest(void);

/* Every file right of @abi, for handled_access_fs: what is handled and not granted is denied.
 * 0 for @abi < 1. */
uint64_t rights_handled_fs(int abi);

/* Every port right of @abi, for handled_access_net. No rule is ever added in a run without network,
 * so that it is a second wall behind seccomp. */
uint64_t rights_handled_net(int abi);

/* Every scope of @abi, for the field `scoped`. */
uint64_t rights_scoped(int abi);

/* The bytes of LandlockRulesetAttr that @abi has. */
size_t rights_ruleset_size(int abi);

/* The rights that a rule for one object needs.
 * @access: GRANT_* bits of policy.h, or-ed.
 * @mode: st_mode of the object behind the rule; only its type counts. Directory rights are left out
 * for anything but a directory, IOCTL_DEV for anything but a character device.
 * Returns a subset of rights_handled_fs(@abi), never 0 for a valid @access and @abi >= 1. */
uint64_t rights_for_grant(unsigned access, mode_t mode, int abi);

/* Flags for landlock_restrict_self(2), which from ABI 7 on say what of the denials the kernel's
 * audit log gets: nothing of the program's, which could flood it, nor of domains that the program
 * makes.
 * @own_logged: those before the execve of the program do get there. */
uint32_t rights_restrict_flags(int abi, bool own_logged);
