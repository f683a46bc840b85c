/* SPDX-License-Identifier: MIT */
/* The table of policy keys, made from keys.def, and looking keys up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/value.h"

typedef enum Key {
#define KEY(section, name, ...)   KEY_##name,
#define LATER(section, name, ...) KEY_##name,
#include "policy/keys.def"
        _KEY_MAX,
        _KEY_INVALID = -22,
} Key;

typedef enum MergeRule {
        MERGE_ONCE, /* a later layer replaces; twice in one layer is refused */
        MERGE_LIST, /* all values count */
} MergeRule;

typedef enum LayerSet {
        LAYERS_ANY,
        LAYERS_COMMAND_LINE,
} LayerSet;

/* What a project's own file may do with a key, and a ceiling. */
typedef enum BoundRule {
        BOUND_NONE,  /* nothing */
        BOUND_MOST,  /* lower it; say what is the most */
        BOUND_UPTO,  /* nothing; say what is the most */
        BOUND_LEAST, /* nothing; say what is the least */
        BOUND_BELOW, /* grant below its own directory; say below what */
        BOUND_AMONG, /* nothing; list what may be named */
} BoundRule;

typedef struct KeyInfo {
        const char *section;
        const char *name;
        ValueType type;
        const char *choices; /* the words of VALUE_CHOICE, else NULL */
        const char *preset;  /* the shipped default; NULL: unset */
        uint64_t min, max;   /* of number types */
        MergeRule merge;
        LayerSet layers;
        BoundRule bound;
        bool built;
        size_t offset, width; /* of the field in Policy, if built */
        const char *help;
} KeyInfo;

/* The row of @key. Static. */
const KeyInfo *key_info(Key key);

/* Reads the number that @policy has for @info, whose type is one of a number. */
uint64_t key_load(const KeyInfo *info, const Policy *policy);

/* The same, and for a weight that nobody set what systemd makes of that.
 * Source: systemd.resource-control(5). */
uint64_t key_load_in_force(const KeyInfo *info, const Policy *policy);

/* Makes @number, which is between min and max of @info or LIMIT_UNSET, the one of @policy. */
void key_store(const KeyInfo *info, Policy *policy, uint64_t number);

/* Whether @number asks for more than @bound does, both of @info, or LIMIT_UNSET: where a key has a
 * least, a smaller number does. */
bool key_is_more(const KeyInfo *info, uint64_t number, uint64_t bound);

/* Looks @name up, capitals and small letters as written.
 * Returns the key; _KEY_INVALID, with *ret_near the nearest name there is or NULL. */
Key key_find(const char *name, const char **ret_near);

/* Says why @value of @key is refused in this version although it is in the vocabulary.
 * Returns the end of a message, static; NULL if nothing is known against it. */
const char *key_later_value(Key key, const char *value);
