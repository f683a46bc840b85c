/* SPDX-License-Identifier: MIT */
/* System calls by name and number. The table is made at build time by mkcalls from libseccomp's, so
 * that no run needs that library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef enum ProfileArch {
        PROFILE_X86_64,
        PROFILE_AARCH64,
        _PROFILE_ARCH_MAX,
        _PROFILE_ARCH_INVALID = -22,
} ProfileArch;

#if defined(__x86_64__)
#define PROFILE_NATIVE PROFILE_X86_64
#elif defined(__aarch64__)
#define PROFILE_NATIVE PROFILE_AARCH64
#endif /* confine is for no other */

#define CALLS_MAX 1024U /* numbers; x86_64 and aarch64 end below 480 */

/* What machines of those two take beside their own, and no run may call. */
typedef enum ForeignAbi {
        FOREIGN_X86,
        FOREIGN_X32,
        FOREIGN_ARM,
        _FOREIGN_ABI_MAX,
        _FOREIGN_ABI_INVALID = -22,
} ForeignAbi;

#define X32_BIT UINT32_C(0x40000000) /* in the numbers of x32, which the table has without it */

/* gen/calls.c: a row per name, sorted by it; calls.c reads them. Offsets instead of pointers, which
 * each start would have to relocate. */
typedef struct CallRow {
        uint16_t name;                       /* offset in call_names */
        uint16_t numbers[_PROFILE_ARCH_MAX]; /* CALLS_MAX: not on that architecture */
        uint16_t foreign[_FOREIGN_ABI_MAX];  /* the same */
} CallRow;

extern const char call_names[];
extern const CallRow call_rows[];
extern const size_t n_call_rows;

/* Looks the system call @name up. Returns its number on @arch; -ENXIO if it exists, but not there;
 * -ENOENT if it is not known. */
int call_number(ProfileArch arch, const char *name);

/* The name of the system call @nr of @arch, static; NULL if it is not known. */
const char *call_name(ProfileArch arch, int nr);

/* The ABI of the system call @nr of @arch, AUDIT_ARCH_..., in words, static; NULL if it is none of
 * ForeignAbi. *ret_name: the name of the call, static; NULL if it is not known. */
const char *call_foreign_abi(uint32_t arch, uint32_t nr, const char **ret_name);
