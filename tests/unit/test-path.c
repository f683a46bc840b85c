/* SPDX-License-Identifier: MIT */
/* policy/path.c: paths are made absolute without changing what they lead to (B84); names. */
#include <errno.h>
#include <string.h>

#include "policy/value.h"
#include "tests/unit/tap.h"

static void test_good_paths(void) {
        static const struct {
                const char *text, *cwd, *path;
        } rows[] = {
                { "/", NULL, "/" },
                { "//", NULL, "/" },
                { "/.", NULL, "/" },
                { "/a", NULL, "/a" },
                { "/a/", NULL, "/a" },
                { "//a//b/./c/.", NULL, "/a/b/c" },
                { "/a/../b", NULL, "/a/../b" }, /* /a may be a symbolic link */
                { "/..", NULL, "/.." },
                { "/.hidden/..x/...", NULL, "/.hidden/..x/..." },
                { "/a b\xc3\xa9\xff", NULL, "/a b\xc3\xa9\xff" }, /* any bytes but controls */
                { "a", "/home/u", "/home/u/a" },
                { ".", "/home/u", "/home/u" },
                { "./a", "/", "/a" },
                { "..", "/home/u", "/home/u/.." },
                { "./~", "/", "/~" },
                { "%h/$HOME", "/", "/%h/$HOME" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_free_ char *path = NULL;
                ValueHint hint;

                is_int(value_parse_path(rows[i].text, rows[i].cwd, &path, &hint), 0,
                       "'%s' is a path", rows[i].text);
                is_str(path, rows[i].path, "B84: '%s' is made absolute and clean", rows[i].text);
        }
}

static void test_bad_paths(void) {
        static const struct {
                const char *text, *cwd, *hint;
        } rows[] = {
                { "", "/", "empty path" },
                { "a", NULL, "write an absolute path" },
                { "/a\nb", "/", "control characters" },
                { "/a\x7f", "/", "control characters" },
                { "~", "/", "not expanded" },
                { "~/x", "/", "not expanded" },
                { "~user/x", "/", "not expanded" },
        };
        ValueHint hint;
        char *path = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                is_int(value_parse_path(rows[i].text, rows[i].cwd, &path, &hint), -EINVAL,
                       "'%s' is refused", rows[i].text);
                has_str(hint.text, rows[i].hint, "S20: with the fix");
        }
}

static void test_long_paths(void) {
        char text[VALUE_PATH_MAX + 2];
        char *path = NULL;
        ValueHint hint;

        memset(text, 'a', sizeof(text));
        text[0] = '/';
        text[VALUE_PATH_MAX] = '\0';
        is_int(value_parse_path(text, NULL, &path, &hint), 0, "a path at the limit is one");
        free(path);
        text[VALUE_PATH_MAX] = 'a';
        text[VALUE_PATH_MAX + 1] = '\0';
        is_int(value_parse_path(text, NULL, &path, &hint), -EINVAL, "one byte more is not");
        has_str(hint.text, "4095", "S20: the limit is named");
        text[0] = 'a';
        text[VALUE_PATH_MAX - 1] = '\0';
        is_int(value_parse_path(text, "/", &path, &hint), -EINVAL,
               "the current directory counts too");
}

static void test_variables(void) {
        static const struct {
                const char *text;
                bool good;
        } rows[] = {
                { "A", true },    { "_", true },         { "aZ_09", true }, { "LD_PRELOAD", true },
                { "", false },    { "1A", false },       { "A-B", false },  { "A.B", false },
                { "A B", false }, { "\xc3\xa9", false }, { "A\n", false },  { "A%", false },
        };
        char text[VALUE_NAME_MAX + 1];
        ValueHint hint;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                is_int(value_check_variable(rows[i].text, strlen(rows[i].text), &hint),
                       rows[i].good ? 0 : -EINVAL, "variable name '%s'", rows[i].text);
        is_int(value_check_variable("A=B", 1, &hint), 0, "only the name is looked at");
        memset(text, 'A', sizeof(text));
        is_int(value_check_variable(text, VALUE_NAME_MAX, &hint), 0, "a name at the limit");
        is_int(value_check_variable(text, VALUE_NAME_MAX + 1, &hint), -EINVAL, "one byte more");
}

static void test_accounts(void) {
        static const struct {
                const char *text;
                bool good;
        } rows[] = {
                { "root", true },  { "0", true },    { "nobody", true },    { "svc-1_a.b", true },
                { "host$", true }, { "a@b", true },  { "DOMAIN\\u", true }, { "", false },
                { "-1", false },   { "a:b", false }, { "a/b", false },      { "a b", false },
                { "a\nb", false },
        };
        char text[VALUE_NAME_MAX + 2] = "";
        ValueHint hint;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                is_int(value_check_account(rows[i].text, &hint), rows[i].good ? 0 : -EINVAL,
                       "account '%s'", rows[i].text);
        memset(text, 'a', VALUE_NAME_MAX);
        is_int(value_check_account(text, &hint), 0, "an account at the limit");
        text[VALUE_NAME_MAX] = 'a';
        is_int(value_check_account(text, &hint), -EINVAL, "one byte more");
}

int main(void) {
        test_good_paths();
        test_bad_paths();
        test_long_paths();
        test_variables();
        test_accounts();
        return done_testing();
}
