/* SPDX-License-Identifier: MIT */
/* Reads the calls of a profile's group and the conditions on their arguments. */
#include "policy/profile-internal.h"

#include <errno.h>
#include <string.h>

#include "policy/json.h"
#include "supervisor/base/base.h"

static const ProfileName constants[] = {
#define CONSTANT(name, value) { #name, value },
#include "policy/constants.def"
#undef CONSTANT
};

int profile_refuse(const ProfilePlace *place, const char *what, const char *object) {
        return diag_add(place->reterr, ERROR_CONFIGURATION, "'%s:%zu': %s%s%s%s%s%s%s '%s'",
                        place->file, place->line, place->group ? "group '" : "",
                        place->group ? place->group : "", place->group ? "', " : "",
                        place->call ? "call '" : "", place->call ? place->call : "",
                        place->call ? "', " : "", what, object);
}

const ProfileName *profile_find_name(const ProfileName *names, size_t n_names, const char *word,
                                     size_t length) {
        for (size_t i = 0; i < n_names; i++)
                if (strncmp(names[i].name, word, length) == 0 && names[i].name[length] == '\0')
                        return &names[i];
        return NULL;
}

/* Reads 17 or "NAME" or "NAME|NAME|...". */
static int read_value(const cJSON *item, uint32_t *ret, ProfilePlace *place) {
        const char *word = json_text(item);
        uint32_t value = 0;

        place->line = json_line(item);
        if (!word) {
                /* A number must not be mistaken for the placeholder. */
                if (json_unsigned(item, UINT32_MAX, ret) < 0 || *ret == PROFILE_SELF)
                        return profile_refuse(place, "expected a constant or an integer in",
                                              "arguments");
                return 0;
        }
        for (;;) {
                size_t length = strcspn(word, "|");
                const ProfileName *found =
                        profile_find_name(constants, ARRAY_SIZE(constants), word, length);

                if (!found)
                        return profile_refuse(place, "unknown constant in", word);
                value |= found->value;
                if (word[length] == '\0')
                        break;
                word += length + 1;
        }
        *ret = value;
        return 0;
}

static int read_values(const cJSON *array, ProfileArgument *argument, ProfilePlace *place) {
        size_t n = json_count(array);
        int r;

        if (!json_is_array(array) || n < 1 || n > PROFILE_VALUES_MAX)
                return profile_refuse(place, "expected an array with values as", "in");
        argument->values = calloc(n, sizeof(uint32_t));
        if (!argument->values)
                return -ENOMEM;
        for (const cJSON *item = array->child; item; item = item->next) {
                uint32_t *value = &argument->values[argument->n_values++];

                r = read_value(item, value, place);
                if (r < 0)
                        return r;
                if (*value & ~argument->mask)
                        return profile_refuse(place, "can never match: a value outside the",
                                              "mask");
        }
        return 0;
}

/* "only": no bit but these; "without": none of these bits. Both are (argument & mask) == 0. */
static int read_bits(const cJSON *bits, bool only, ProfileArgument *argument, ProfilePlace *place) {
        uint32_t value = 0;
        int r;

        r = read_value(bits, &value, place);
        if (r < 0)
                return r;
        argument->mask = only ? ~value : value;
        argument->values = calloc(1, sizeof(uint32_t));
        if (!argument->values)
                return -ENOMEM;
        argument->n_values = 1;
        return 0;
}

static int read_argument(const cJSON *item, ProfileArgument *ret, ProfilePlace *place) {
        static const char *const keys[] = {
                "index", "in", "mask", "only", "without", "null", NULL
        };
        const cJSON *in = json_member(item, "in");
        const cJSON *mask = json_member(item, "mask");
        const cJSON *only = json_member(item, "only");
        const cJSON *without = json_member(item, "without");
        const cJSON *null = json_member(item, "null");
        const char *unknown;
        int r;

        place->line = json_line(item);
        if (!json_is_object(item))
                return profile_refuse(place, "expected objects in", "arguments");
        unknown = json_unknown_key(item, keys);
        if (unknown)
                return profile_refuse(place, "unknown key", unknown);
        if (json_unsigned(json_member(item, "index"), 5, &ret->index) < 0)
                return profile_refuse(place, "expected an integer from 0 to 5 as", "index");
        if (!!in + !!only + !!without + !!null != 1 || (mask && !in))
                return profile_refuse(place,
                                      "expected one of in (with mask), only, without and null in",
                                      "arguments");
        ret->mask = UINT32_MAX;
        if (null) {
                ret->null = true;
                return json_is_true(null) ? 0 : profile_refuse(place, "expected true as", "null");
        }
        if (!in)
                return read_bits(only ? only : without, only != NULL, ret, place);
        if (mask) {
                r = read_value(mask, &ret->mask, place);
                if (r < 0)
                        return r;
        }
        return read_values(in, ret, place);
}

static int read_call(const cJSON *item, ProfileCall *ret, ProfilePlace *place) {
        static const char *const keys[] = { "name", "arguments", NULL };
        const char *name = json_text(json_is_object(item) ? json_member(item, "name") : item);
        const cJSON *arguments;
        size_t n;

        place->line = json_line(item);
        if (!name || name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
                return profile_refuse(place, "expected the name of a system call in", "calls");
        ret->line = place->line;
        ret->name = strdup(name);
        if (!ret->name)
                return -ENOMEM;
        if (!json_is_object(item))
                return 0;
        place->call = name;
        if (json_unknown_key(item, keys))
                return profile_refuse(place, "unknown key", json_unknown_key(item, keys));
        arguments = json_member(item, "arguments");
        n = json_count(arguments);
        if (!json_is_array(arguments) || n < 1 || n > PROFILE_ARGUMENTS_MAX)
                return profile_refuse(place, "expected an array with conditions as", "arguments");
        ret->arguments = calloc(n, sizeof(ProfileArgument));
        if (!ret->arguments)
                return -ENOMEM;
        for (const cJSON *argument = arguments->child; argument; argument = argument->next) {
                int r = read_argument(argument, &ret->arguments[ret->n_arguments++], place);

                if (r < 0)
                        return r;
        }
        place->call = NULL;
        return 0;
}

int profile_read_calls(const cJSON *array, ProfileGroup *group, ProfilePlace *place) {
        size_t n = json_count(array);

        if (!json_is_array(array) || n < 1 || n > PROFILE_CALLS_MAX)
                return profile_refuse(place, "expected an array with system calls as", "calls");
        group->calls = calloc(n, sizeof(ProfileCall));
        if (!group->calls)
                return -ENOMEM;
        for (const cJSON *item = array->child; item; item = item->next) {
                ProfileCall *call = &group->calls[group->n_calls++];
                int r = read_call(item, call, place);

                if (r < 0)
                        return r;
                if (call->n_arguments > 0 && group->action != PROFILE_ALLOW)
                        return profile_refuse(place,
                                              "only an action 'allow' can have conditions, see",
                                              call->name);
        }
        return 0;
}
