/* SPDX-License-Identifier: MIT */
/* policy/value.c: S11 and B29, exact grammars and what is said about everything else. */
#include "policy/value.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

#define K UINT64_C(1024)
#define M (K * K)
#define G (K * K * K)
#define T (K * K * K * K)
#define S UINT64_C(1000000)

typedef struct Good {
        ValueType type;
        const char *text;
        uint64_t number;
        const char *written; /* NULL: as read */
} Good;

static const char words[] = "none|system|all";

static const Good good[] = {
        { VALUE_SIZE, "0", 0, NULL },
        { VALUE_SIZE, "1", 1, NULL },
        { VALUE_SIZE, "64K", 64 * K, NULL },
        { VALUE_SIZE, "512M", 512 * M, NULL },
        { VALUE_SIZE, "1G", G, NULL },
        { VALUE_SIZE, "3T", 3 * T, NULL },
        { VALUE_SIZE, "1024K", M, "1M" },
        { VALUE_SIZE, "1536M", 1536 * M, NULL },
        { VALUE_SIZE, "18446744073709551615", UINT64_MAX, NULL },
        { VALUE_SIZE, "16777215T", 16777215 * T, NULL },
        { VALUE_SPAN, "0", 0, "0s" },
        { VALUE_SPAN, "300", 300 * S, "5min" },
        { VALUE_SPAN, "300s", 300 * S, "5min" },
        { VALUE_SPAN, "5min", 300 * S, NULL },
        { VALUE_SPAN, "5m", 300 * S, "5min" },
        { VALUE_SPAN, "1h 30min", 5400 * S, NULL },
        { VALUE_SPAN, "1h30min", 5400 * S, "1h 30min" },
        { VALUE_SPAN, "2 hours", 7200 * S, "2h" },
        { VALUE_SPAN, "1h  1 s", 3601 * S, "1h 1s" },
        { VALUE_SPAN, "500ms", 500000, NULL },
        { VALUE_SPAN, "1us", 1, NULL },
        { VALUE_SPAN, "1w 2d 3h 4min 5s 6ms 7us", 788645006007, NULL },
        { VALUE_SPAN, "18446744073709551615us", UINT64_MAX,
          "30500568w 6d 8h 1min 49s 551ms 615us" },
        { VALUE_PERCENT, "0%", 0, NULL },
        { VALUE_PERCENT, "1%", 10000, NULL },
        { VALUE_PERCENT, "100%", S, NULL },
        { VALUE_PERCENT, "150%", 1500000, NULL },
        { VALUE_COUNT, "0", 0, NULL },
        { VALUE_COUNT, "256", 256, NULL },
        { VALUE_COUNT, "18446744073709551615", UINT64_MAX, NULL },
        { VALUE_BOOL, "yes", 1, NULL },
        { VALUE_BOOL, "true", 1, "yes" },
        { VALUE_BOOL, "on", 1, "yes" },
        { VALUE_BOOL, "1", 1, "yes" },
        { VALUE_BOOL, "no", 0, NULL },
        { VALUE_BOOL, "false", 0, "no" },
        { VALUE_BOOL, "off", 0, "no" },
        { VALUE_BOOL, "0", 0, "no" },
        { VALUE_CHOICE, "none", 0, NULL },
        { VALUE_CHOICE, "system", 1, NULL },
        { VALUE_CHOICE, "all", 2, NULL },
};

typedef struct Bad {
        ValueType type;
        const char *text;
        const char *hint; /* part of it */
} Bad;

