/* SPDX-License-Identifier: MIT */
/* policy/slice.c: S12 the names of slices, and which is below which. */
#include "policy/slice.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "tests/unit/tap.h"

static void test_names(void) {
        static const char *const good[][2] = {
                { "confine", "confine.slice" },
                { "confine.slice", "confine.slice" },
                { "confine-batch", "confine-batch.slice" },
                { "confine-batch.slice", "confine-batch.slice" },
                { "confine-a-b-c", "confine-a-b-c.slice" },
                { "confine-v1.2:x_Y", "confine-v1.2:x_Y.slice" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
                _cleanup_free_ char *name = NULL;
                ValueHint hint;

                is_int(slice_parse(good[i][0], &name, &hint), 0, "'%s' is a slice", good[i][0]);
                is_str(name, good[i][1], "with its name in full");
        }
}

static void test_refused(void) {
        static const char *const bad[][2] = {
                { "", "a name such as confine-batch" },
                { ".slice", "a name such as" },
                { "batch", "write confine-batch" },
                { "batch.slice", "write confine-batch" },
                { "a-b", "write confine-a-b" },
                { "confined", "write confine-confined" },
                { "user.slice", "every run is below confine.slice" },
                { "-", "a name such as" },
                { "-.slice", "a name such as" },
                { "confine-", "a name such as" },
                { "confine-.slice", "a name such as" },
                { "confine--a", "a name such as" },
                { "-confine", "a name such as" },
                { "confine-a/b", "a name such as" },
                { "../confine", "a name such as" },
                { "confine-a b", "a name such as" },
                { "confine-a@b", "a name such as" },
                { "confine-a\\x2db", "a name such as" },
                { "confine-\xc3\xa9", "a name such as" },
                { "confine-a\n", "a name such as" },
                { "confine-a-b-c-d", "3 levels at most" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
                char *name = NULL;
                ValueHint hint;

                is_int(slice_parse(bad[i][0], &name, &hint), -EINVAL, "'%s' is none", bad[i][0]);
                ok(!name, "and gives nothing");
                has_str(hint.text, bad[i][1], "with a hint");
        }
}

static void test_length(void) {
        char text[SLICE_NAME_MAX * 2] = "confine-";
        _cleanup_free_ char *name = NULL;
        ValueHint hint;

        memset(text + 8, 'a', SLICE_NAME_MAX - 8 - 14);
        is_int(slice_parse(text, &name, &hint), 0, "a name that is as long as may be");
        ok(slice_is_child(name, SLICE_TOP), "is found again");
        text[strlen(text)] = 'a';
        free(name);
        name = NULL;
        is_int(slice_parse(text, &name, &hint), -EINVAL, "a longer one");
}

static void test_children(void) {
        static const struct {
                const char *name, *parent;
                bool is;
        } rows[] = {
                { "confine-a.slice", "confine.slice", true },
                { "confine-a-b.slice", "confine-a.slice", true },
                { "confine-a-b.slice", "confine.slice", false },
                { "confine.slice", "confine.slice", false },
                { "confine-.slice", "confine.slice", false },
                { "confine-a", "confine.slice", false },
                { "confine-a.scope", "confine.slice", false },
                { "confineda.slice", "confine.slice", false },
                { "other-a.slice", "confine.slice", false },
                { "confine-b-c.slice", "confine-a.slice", false },
                { "confine-a--b.slice", "confine-a.slice", false },
                { "confine-a-b c.slice", "confine-a.slice", false },
                { "confine-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.slice",
                  "confine.slice", false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                ok(slice_is_child(rows[i].name, rows[i].parent) == rows[i].is, "'%s' is%s in '%s'",
                   rows[i].name, rows[i].is ? "" : " not", rows[i].parent);
}

int main(void) {
        test_names();
        test_refused();
        test_length();
        test_children();
        return done_testing();
}
