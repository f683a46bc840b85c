/* SPDX-License-Identifier: MIT */
/* Labels (S15): their grammar, their number, and which one of a key wins. */
#include <errno.h>
#include <string.h>

#include "policy/resolve.h"
#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

static void test_grammar(void) {
        static const struct {
                const char *text, *part; /* of the hint; NULL: taken */
        } rows[] = {
                { "a=b", NULL },
                { "tenant_id=a b %i $x \"'\\=", NULL },
                { "abcdefghijklmnopqrstuvwxyz012345=\xc3\xa9", NULL },
                { "", "write KEY=VALUE" },
                { "a", "write KEY=VALUE" },
                { "=a", "write KEY=VALUE" },
                { "A=a", "lower case letters" },
                { "1a=a", "a letter first" },
                { "_a=a", "a letter first" },
                { "a-b=a", "lower case letters" },
                { "a.b=a", "lower case letters" },
                { "abcdefghijklmnopqrstuvwxyz0123456=a", "at most 32" },
                { "a=", "1 to 128 bytes" },
                { "a=b\nc", "printable UTF-8" },
                { "a=\033[m", "printable UTF-8" },
                { "a=\xff", "printable UTF-8" },
                { "a=\xe2\x80\xae", "printable UTF-8" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const char *text = rows[i].text;
                ValueHint hint = { "" };
                int r = value_check_label(text, strcspn(text, "="), &hint);

                is_int(r, rows[i].part ? -EINVAL : 0, "S15 B56: label %zu", i);
                if (rows[i].part)
                        has_str(hint.text, rows[i].part, "S20: with what to write");
        }
}

static void test_size(void) {
        char text[2 + VALUE_LABEL_MAX + 2] = "k=";
        ValueHint hint;

        memset(text + 2, 'v', VALUE_LABEL_MAX);
        is_int(value_check_label(text, 1, &hint), 0, "S15: the longest value");
        text[2 + VALUE_LABEL_MAX] = 'v';
        is_int(value_check_label(text, 1, &hint), -EINVAL, "and one that is longer");
        has_str(hint.text, "1 to 128 bytes", "S20: with the size");
}

static void test_number(void) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        Diag diag = { 0 };
        char label[16];

        (void)settings_set(settings, "Label", "k0=first", "here", &diag);
        for (int i = 0; i < LABELS_MAX; i++) {
                (void)snprintf(label, sizeof(label), "k%d=v", i);
                (void)settings_set(settings, "Label", label, "here", &diag);
        }
        is_int(policy_resolve(settings, &facts_of_any_machine, &policy, &diag), 0,
               "S15: as many as a run may have, one of them twice");
        if (policy) {
                is_uint(strv_length(policy->labels), LABELS_MAX, "each key once");
                is_str(policy->labels[0], "k0=v", "the last one wins");
        }
        policy = policy_free(policy);
        (void)settings_set(settings, "Label", "more=v", "here", &diag);
        is_int(policy_resolve(settings, &facts_of_any_machine, &policy, &diag), -EINVAL,
               "one more is refused");
        has_str(diag.messages[0].text, "'more=v' is refused for 'Label' (here): write at most 16",
                "S20: with place and number");
        diag_done(&diag);
}

static void test_credential(void) {
        static const char *const rows[] = { "access_token=abc",
                                            "tenant_id=ghp_abcdefghijklmnopqrstuvwxyz0123456789" };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(settings_freep) Settings *settings = settings_new();
                _cleanup_(diag_done) Diag diag = { 0 };

                is_int(settings_set(settings, "Label", rows[i], "here", &diag), -EINVAL,
                       "S15 B56: what looks like a credential is no label");
                has_str(diag.messages[0].text, "--secret=NAME", "S20: with the right way");
        }
}

int main(void) {
        test_grammar();
        test_credential();
        test_size();
        test_number();
        return done_testing();
}