static const Bad bad[] = {
        { VALUE_SIZE, "", "cannot be unset, write digits" },
        { VALUE_SIZE, "infinity", "cannot be unset" },
        { VALUE_SIZE, "Infinity", "cannot be unset" },
        { VALUE_SIZE, "max", "cannot be unset" },
        { VALUE_SIZE, "unlimited", "cannot be unset" },
        { VALUE_SIZE, "-1", "cannot be negative" },
        { VALUE_SIZE, "-1G", "cannot be negative" },
        { VALUE_SIZE, "+1G", "write digits" },
        { VALUE_SIZE, "1.5G", "write '1536M'" },
        { VALUE_SIZE, "1.25M", "write '1280K'" },
        { VALUE_SIZE, "512m", "write '512M'" },
        { VALUE_SIZE, "512MB", "write '512M'" },
        { VALUE_SIZE, "512MiB", "write '512M'" },
        { VALUE_SIZE, "512 M", "write '512M'" },
        { VALUE_SIZE, "1kb", "write '1K'" },
        { VALUE_SIZE, "1.5", "write digits" },
        { VALUE_SIZE, "0.0000000001G", "write digits" },
        { VALUE_SIZE, "1P", "write digits" },
        { VALUE_SIZE, "1GG", "write digits" },
        { VALUE_SIZE, "1G ", "write digits" },
        { VALUE_SIZE, " 1G", "write digits" },
        { VALUE_SIZE, "1G1M", "write digits" },
        { VALUE_SIZE, "0512M", "write digits" }, /* octal elsewhere */
        { VALUE_SIZE, "0x10", "write digits" },
        { VALUE_SIZE, "1e3", "write digits" },
        { VALUE_SIZE, "G", "write digits" },
        { VALUE_SIZE, "50%", "write digits" },
        { VALUE_SIZE, "1G:2G", "write digits" },
        { VALUE_SIZE, "18446744073709551616", "too large" },
        { VALUE_SIZE, "99999999999999999999999", "too large" },
        { VALUE_SIZE, "16777216T", "too large" },
        { VALUE_SIZE, "16777216.5t", "write digits" },
        { VALUE_SPAN, "", "cannot be unset" },
        { VALUE_SPAN, "infinity", "cannot be unset, write a time span" },
        { VALUE_SPAN, "-5s", "cannot be negative" },
        { VALUE_SPAN, "0.5", "write '500ms'" },
        { VALUE_SPAN, "1.5s", "write '1s 500ms'" },
        { VALUE_SPAN, "2MIN", "write '2min'" },
        { VALUE_SPAN, "1 month", "write a time span" },
        { VALUE_SPAN, "1y", "write a time span" },
        { VALUE_SPAN, "30min 1h", "write a time span" },
        { VALUE_SPAN, "1s 1s", "write a time span" },
        { VALUE_SPAN, "5min 20", "write a time span" },
        { VALUE_SPAN, "5min ", "write a time span" },
        { VALUE_SPAN, "5min,", "write a time span" },
        { VALUE_SPAN, "s", "write a time span" },
        { VALUE_SPAN, "18446744073710", "too large" },
        { VALUE_SPAN, "18446744073710s", "too large" },
        { VALUE_SPAN, "18446744073709s 551616us", "too large" },
        { VALUE_PERCENT, "", "cannot be unset" },
        { VALUE_PERCENT, "50", "write '50%'" },
        { VALUE_PERCENT, "1.5", "write a percentage" },
        { VALUE_PERCENT, "12.5%", "write a percentage" },
        { VALUE_PERCENT, "50%%", "write a percentage" },
        { VALUE_PERCENT, "50 %", "write a percentage" },
        { VALUE_PERCENT, "-5%", "cannot be negative" },
        { VALUE_PERCENT, "1844674407370956%", "too large" },
        { VALUE_COUNT, "", "cannot be unset" },
        { VALUE_COUNT, "infinity", "cannot be unset" },
        { VALUE_COUNT, "-1", "cannot be negative" },
        { VALUE_COUNT, "1K", "write a whole number" },
        { VALUE_COUNT, "1.0", "write a whole number" },
        { VALUE_COUNT, "\xd9\xa3", "write a whole number" }, /* a digit, but not ours */
        { VALUE_COUNT, "18446744073709551616", "too large" },
        { VALUE_BOOL, "", "write yes or no" },
        { VALUE_BOOL, "Yes", "write yes or no" },
        { VALUE_BOOL, "y", "write yes or no" },
        { VALUE_BOOL, "2", "write yes or no" },
        { VALUE_CHOICE, "", "write none or system or all" },
        { VALUE_CHOICE, "syste", "write none or system or all" },
        { VALUE_CHOICE, "systems", "write none or system or all" },
        { VALUE_CHOICE, "none|system", "write none or system or all" },
        { VALUE_CHOICE, "None", "write none or system or all" },
};

static void test_good(void) {
        for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
                const Good *row = &good[i];
                char text[VALUE_FORMAT_SIZE];
                uint64_t number = 42;
                ValueHint hint;

                is_int(value_parse_number(row->type, words, row->text, &number, &hint), 0,
                       "'%s' is %s", row->text, value_type_name(row->type));
                is_uint(number, row->number, "'%s' has its value", row->text);
                value_format_number(row->type, words, row->number, text);
                is_str(text, row->written ? row->written : row->text, "'%s' is written", row->text);
        }
}

static void test_bad(void) {
        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
                const Bad *row = &bad[i];
                ValueHint hint = { "" };
                uint64_t number = 42;

                is_int(value_parse_number(row->type, words, row->text, &number, &hint), -EINVAL,
                       "S11 B29: '%s' is not %s", row->text, value_type_name(row->type));
                has_str(hint.text, row->hint, "S20: '%s' is answered with the fix", row->text);
        }
}

/* Whatever number there is, it is read back from what is written. */
static void test_round_trip(void) {
        static const ValueType types[] = { VALUE_SIZE, VALUE_SPAN, VALUE_COUNT };
        uint64_t number = 1;

        for (size_t i = 0; i < 2000; i++) {
                ValueType type = types[i % ARRAY_SIZE(types)];
                char text[VALUE_FORMAT_SIZE];
                ValueHint hint;
                uint64_t again;

                number = number * UINT64_C(6364136223846793005) + 1442695040888963407;
                value_format_number(type, NULL, number >> i % 64, text);
                if (value_parse_number(type, NULL, text, &again, &hint) < 0 ||
                    again != number >> i % 64)
                        ok(false, "'%s' is read back", text);
        }
        ok(true, "2000 numbers are read back");
}

int main(void) {
        test_good();
        test_bad();
        test_round_trip();
        return done_testing();
}
