/* SPDX-License-Identifier: MIT */
/* The table of policy keys, made from keys.def, and looking keys up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

typedef struct KeyInfo {
        const char *section;
        const char *name;
        ValueType type;
        const char *choices; /* the words of VALUE_CHOICE, else NULL */
        const char *preset;  /* the shipped default; NULL: unset */
        uint64_t min, max;   /* of number types */
        MergeRule merge;
        LayerSet layers;
        bool built;
        size_t offset, width; /* of the field in Policy, if built */
        const char *help;
} KeyInfo;

/* The row of @key. Static. */
const KeyInfo *key_info(Key key);

/* Looks @name up, capitals and small letters as written.
 * Returns the key; _KEY_INVALID, with *ret_near the nearest name there is or NULL. */
Key key_find(const char *name, const char **ret_near);

/* Says why @value of @key is refused in this version although it is in the vocabulary.
 * Returns the end of a message, static; NULL if nothing is known against it. */
const char *key_later_value(Key key, const char *value);
