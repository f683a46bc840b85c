/* SPDX-License-Identifier: MIT */
/* Text to number and back. One row of `types` per number type; each parser takes its exact grammar
 * and nothing else, and each guesser finds out what a refused text was meant to be. Paths and names
 * are in path.c. */
#include "policy/value.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/base.h"

typedef struct Unit {
        const char *name;
        uint64_t factor;
} Unit;

/* Both tables are sorted from large to small; the first name of a factor is the one written. */
static const Unit size_units[] = {
        { "T", UINT64_C(1) << 40 },
        { "G", UINT64_C(1) << 30 },
        { "M", UINT64_C(1) << 20 },
        { "K", UINT64_C(1) << 10 },
};

/* As in systemd.time(7), without months and years, which have no exact length. */
static const Unit span_units[] = {
        { "w", 604800 * USEC_PER_SEC },
        { "week", 604800 * USEC_PER_SEC },
        { "weeks", 604800 * USEC_PER_SEC },
        { "d", 86400 * USEC_PER_SEC },
        { "day", 86400 * USEC_PER_SEC },
        { "days", 86400 * USEC_PER_SEC },
        { "h", 3600 * USEC_PER_SEC },
        { "hr", 3600 * USEC_PER_SEC },
        { "hour", 3600 * USEC_PER_SEC },
        { "hours", 3600 * USEC_PER_SEC },
        { "min", 60 * USEC_PER_SEC },
        { "m", 60 * USEC_PER_SEC },
        { "minute", 60 * USEC_PER_SEC },
        { "minutes", 60 * USEC_PER_SEC },
        { "s", USEC_PER_SEC },
        { "sec", USEC_PER_SEC },
        { "second", USEC_PER_SEC },
        { "seconds", USEC_PER_SEC },
        { "ms", USEC_PER_MSEC },
        { "msec", USEC_PER_MSEC },
        { "us", 1 },
        { "usec", 1 },
};

static const char *const bool_words[] = { "no", "yes", "off", "on", "false", "true", "0", "1" };

static bool is_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Takes decimal digits from *@p. A zero in front is refused: systemd would read it as octal. */
static int take_digits(const char **p, uint64_t *ret) {
        const char *s = *p;
        uint64_t number = 0;

        if (!is_digit(*s) || (s[0] == '0' && is_digit(s[1])))
                return -EINVAL;
        for (; is_digit(*s); s++)
                if (__builtin_mul_overflow(number, UINT64_C(10), &number) ||
                    __builtin_add_overflow(number, (uint64_t)(*s - '0'), &number))
                        return -ERANGE;
        *p = s;
        *ret = number;
        return 0;
}

/* Takes a run of letters from *@p and looks it up. NULL if it is no unit. */
static const Unit *take_unit(const char **p, const Unit *units, size_t n_units) {
        size_t length = 0;

        while (is_letter((*p)[length]))
                length++;
        for (size_t i = 0; i < n_units; i++)
                if (strlen(units[i].name) == length && memcmp(units[i].name, *p, length) == 0) {
                        *p += length;
                        return &units[i];
                }
        return NULL;
}

static int parse_size(const char *text, const char *choices _unused_, uint64_t *ret) {
        const Unit *unit;
        uint64_t number;
        int r;

        r = take_digits(&text, &number);
        if (r < 0)
                return r;
        if (*text != '\0') {
                unit = take_unit(&text, size_units, ARRAY_SIZE(size_units));
                if (!unit || *text != '\0')
                        return -EINVAL;
                if (__builtin_mul_overflow(number, unit->factor, &number))
                        return -ERANGE;
        }
        *ret = number;
        return 0;
}

static int parse_span(const char *text, const char *choices _unused_, uint64_t *ret) {
        uint64_t sum = 0, factor_before = UINT64_MAX, number;
        const Unit *unit;
        int r;

        do {
                r = take_digits(&text, &number);
                if (r < 0)
                        return r;
                if (*text == '\0' && factor_before == UINT64_MAX) { /* seconds, if alone */
                        if (__builtin_mul_overflow(number, USEC_PER_SEC, ret))
                                return -ERANGE;
                        return 0;
                }
                text += strspn(text, " ");
                unit = take_unit(&text, span_units, ARRAY_SIZE(span_units));
                if (!unit || unit->factor >= factor_before)
                        return -EINVAL;
                factor_before = unit->factor;
                if (__builtin_mul_overflow(number, unit->factor, &number) ||
                    __builtin_add_overflow(sum, number, &sum))
                        return -ERANGE;
                if (*text == ' ')
                        text += strspn(text, " ");
                else if (*text == '\0')
                        break;
        } while (true);
        *ret = sum;
        return 0;
}

