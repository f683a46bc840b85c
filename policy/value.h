/* SPDX-License-Identifier: MIT */
/* Text to value and back, by type: sizes, spans, percentages, counts, booleans, choices, paths,
 * names. Exact grammars; whatever else is refused with what to write instead. Ranges are the
 * business of keys.def. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VALUE_HINT_SIZE   192
#define VALUE_FORMAT_SIZE 96
#define VALUE_PATH_MAX    4095 /* bytes; PATH_MAX counts the NUL */
#define VALUE_NAME_MAX    256  /* bytes of a user, group or environment variable name */

typedef enum ValueType {
        /* one number */
        VALUE_SIZE,    /* bytes: DIGITS[KMGT], base 1024 */
        VALUE_SPAN,    /* microseconds: DIGITS, or DIGITS UNIT... with falling units */
        VALUE_PERCENT, /* 100% = 1000000: DIGITS% */
        VALUE_COUNT,   /* DIGITS */
        VALUE_BOOL,    /* yes, true, on, 1, no, false, off, 0 */
        VALUE_CHOICE,  /* the index of a word */
        _VALUE_NUMBER_MAX,
        /* text */
        VALUE_PATH = _VALUE_NUMBER_MAX, /* one path, made absolute */
        VALUE_GRANT,                    /* [-]PATH */
        VALUE_PROFILE,                  /* "shipped", or a path */
        VALUE_ASSIGNMENT,               /* NAME=VALUE */
        VALUE_NAME,                     /* NAME of an environment variable */
        VALUE_LABEL,                    /* KEY=VALUE */
        VALUE_BANDWIDTH,                /* PATH SIZE, see bandwidth.h */
        VALUE_PORT,                     /* 1 to 65535 */
        VALUE_ACCOUNT,                  /* user or group, by name or number */
        VALUE_UIDS,                     /* FIRST-LAST, see uid-range.h */
        VALUE_PROGRAM,                  /* a name to be found in PATH, or one path, made absolute */
        VALUE_SLICE,                    /* confine[-WORD]...[.slice], see slice.h */
        VALUE_SECRET,                   /* NAME[:env][=SOURCE], see secret.h */
        VALUE_CREDENTIAL,               /* ID[:PATH] */
        VALUE_TEXT,                     /* anything; only keys that are not built yet */
        _VALUE_MAX,
        _VALUE_INVALID = -22,
} ValueType;

/* What was expected, as the end of a message: "write '1536M'". */
typedef struct ValueHint {
        char text[VALUE_HINT_SIZE];
} ValueHint;

#define VALUE_LABEL_KEY_MAX 32  /* bytes */
#define VALUE_LABEL_MAX     128 /* bytes of the value */
#define LABELS_MAX          16  /* of one run */

/* Reads @text as the number type @type (below _VALUE_NUMBER_MAX).
 * @choices: the words of VALUE_CHOICE, separated by '|'; else not looked at.
 * Returns 0; -EINVAL with @reterr_hint for anything but the exact grammar, for an attempt to unset
 * a limit ("infinity", empty), and for what does not fit 64 bits. */
int value_parse_number(ValueType type, const char *choices, const char *text, uint64_t *ret,
                       ValueHint *reterr_hint);

/* Writes @number to @ret in the form value_parse_number() reads, the largest unit that is exact. */
void value_format_number(ValueType type, const char *choices, uint64_t number,
                         char ret[static VALUE_FORMAT_SIZE]);

/* Makes @text an absolute path: a relative one is joined to @cwd; "//", "/./" and a "/" at the end
 * go away, ".." stays, since it may lead across a symbolic link.
 * @cwd: absolute, or NULL if it is not known, which refuses relative paths.
 * Returns 0, *ret is the caller's; -EINVAL with @reterr_hint for an empty or overlong path, one
 * with control characters, or one that starts with "~"; -ENOMEM. */
int value_parse_path(const char *text, const char *cwd, char **ret, ValueHint *reterr_hint);

/* Checks the first @length bytes of @text for [A-Za-z_][A-Za-z0-9_]*.
 * Returns 0 or -EINVAL with @reterr_hint. */
int value_check_variable(const char *text, size_t length, ValueHint *reterr_hint);

/* Checks @text, a label whose key is the first @length bytes, for KEY=VALUE: lower case letters,
 * digits and '_' after a letter; printable UTF-8. Returns 0 or -EINVAL with @reterr_hint. */
int value_check_label(const char *text, size_t length, ValueHint *reterr_hint);

/* Makes @text what a program is found by: a path as value_parse_path() does if it has a slash, else
 * the name as it is. Returns 0, *ret is the caller's; -EINVAL with @reterr_hint for an empty one,
 * one with control characters, or a path that is none; -ENOMEM. */
int value_parse_program(const char *text, const char *cwd, char **ret, ValueHint *reterr_hint);

/* Checks the name or number of a user or group; does not look it up.
 * Returns 0 or -EINVAL with @reterr_hint. */
int value_check_account(const char *text, ValueHint *reterr_hint);

/* What @type is called in messages: "a size". Static. */
const char *value_type_name(ValueType type);
