/* SPDX-License-Identifier: MIT */
/* policy/uid-range.c: S15 the ids of runs of root are nobody else's. */
#include "policy/uid-range.h"

#include <errno.h>

#include "tests/unit/tap.h"

static void test_taken(void) {
        static const struct {
                const char *text;
                uint32_t first, last;
        } rows[] = {
                { "60578-61183", 60578, 61183 },
                { "60578-60578", 60578, 60578 },
                { "1000-1000", 1000, 1000 },
                { "70000-135535", 70000, 135535 },
                { "65536-70000", 65536, 70000 },
                { "1879048192-1879048200", 1879048192, 1879048200 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                UidRange range = { 0 };
                ValueHint hint;

                is_int(uid_range_parse(rows[i].text, &range, &hint), 0, "%s", rows[i].text);
                is_uint(range.first, rows[i].first, "its first");
                is_uint(range.last, rows[i].last, "its last");
                ok(uid_range_has(&range, rows[i].first) && uid_range_has(&range, rows[i].last),
                   "both are in it");
                ok(!uid_range_has(&range, rows[i].first - 1) &&
                           !uid_range_has(&range, rows[i].last + 1),
                   "and what is beside them is not");
        }
}

static void test_refused(void) {
        static const struct {
                const char *text, *part;
        } rows[] = {
                { "", "write FIRST-LAST" },
                { "70000", "write FIRST-LAST" },
                { "70000-", "write FIRST-LAST" },
                { "-70000", "write FIRST-LAST" },
                { " 70000-70001", "write FIRST-LAST" },
                { "70000- 70001", "write FIRST-LAST" },
                { "70000-70001 ", "write FIRST-LAST" },
                { "70000-70001-70002", "write FIRST-LAST" },
                { "70001-70000", "write FIRST-LAST" },
                { "70000-135536", "at most 65536 numbers" },
                { "70000-4294967296", "write FIRST-LAST" },
                { "99999999999999999999-3", "write FIRST-LAST" },
                { "0-1", "0 to 999 are for accounts of the system" },
                { "999-1000", "0 to 999" },
                { "60000-60001", "60001 to 60513 are for systemd-homed" },
                { "60577-60578", "60514 to 60577 are for users of containers" },
                { "61183-61184", "61184 to 65519 are for DynamicUser= of systemd" },
                { "65535-65536", "65534 to 65535 are for nobody" },
                { "524287-524288", "524288 to 1879048191 are for containers of systemd-nspawn" },
                { "2147352575-2147352576", "files of elsewhere" },
                { "4294967295-4294967295", "no ids" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                UidRange range = { 7, 7 };
                ValueHint hint = { "" };

                is_int(uid_range_parse(rows[i].text, &range, &hint), -EINVAL, "'%s' is refused",
                       rows[i].text);
                has_str(hint.text, rows[i].part, "with what to write");
                is_uint(range.first, 7, "and nothing is stored");
        }
}

int main(void) {
        test_taken();
        test_refused();
        return done_testing();
}