static int parse_percent(const char *text, const char *choices _unused_, uint64_t *ret) {
        uint64_t number;
        int r;

        r = take_digits(&text, &number);
        if (r < 0)
                return r;
        if (strcmp(text, "%") != 0)
                return -EINVAL;
        return __builtin_mul_overflow(number, USEC_PER_SEC / 100, ret) ? -ERANGE : 0;
}

static int parse_count(const char *text, const char *choices _unused_, uint64_t *ret) {
        uint64_t number;
        int r;

        r = take_digits(&text, &number);
        if (r < 0)
                return r;
        if (*text != '\0')
                return -EINVAL;
        *ret = number;
        return 0;
}

static int parse_bool(const char *text, const char *choices _unused_, uint64_t *ret) {
        for (size_t i = 0; i < ARRAY_SIZE(bool_words); i++)
                if (strcmp(text, bool_words[i]) == 0) {
                        *ret = i % 2;
                        return 0;
                }
        return -EINVAL;
}

static int parse_choice(const char *text, const char *choices, uint64_t *ret) {
        size_t length = strlen(text);
        uint64_t index = 0;

        for (const char *word = choices; word; index++) {
                size_t n = strcspn(word, "|");

                if (n == length && memcmp(word, text, n) == 0) {
                        *ret = index;
                        return 0;
                }
                word = word[n] == '|' ? word + n + 1 : NULL;
        }
        return -EINVAL;
}

static void format_size(uint64_t number, char *ret) {
        for (size_t i = 0; i < ARRAY_SIZE(size_units); i++)
                if (number > 0 && number % size_units[i].factor == 0) {
                        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%" PRIu64 "%s",
                                       number / size_units[i].factor, size_units[i].name);
                        return;
                }
        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%" PRIu64, number);
}

static void format_span(uint64_t number, char *ret) {
        uint64_t factor_before = UINT64_MAX;
        size_t length = 0;

        (void)snprintf(ret, VALUE_FORMAT_SIZE, "0s");
        for (size_t i = 0; i < ARRAY_SIZE(span_units); i++) {
                const Unit *unit = &span_units[i];

                if (unit->factor == factor_before || number < unit->factor)
                        continue;
                length += (size_t)snprintf(ret + length, VALUE_FORMAT_SIZE - length,
                                           "%s%" PRIu64 "%s", length > 0 ? " " : "",
                                           number / unit->factor, unit->name);
                number %= unit->factor;
                factor_before = unit->factor;
        }
}

/* What is no whole percentage is never made by parse_percent(). */
static void format_percent(uint64_t number, char *ret) {
        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%" PRIu64 "%%", number / (USEC_PER_SEC / 100));
}

static void format_count(uint64_t number, char *ret) {
        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%" PRIu64, number);
}

static void format_bool(uint64_t number, char *ret) {
        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%s", bool_words[number != 0]);
}

typedef struct TypeInfo {
        const char *name;
        int (*parse)(const char *text, const char *choices, uint64_t *ret);
        void (*format)(uint64_t number, char *ret);
        const char *expected;
        bool is_limit; /* "infinity" and the like are attempts to unset it */
        const Unit *units;
        size_t n_units;
        uint64_t plain_factor; /* of a number without a unit; 0: takes no fraction */
} TypeInfo;

static const TypeInfo types[_VALUE_MAX] = {
        [VALUE_SIZE] = { "a size", parse_size, format_size,
                         "write digits and K, M, G or T, such as 512M", true, size_units,
                         ARRAY_SIZE(size_units), 0 },
        [VALUE_SPAN] = { "a time span", parse_span, format_span,
                         "write a time span such as 300s, 5min, 1h 30min or 500ms", true,
                         span_units, ARRAY_SIZE(span_units), USEC_PER_SEC },
        [VALUE_PERCENT] = { "a percentage", parse_percent, format_percent,
                            "write a percentage of one CPU, such as 50% or 200%", true, NULL, 0,
                            0 },
        [VALUE_COUNT] = { "a count", parse_count, format_count, "write a whole number, such as 256",
                          true, NULL, 0, 0 },
        [VALUE_BOOL] = { "yes or no", parse_bool, format_bool, "write yes or no", false, NULL, 0,
                         0 },
        [VALUE_CHOICE] = { .name = "a choice", .parse = parse_choice },
        [VALUE_PATH] = { .name = "a path" },
        [VALUE_GRANT] = { .name = "a path" },
        [VALUE_PROFILE] = { .name = "a path" },
        [VALUE_ASSIGNMENT] = { .name = "an assignment" },
        [VALUE_NAME] = { .name = "a variable name" },
        [VALUE_LABEL] = { .name = "a label" },
        [VALUE_BANDWIDTH] = { .name = "a bandwidth" },
        [VALUE_PORT] = { .name = "a port" },
        [VALUE_SECRET] = { .name = "a secret" },
        [VALUE_CREDENTIAL] = { .name = "a credential" },
        [VALUE_ACCOUNT] = { .name = "a user or group" },
        [VALUE_UIDS] = { .name = "a range of uids" },
        [VALUE_PROGRAM] = { .name = "a program" },
        [VALUE_SLICE] = { .name = "a slice" },
        [VALUE_TEXT] = { .name = "a text" },
};

