/* SPDX-License-Identifier: MIT */
/* Between profile.c and profile-call.c only: the two halves of the profile reader. */
#pragma once

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/profile.h"

/* The name is no pointer: each start would have to relocate it. */
typedef struct ProfileName {
        char name[28];
        uint32_t value;
} ProfileName;

/* Where a message points. */
typedef struct ProfilePlace {
        const char *file;
        size_t line;       /* of what is being read */
        const char *group; /* or NULL */
        const char *call;  /* or NULL */
        Diag *reterr;
} ProfilePlace;

/* Adds the message "'file:line': @what '@object'", with the group and call. Returns -EINVAL. */
int profile_refuse(const ProfilePlace *place, const char *what, const char *object);

/* Looks for the first @length bytes of @word in @names. Returns the row or NULL. */
const ProfileName *profile_find_name(const ProfileName *names, size_t n_names, const char *word,
                                     size_t length);

/* Reads the member "calls" of a group into @group, whose action is known already.
 * Returns 0; -EINVAL with a message at @place; -ENOMEM. */
int profile_read_calls(const cJSON *array, ProfileGroup *group, ProfilePlace *place);
