/* SPDX-License-Identifier: MIT */
/* policy/json-library.c: libcjson is loaded when it is needed, and its absence is told. */
#include "policy/json-library.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "policy/json.h"
#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

/* Without a descriptor to open it by, the library is as good as missing. */
static void test_missing(void) {
        struct rlimit before, none;
        JsonLibrary library = { 0 };
        cJSON *json = NULL;
        Diag diag = { 0 };

        if (getrlimit(RLIMIT_NOFILE, &before) < 0)
                bail_out("getrlimit");
        none = (struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max };
        if (setrlimit(RLIMIT_NOFILE, &none) < 0)
                bail_out("setrlimit");
        is_int(json_library_load(&library), -ENOPKG, "the library cannot be loaded");
        ok(!library.parse, "and nothing is stored");
        is_int(json_parse("{}", 2, "p.json", &json, &diag), -EINVAL, "nor JSON be read");
        if (setrlimit(RLIMIT_NOFILE, &before) < 0)
                bail_out("setrlimit");
        is_int(diag.n_messages ? (int)diag.messages[0].type : -1, ERROR_CAPABILITY, "S4: refused");
        has_str(diag.n_messages ? diag.messages[0].text : NULL, "install the package libcjson1",
                "S20: with the fix");
        diag_done(&diag);
}

static void test_loaded(void) {
        JsonLibrary first = { 0 }, second = { 0 };

        is_int(json_library_load(&first), 0, "it is loaded");
        is_int(json_library_load(&second), 0, "and once more");
        ok(first.parse && first.parse == second.parse && first.print_raw == second.print_raw,
           "which is the same");
}

/* @of: the text of "a"; NULL: it fails. */
static bool add_text(const JsonLibrary *json, cJSON *object, const void *of) {
        _cleanup_free_ char *value = of ? strdup(of) : NULL;

        return value && json_add(json, object, "a", value, false);
}

/* B56: a pager that shows a result shows no more than what is there. */
static void test_print(void) {
        static const struct {
                const char *text, *wanted;
        } rows[] = {
                { "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
                  "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
                { "\x01\x1b[0m\n\"\\", "\\u0001\\u001b[0m\\n\\\"\\\\" },
                { "\x7f", "\\u007f" },
                { "\xc2\x80\xc2\x9b"
                  "31m\xc2\x9f",
                  "\\u0080\\u009b31m\\u009f" },
                { "\xc2\xa0", "\xc2\xa0" },
                { "\xe2\x80\xae\xe2\x80\xa8", "\\u202e\\u2028" },
                { "\xff\xc2", "??" },
        };
        char *none = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_free_ char *text = NULL, *wanted = NULL;

                wanted = str_format("{\"a\":\"%s\"}", rows[i].wanted);
                if (!wanted)
                        bail_out("out of memory");
                is_int(json_format(add_text, rows[i].text, &text), 0, "row %zu is written", i);
                is_str(text, wanted, "B56: row %zu", i);
        }
        is_int(json_format(add_text, NULL, &none), -ENOMEM, "what cannot be filled");
        is_str(none, NULL, "nothing of nothing");
}

int main(void) {
        test_missing();
        test_loaded();
        test_print();
        return done_testing();
}
