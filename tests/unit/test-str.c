/* SPDX-License-Identifier: MIT */
/* supervisor/base/str.c: B56, what others wrote is shown harmless. */
#include "supervisor/base/str.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

static void test_utf8(void) {
        static const struct {
                const char *text;
                size_t length;
        } rows[] = {
                { "", 0 },
                { "a", 1 },
                { "\x7f", 1 },
                { "\xc2\x80", 2 },
                { "\xc3\xa9", 2 },
                { "\xe0\xa0\x80", 3 },
                { "\xe2\x82\xac", 3 },
                { "\xef\xbf\xbf", 3 },
                { "\xf0\x90\x80\x80", 4 },
                { "\xf4\x8f\xbf\xbf", 4 },
                { "\x80", 0 },             /* a continuation alone */
                { "\xc1\xbf", 0 },         /* overlong */
                { "\xe0\x9f\xbf", 0 },     /* overlong */
                { "\xf0\x8f\xbf\xbf", 0 }, /* overlong */
                { "\xed\xa0\x80", 0 },     /* a surrogate */
                { "\xf4\x90\x80\x80", 0 }, /* past the last code */
                { "\xf5\x80\x80\x80", 0 },
                { "\xff", 0 },
                { "\xc3", 0 }, /* cut */
                { "\xe2\x82", 0 },
                { "\xf0\x90\x80", 0 },
                { "\xe2\x82z", 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                is_uint(str_utf8_sequence(rows[i].text), rows[i].length, "UTF-8 sequence, row %zu",
                        i);
}

static void test_printable(void) {
        static const struct {
                const char *text, *shown;
        } rows[] = {
                { "", "" },
                { "plain \xc3\xa9 \xe2\x82\xac", "plain \xc3\xa9 \xe2\x82\xac" },
                { "a\nb\tc\r", "a?b?c?" },
                { "\033]0;x\a", "?]0;x?" },
                { "\x7f", "?" },
                { "\xc2\x9b[2J", "?[2J" },                 /* CSI as one C1 character */
                { "\xff\xfe", "??" },                      /* no UTF-8 */
                { "a\xe2\x80\xae txt.exe", "a? txt.exe" }, /* right-to-left override */
                { "\xe2\x80\xa8", "?" },                   /* line separator */
                { "\xe2\x81\xa6x\xe2\x81\xa9", "?x?" },
                { "\xc3", "?" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char text[64];

                (void)snprintf(text, sizeof(text), "%s", rows[i].text);
                str_make_printable(text);
                is_str(text, rows[i].shown, "B56: made printable, row %zu", i);
        }
}

static void test_distance(void) {
        char longest[STR_DISTANCE_MAX + 2];

        is_uint(str_distance("", ""), 0, "nothing is as far as nothing");
        is_uint(str_distance("abc", ""), 3, "removals count");
        is_uint(str_distance("kitten", "sitting"), 3, "the usual example");
        is_uint(str_distance("MemoryMax", "memorymax"), 0, "capitals do not count");
        memset(longest, 'a', sizeof(longest));
        longest[STR_DISTANCE_MAX] = '\0';
        is_uint(str_distance(longest, longest), 0, "a word at the limit is compared");
        longest[STR_DISTANCE_MAX] = 'a';
        longest[STR_DISTANCE_MAX + 1] = '\0';
        is_uint(str_distance(longest, "a"), SIZE_MAX, "a word past the limit is near to nothing");
        is_uint(str_distance("a", longest), SIZE_MAX, "and so the other way round");
        ok(str_is_near("TasksMax", 2), "2 of 8 is near");
        ok(!str_is_near("User", 2), "2 of 4 is not");
        ok(!str_is_near("IOWriteBandwidthMax", 4), "4 is never near");
        ok(!str_is_near("User", SIZE_MAX), "too long is never near");
}

static void test_strv(void) {
        _cleanup_(strv_freep) char **strv = NULL;

        is_uint(strv_length(NULL), 0, "no vector has no strings");
        is_int(strv_add(&strv, "a"), 0, "the first string makes the vector");
        is_int(strv_add(&strv, ""), 0, "an empty string is one");
        is_uint(strv_length(strv), 2, "two strings");
        is_str(strv[1], "", "in order");
        ok(strv_free(NULL) == NULL, "no vector is freed");
}

static void test_quote(void) {
        static const struct {
                const char *word, *quoted;
        } rows[] = {
                { "", "''" },
                { "plain_@%+=:,./-0", "plain_@%+=:,./-0" },
                { "two words", "'two words'" },
                { "0;", "'0;'" },
                { "it's", "'it'\\''s'" },
                { "''''", "''\\'''\\'''\\'''\\'''" },
                { "a\nb", "'a\nb'" },
                { "~", "'~'" },
                { "$x", "'$x'" },
                { "\\", "'\\'" },
                { "\xff", "'\xff'" },
        };
        char text[64];

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const char *end = str_quote(rows[i].word, text);

                is_str(text, rows[i].quoted, "quoted: '%s'", rows[i].word);
                ok(*end == '\0' && end == text + strlen(text), "its end is returned");
                ok(strlen(text) <= STR_QUOTED_SIZE(strlen(rows[i].word)), "it fits");
        }
}

static void test_format(void) {
        _cleanup_free_ char *text = str_format("%s=%d", "a", 5);

        is_str(text, "a=5", "a text is made");
}

static void test_read_number(void) {
        const char *end = NULL;
        uint64_t value = 7;

        ok(str_read_number(" 12 34", &end, &value) && value == 12, "a number after blanks");
        is_str(end, " 34", "where it ends");
        ok(str_read_number("18446744073709551615", NULL, &value) && value == UINT64_MAX,
           "the largest");
        value = 7;
        ok(!str_read_number("18446744073709551616", NULL, &value), "one more does not fit");
        ok(!str_read_number("max", NULL, &value) && !str_read_number("", NULL, &value),
           "no number");
        ok(!str_read_number("-1", NULL, &value) && !str_read_number("+1", NULL, &value), "no sign");
        ok(value == 7, "a failure writes nothing");
}

static void test_path_below(void) {
        static const struct {
                const char *path, *directory;
                bool below;
        } rows[] = {
                { "/tmp", "/tmp", true },      { "/tmp/a/b", "/tmp", true },
                { "/tmp", "/", true },         { "/", "/", true },
                { "/tmpfs", "/tmp", false },   { "/", "/tmp", false },
                { "/var/tmp", "/tmp", false }, { "/a", "/a/b", false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                ok(str_path_below(rows[i].path, rows[i].directory) == rows[i].below,
                   "%s is %sbelow %s", rows[i].path, rows[i].below ? "" : "not ",
                   rows[i].directory);
}

int main(void) {
        test_utf8();
        test_printable();
        test_distance();
        test_strv();
        test_quote();
        test_format();
        test_read_number();
        test_path_below();
        return done_testing();
}
