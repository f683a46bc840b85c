/* SPDX-License-Identifier: MIT */
/* A seccomp profile as data: groups of system calls, each with its reason. Reads the JSON format of
 * policy/seccomp/README.md; filter.c makes BPF of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/calls.h"
#include "policy/diag.h"
#include "policy/shipped.h"

/* Limits of one profile. */
#define PROFILE_TEXT_MAX      262144U /* bytes of one file */
#define PROFILE_GROUPS_MAX    64U
#define PROFILE_CALLS_MAX     512U /* per group */
#define PROFILE_ARGUMENTS_MAX 6U   /* conditions per call */
#define PROFILE_VALUES_MAX    64U  /* values per condition */

/* The value "self": stands for the pid of the process that installs the filter. Greater than any
 * pid, so it matches nothing until filter_bind_self() has replaced it. */
#define PROFILE_SELF UINT32_C(0x5e1f5e1f)

typedef enum ProfileAction {
        PROFILE_ALLOW,
        PROFILE_ERRNO,
        PROFILE_NOTIFY, /* handed to the supervisor, which answers EPERM or lets it pass */
        _PROFILE_ACTION_MAX,
        _PROFILE_ACTION_INVALID = -22,
} ProfileAction;

/* One condition on one argument. It holds if (argument & mask) is one of the values. Only the low
 * 32 bits count, as for the kernel where it takes an int; a condition on a pointer looks at all 64.
 */
typedef struct ProfileArgument {
        unsigned index; /* 0 to 5 */
        bool null;      /* a pointer that must be NULL: no mask, no values */
        uint32_t mask;  /* UINT32_MAX: all bits */
        uint32_t *values;
        size_t n_values;
} ProfileArgument;

typedef struct ProfileCall {
        char *name;
        size_t line;                /* of the file, for messages */
        ProfileArgument *arguments; /* all must hold */
        size_t n_arguments;         /* 0: whatever the arguments are */
} ProfileCall;

typedef struct ProfileGroup {
        char *file; /* and the line in it, for messages */
        size_t line;
        char *name;
        char *reason;
        char *moby;          /* "listed", or how it departs from the reference; NULL if not said */
        unsigned when_set;   /* FILTER_* bits that must be granted */
        unsigned when_clear; /* FILTER_* bits that must not be */
        unsigned arches;     /* 1 << PROFILE_X86_64, ... */
        bool optional;       /* a name that libseccomp does not know is left out */
        ProfileAction action;
        int error;           /* PROFILE_ERRNO: a positive errno */
        DenialFamily family; /* PROFILE_NOTIFY */
        ProfileCall *calls;
        size_t n_calls;
} ProfileGroup;

typedef struct Profile {
        ProfileGroup *groups;
        size_t n_groups;
} Profile;

/* Reads @text, @size bytes, and adds its groups to @profile, which is zeroed before the first call.
 * Strict: unknown and duplicate keys, unknown constants, anything but integers, and what follows
 * the end are errors. @file: name for messages. Returns 0; -EINVAL with messages in @reterr
 * (@profile is then only good for profile_done()); -ENOMEM. */
int profile_parse(Profile *profile, const char *text, size_t size, const char *file, Diag *reterr);

/* Reads the profile of all files *.json in the directory @path, in the order of their names.
 * Returns 0; -EINVAL with messages in @reterr; another negative errno. */
int profile_read_directory(Profile *profile, const char *path, Diag *reterr);

/* Whether @group is in force on @arch for @grants, a set of FILTER_* bits. */
bool profile_group_active(const ProfileGroup *group, ProfileArch arch, unsigned grants);

/* Frees what @profile holds; the struct itself is the caller's. Accepts a zeroed one. */
void profile_done(Profile *profile);