static bool is_unit(const char *text, const char *unit) {
        size_t length = strlen(unit);

        return strncasecmp(text, unit, length) == 0 &&
               (text[length] == '\0' || strcasecmp(text + length, "B") == 0 ||
                strcasecmp(text + length, "iB") == 0);
}

/* Reads DIGITS[.DIGITS][UNIT[[i]B]] in any case, as people and other programs write it, to tell
 * them what to write here. */
static bool guess_number(const TypeInfo *info, const char *text, uint64_t *ret) {
        uint64_t whole, fraction = 0, scale = 1, factor = 0;

        if (take_digits(&text, &whole) < 0)
                return false;
        if (*text == '.')
                for (text++; is_digit(*text) && scale < 1000; text++, scale *= 10)
                        fraction = fraction * 10 + (uint64_t)(*text - '0');
        text += strspn(text, " ");
        if (*text == '\0')
                factor = info->plain_factor;
        for (size_t i = 0; i < info->n_units && factor == 0; i++)
                if (is_unit(text, info->units[i].name))
                        factor = info->units[i].factor;
        return factor > 0 && !__builtin_mul_overflow(whole, factor, &whole) &&
               !__builtin_add_overflow(whole, fraction * factor / scale, ret) && *ret > 0;
}

/* "write deny or allow" from "deny|allow". */
static void hint_choices(const char *choices, ValueHint *ret) {
        size_t length = (size_t)snprintf(ret->text, sizeof(ret->text), "write ");

        for (const char *word = choices; word;) {
                size_t n = strcspn(word, "|");
                bool more = word[n] == '|';

                length += (size_t)snprintf(ret->text + length, sizeof(ret->text) - length, "%.*s%s",
                                           (int)n, word, more ? " or " : "");
                assert(length < sizeof(ret->text)); /* the words are those of keys.def */
                word = more ? word + n + 1 : NULL;
        }
}

static void refuse(const TypeInfo *info, const char *text, int reason, ValueHint *ret) {
        static const char *const unset[] = { "", "infinity", "inf", "max", "unlimited", "none" };
        char meant[VALUE_FORMAT_SIZE];
        uint64_t number;

        if (info->is_limit)
                for (size_t i = 0; i < ARRAY_SIZE(unset); i++)
                        if (strcasecmp(text, unset[i]) == 0) {
                                (void)snprintf(ret->text, sizeof(ret->text),
                                               "a limit cannot be unset, %s", info->expected);
                                return;
                        }
        if (reason == -ERANGE)
                (void)snprintf(ret->text, sizeof(ret->text), "the number is too large");
        else if (info->is_limit && text[0] == '-' && is_digit(text[1]))
                (void)snprintf(ret->text, sizeof(ret->text), "a limit cannot be negative, %s",
                               info->expected);
        else if (guess_number(info, text, &number)) {
                info->format(number, meant);
                (void)snprintf(ret->text, sizeof(ret->text), "write '%s'", meant);
        } else if (info->parse == parse_percent && parse_count(text, NULL, &number) == 0)
                (void)snprintf(ret->text, sizeof(ret->text), "write '%" PRIu64 "%%'", number);
        else
                (void)snprintf(ret->text, sizeof(ret->text), "%s", info->expected);
}

int value_parse_number(ValueType type, const char *choices, const char *text, uint64_t *ret,
                       ValueHint *reterr_hint) {
        int r;

        assert(type >= 0 && type < _VALUE_NUMBER_MAX);
        r = types[type].parse(text, choices, ret);
        if (r == 0)
                return 0;
        if (type == VALUE_CHOICE)
                hint_choices(choices, reterr_hint);
        else
                refuse(&types[type], text, r, reterr_hint);
        return -EINVAL;
}

void value_format_number(ValueType type, const char *choices, uint64_t number,
                         char ret[static VALUE_FORMAT_SIZE]) {
        assert(type >= 0 && type < _VALUE_NUMBER_MAX);
        if (type != VALUE_CHOICE) {
                types[type].format(number, ret);
                return;
        }
        for (; number > 0; number--)
                choices += strcspn(choices, "|") + 1;
        (void)snprintf(ret, VALUE_FORMAT_SIZE, "%.*s", (int)strcspn(choices, "|"), choices);
}

const char *value_type_name(ValueType type) {
        assert(type >= 0 && type < _VALUE_MAX);
        return types[type].name;
}
