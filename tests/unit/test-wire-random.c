/* SPDX-License-Identifier: MIT */
/* policy/wire.c: P4, whatever policy there is, its text is read back to the byte. Every key of
 * keys.def takes part, with pseudo-random values that are the same every time. */
#include "policy/wire.h"

#include <string.h>

#include "policy/keys.h"
#include "policy/resolve.h"
#include "tests/unit/tap.h"

#define ROUNDS 2000

static uint64_t random_below(uint64_t *seed, uint64_t n) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        return (*seed >> 16) % n;
}

/* A few bytes, any but NUL, after @prefix. */
static void random_text(uint64_t *seed, const char *prefix, int lowest, char ret[static 64]) {
        char *end = stpcpy(ret, prefix);

        for (uint64_t n = 1 + random_below(seed, 12); n > 0; n--) {
                char c = (char)(lowest + (int)random_below(seed, (uint64_t)(256 - lowest)));

                *end++ = c == 0x7f ? 'x' : c;
        }
        *end = '\0';
}

/* Near one of the bounds, or anywhere. */
static void random_number(uint64_t *seed, const KeyInfo *info, char ret[static VALUE_FORMAT_SIZE]) {
        uint64_t span = info->max - info->min + 1, small = span < 99 ? span : 99, number;

        switch (random_below(seed, 4)) {
        case 0:
                number = info->min + random_below(seed, small);
                break;
        case 1:
                number = info->max - random_below(seed, small);
                break;
        case 2:
                number = info->min + random_below(seed, span);
                break;
        default:
                number = UINT64_C(1) << random_below(seed, 48);
                break;
        }
        number = number < info->min ? info->min : number > info->max ? info->max : number;
        if (info->type == VALUE_PERCENT)
                number -= number % 10000; /* whole percents are what can be written */
        value_format_number(info->type, info->choices, number, ret);
}

static void random_value(uint64_t *seed, const KeyInfo *info, char ret[static VALUE_FORMAT_SIZE]) {
        switch (info->type) {
        case VALUE_SIZE:
        case VALUE_SPAN:
        case VALUE_PERCENT:
        case VALUE_COUNT:
        case VALUE_BOOL:
        case VALUE_CHOICE:
                random_number(seed, info, ret);
                break;
        case VALUE_PORT:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "%u",
                               1 + (unsigned)random_below(seed, 65535));
                break;
        case VALUE_GRANT:
                random_text(seed, random_below(seed, 2) ? "-/p" : "/p", ' ', ret);
                break;
        case VALUE_PATH:
        case VALUE_PROFILE:
        case VALUE_PROGRAM:
                random_text(seed, "/p", ' ', ret);
                break;
        case VALUE_ASSIGNMENT:
                random_text(seed, random_below(seed, 2) ? "A=" : "B=", 1, ret);
                break;
        case VALUE_LABEL:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "k%u=\xc3\xa9 %%$\"\\\\%u",
                               (unsigned)random_below(seed, 9), (unsigned)random_below(seed, 9));
                break;
        case VALUE_UIDS:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "70000-%u",
                               70000 + (unsigned)random_below(seed, 65536));
                break;
        case VALUE_BANDWIDTH:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "/p%u/x %u", (unsigned)random_below(seed, 9),
                               1 + (unsigned)random_below(seed, 9));
                break;
        case VALUE_SLICE:
                (void)stpcpy(ret, random_below(seed, 2) ? "confine-a.slice" : "confine.slice");
                break;
        case VALUE_NAME:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "N%u", (unsigned)random_below(seed, 99));
                break;
        case VALUE_SECRET:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "S%u%s", (unsigned)random_below(seed, 9),
                               random_below(seed, 2) ? ":env=fd:7" : "=file:/p");
                break;
        case VALUE_CREDENTIAL:
                (void)snprintf(ret, VALUE_FORMAT_SIZE, "C%u%s", (unsigned)random_below(seed, 9),
                               random_below(seed, 2) ? ":other" : ":/p");
                break;
        case VALUE_ACCOUNT:
                random_text(seed, "a", '0' + 11, ret);
                break;
        case VALUE_TEXT:
        case _VALUE_MAX:
        case _VALUE_INVALID:
                bail_out("'%s' has a type that is not tried here", info->name);
        }
}

static Settings *random_settings(uint64_t *seed) {
        Settings *settings = settings_new();
        Diag diag = { 0 };

        if (!settings)
                bail_out("out of memory");
        for (Key key = 0; key < _KEY_MAX; key++) {
                const KeyInfo *info = key_info(key);
                uint64_t n =
                        info->built ? random_below(seed, info->merge == MERGE_LIST ? 4 : 2) : 0;
                char value[VALUE_FORMAT_SIZE];

                for (; n > 0; n--) {
                        random_value(seed, info, value);
                        if (settings_set(settings, info->name, value, "test", &diag) < 0)
                                bail_out("%s", diag.messages[0].text);
                }
        }
        diag_done(&diag);
        return settings;
}

/* Returns whether there was a policy: two keys may contradict each other. */
static bool try(uint64_t round, uint64_t *seed) {
        _cleanup_(settings_freep) Settings *settings = random_settings(seed);
        _cleanup_(policy_freep) Policy *policy = NULL, *again = NULL;
        _cleanup_free_ char *text = NULL, *text_again = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };

        if (policy_resolve(settings, &facts_of_any_machine, &policy, &diag) < 0)
                return false;
        if (wire_format(policy, &text) < 0)
                bail_out("out of memory");
        if (wire_parse(text, &again, &diag) < 0) {
                ok(false, "round %d: %s", (int)round, diag.messages[0].text);
                return true;
        }
        if (wire_format(again, &text_again) < 0 || strcmp(text, text_again) != 0)
                ok(false, "round %d: another text: %s", (int)round, text);
        return true;
}

int main(void) {
        uint64_t seed = 20261130;
        int n = 0;

        for (uint64_t round = 0; round < ROUNDS; round++)
                n += try(round, &seed);
        ok(n > ROUNDS / 10, "P4: %d of %d pseudo-random policies are read back to the byte", n,
           ROUNDS);
        return done_testing();
}
