/* SPDX-License-Identifier: MIT */
/* policy/ceiling.c, and what settings.c keeps for it: S11 the most that anybody may ask for. What
 * the messages say is in tests/data/policy-files. */
#include "policy/ceiling.h"

#include <errno.h>
#include <string.h>

#include "policy/resolve.h"
#include "tests/unit/tap.h"

typedef struct Fixture {
        Settings *settings;
        Policy *policy;
        Diag diag;
        int r;
} Fixture;

static void fixture_done(Fixture *f) {
        (void)settings_free(f->settings);
        (void)policy_free(f->policy);
        diag_done(&f->diag);
}

static void bind(Fixture *f, Key key, const char *value) {
        if (settings_set_ceiling(f->settings, key, value, "site:1", &f->diag) < 0)
                bail_out("a ceiling is not taken");
}

static void resolve(Fixture *f) {
        f->r = policy_resolve(f->settings, &facts_of_any_machine, &f->policy, &f->diag);
}

static void set(Fixture *f, const char *key, const char *value) {
        settings_start_layer(f->settings, LAYER_COMMAND_LINE);
        if (settings_set(f->settings, key, value, "-p", &f->diag) < 0)
                bail_out("%s=%s is not taken", key, value);
}

#define _fixture_(name)                                                        \
        _cleanup_(fixture_done) Fixture name = { .settings = settings_new() }; \
        if (!name.settings)                                                    \
                bail_out("out of memory");                                     \
        settings_start_layer(name.settings, LAYER_SITE)

static const struct {
        Key key;
        const char *ceiling, *more;
} numbers[] = {
        { KEY_Base, "none", "system" },
        { KEY_DiskMax, "1M", "2M" },
        { KEY_LimitFSIZE, "1M", "1025K" },
        { KEY_MemoryMax, "8M", "9M" },
        { KEY_MemorySwapMax, "0", "1" },
        { KEY_CPUQuota, "50%", "51%" },
        { KEY_TasksMax, "2", "3" },
        { KEY_CPUWeight, "50", "51" },
        { KEY_IOWeight, "50", "51" },
        { KEY_RuntimeMaxSec, "1s", "2s" },
        { KEY_TimeoutStopSec, "1s", "1001ms" },
        { KEY_StartTimeoutSec, "1s", "2s" },
        { KEY_LimitNOFILE, "9", "10" },
        { KEY_LimitCORE, "0", "1" },
        { KEY_LimitSTACK, "1M", "2M" },
        { KEY_Network, "deny", "allow" },
        { KEY_Subprocess, "deny", "allow" },
        { KEY_Enforcement, "strict", "best-effort" },
        { KEY_Audit, "required", "best-effort" },
};

/* Every key that has a most: one more than the ceiling, by one's own words, is refused; a default
 * that is more is lowered. */
static void test_numbers(void) {
        size_t n = 0;

        for (Key key = 0; key < _KEY_MAX; key++)
                n += key_info(key)->bound == BOUND_MOST || key_info(key)->bound == BOUND_UPTO;
        is_uint(ARRAY_SIZE(numbers), n, "every key with a most is tried");
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
                const KeyInfo *info = key_info(numbers[i].key);
                _fixture_(beyond);
                _fixture_(at);
                _fixture_(by_default);
                _fixture_(unbound);
                uint64_t most;
                ValueHint hint;

                (void)value_parse_number(info->type, info->choices, numbers[i].ceiling, &most,
                                         &hint);
                bind(&beyond, numbers[i].key, numbers[i].ceiling);
                set(&beyond, info->name, numbers[i].more);
                resolve(&beyond);
                is_int(beyond.r, -EINVAL, "S11: %s=%s is beyond", info->name, numbers[i].more);
                has_str(beyond.diag.n_messages ? beyond.diag.messages[0].text : NULL,
                        "(-p) is more than the ceiling of this machine", "and refused so");
                has_str(beyond.diag.n_messages ? beyond.diag.messages[0].text : NULL, "(site:1)",
                        "with both places");
                set(&unbound, info->name, numbers[i].more);
                resolve(&unbound);
                is_int(unbound.r, 0, "control: without a ceiling it is taken");
                bind(&at, numbers[i].key, numbers[i].ceiling);
                set(&at, info->name, numbers[i].ceiling);
                resolve(&at);
                is_int(at.r, 0, "at the ceiling it is taken");
                bind(&by_default, numbers[i].key, numbers[i].ceiling);
                resolve(&by_default);
                is_int(by_default.r, 0, "nobody asked");
                ok(by_default.policy && key_load(info, by_default.policy) <= most,
                   "so the default is lowered");
        }
}

/* Unset is 100: a ceiling above that is no reason to set more. */
static void test_unset_weight(void) {
        _fixture_(f);

        bind(&f, KEY_CPUWeight, "200");
        resolve(&f);
        ok(f.policy && f.policy->cpu_weight == LIMIT_UNSET, "S11: a weight nobody set stays so");
}

/* Every key that has a least: less, by one's own words, is refused, and a default that is less is
 * raised. */
static void test_least(void) {
        static const struct {
                Key key;
                const char *ceiling, *less, *more;
        } rows[] = {
                { KEY_PrivateTmp, "yes", "no", "yes" },
                { KEY_RequireIsolation, "container", "process", "container" },
        };
        size_t n = 0;

        for (Key key = 0; key < _KEY_MAX; key++)
                n += key_info(key)->bound == BOUND_LEAST;
        is_uint(ARRAY_SIZE(rows), n, "every key with a least is tried");
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const KeyInfo *info = key_info(rows[i].key);
                _fixture_(beyond);
                _fixture_(at);
                _fixture_(by_default);
                _fixture_(unbound);
                char text[VALUE_FORMAT_SIZE] = "";

                bind(&beyond, rows[i].key, rows[i].ceiling);
                set(&beyond, info->name, rows[i].less);
                resolve(&beyond);
                is_int(beyond.r, -EINVAL, "S11 S16: %s=%s is less", info->name, rows[i].less);
                has_str(beyond.diag.n_messages ? beyond.diag.messages[0].text : NULL,
                        "(-p) is less than this machine requires", "and refused so");
                has_str(beyond.diag.n_messages ? beyond.diag.messages[0].text : NULL, "(site:1)",
                        "with both places");
                set(&unbound, info->name, rows[i].less);
                resolve(&unbound);
                is_int(unbound.r, 0, "control: without a ceiling it is taken");
                bind(&at, rows[i].key, rows[i].ceiling);
                set(&at, info->name, rows[i].more);
                resolve(&at);
                is_int(at.r, 0, "at the ceiling it is taken");
                bind(&by_default, rows[i].key, rows[i].ceiling);
                resolve(&by_default);
                is_int(by_default.r, 0, "nobody asked");
                if (by_default.policy)
                        value_format_number(info->type, info->choices,
                                            key_load(info, by_default.policy), text);
                is_str(text, rows[i].ceiling, "so the default is raised");
        }
}

/* A value that is none, or less than any run has, is told as that alone: it is not more than the
 * ceiling, though the default, which then stands, is. */
static void test_faulty(void) {
        static const struct {
                Key key;
                const char *ceiling, *value, *message;
        } rows[] = {
                { KEY_MemoryMax, "512M", "5x", "'5x' is not a size for 'MemoryMax' (-p)" },
                { KEY_MemoryMax, "512M", "1K", "'1K' is too small for 'MemoryMax' (-p)" },
                { KEY_PrivateTmp, "yes", "maybe", "'maybe' is not" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _fixture_(f);

                bind(&f, rows[i].key, rows[i].ceiling);
                set(&f, key_info(rows[i].key)->name, rows[i].value);
                resolve(&f);
                is_int(f.r, -EINVAL, "%s is refused", rows[i].value);
                is_uint(f.diag.n_messages, 1, "once");
                has_str(f.diag.n_messages ? f.diag.messages[0].text : NULL, rows[i].message,
                        "as what it is");
        }
}

/* What a distribution or a form brings along nobody asked for. */
static void test_shipped(void) {
        _fixture_(f);

        settings_start_layer(f.settings, LAYER_SHIPPED);
        if (settings_set(f.settings, "Base", "python", "the form", &f.diag) < 0)
                bail_out("not taken");
        settings_start_layer(f.settings, LAYER_SITE);
        bind(&f, KEY_Base, "none");
        resolve(&f);
        is_int(f.r, 0, "what was shipped is no asking");
        is_int(f.policy ? (int)f.policy->base : -1, BASE_NONE, "and is lowered");
}

static void test_ports(void) {
        static const struct {
                const char *network, *ports[2], *part;
        } rows[] = {
                { "allow", { "443", NULL }, NULL },
                { "allow", { "443", "53" }, NULL },
                { "deny", { NULL, NULL }, NULL },
                { "allow",
                  { NULL, NULL },
                  "'Network=allow' (-p) is for more than the ports that the ceiling of this "
                  "machine lists, such as 53 (site:1): add -p TCPConnectPorts=53" },
                { "allow",
                  { "443", "80" },
                  "'TCPConnectPorts=80' (-p) is not among the ports that the ceiling" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _fixture_(f);

                bind(&f, KEY_TCPConnectPorts, "443");
                bind(&f, KEY_TCPConnectPorts, "53");
                set(&f, "Network", rows[i].network);
                for (size_t j = 0; j < 2 && rows[i].ports[j]; j++)
                        set(&f, "TCPConnectPorts", rows[i].ports[j]);
                resolve(&f);
                is_int(f.r, rows[i].part ? -EINVAL : 0, "S11: ports, row %zu", i);
                if (rows[i].part)
                        has_str(f.diag.n_messages ? f.diag.messages[0].text : NULL, rows[i].part,
                                "by name");
        }
}

static void test_slices(void) {
        static const struct {
                const char *slice, *part;
        } rows[] = {
                { NULL, NULL },
                { "confine-batch", NULL },
                { "confine-night.slice", NULL },
                { "confine-other",
                  "'Slice=confine-other' (-p) is not among the slices that the ceiling of this "
                  "machine lists, such as confine-night (site:1): name one" },
                { "confine", "'Slice=confine' (-p) is not among" },
                { "confine-batch-inner", "'Slice=confine-batch-inner' (-p) is not among" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _fixture_(f);

                bind(&f, KEY_Slice, "confine-batch.slice");
                bind(&f, KEY_Slice, "confine-night");
                if (rows[i].slice)
                        set(&f, "Slice", rows[i].slice);
                resolve(&f);
                is_int(f.r, rows[i].part ? -EINVAL : 0, "S12: slices, row %zu", i);
                if (rows[i].part)
                        has_str(f.diag.n_messages ? f.diag.messages[0].text : NULL, rows[i].part,
                                "by name");
        }
}

/* policy-file.c lets none through. */
static void test_unreadable(void) {
        _fixture_(f);

        bind(&f, KEY_TasksMax, "many");
        resolve(&f);
        is_int(f.r, -EINVAL, "P5: a ceiling that cannot be read is none that can be ignored");
        has_str(f.diag.messages[0].text, "'TasksMax' (site:1) cannot be read", "by name");
}

static void test_last_counts(void) {
        _fixture_(f);

        if (settings_set(f.settings, "MemoryMax", "4G", "low", &f.diag) < 0)
                bail_out("not taken");
        bind(&f, KEY_MemoryMax, "1G");
        settings_start_layer(f.settings, LAYER_SITE);
        bind(&f, KEY_MemoryMax, "2G");
        set(&f, "MemoryMax", "2G");
        resolve(&f);
        is_int(f.r, 0, "the later ceiling and the value that wins count");
        is_int(settings_set_ceiling(f.settings, KEY_TasksMax, "1", "x", &f.diag), 0, "one");
        is_int(settings_set_ceiling(f.settings, KEY_TasksMax, "1", "y", &f.diag), -EINVAL,
               "twice in a layer is refused");
        is_int(settings_set_ceiling(f.settings, KEY_User, "a", "x", &f.diag), 0, "of a list one");
        is_int(settings_set_ceiling(f.settings, KEY_User, "b", "y", &f.diag), 0, "and another");
}

static char *lead(const char *path) {
        return strdup(strcmp(path, "/link") == 0 ? "/real" : path);
}

static void test_grants(void) {
        static const struct {
                const char *key, *path,
                        *against; /* of ceilings AllowRead=/r /link, AllowWrite=/w */
        } rows[] = {
                { "AllowRead", "/r", NULL },     { "AllowRead", "/r/x", NULL },
                { "AllowRead", "/rx", "/link" }, { "AllowRead", "/w", "/link" },
                { "AllowRead", "/", "/link" },   { "AllowRead", "/real/x", NULL },
                { "AllowExec", "/r/x", NULL },   { "AllowExec", "/w", "/link" },
                { "AllowWrite", "/w/x", NULL },  { "AllowWrite", "/r", "/w" },
                { "AllowWrite", "/real", "/w" },
        };
        _fixture_(f);

        bind(&f, KEY_AllowRead, "/r");
        bind(&f, KEY_AllowRead, "/link");
        bind(&f, KEY_AllowWrite, "/w");
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const Grant grant = { .key = rows[i].key };
                const Setting *against = ceiling_against(f.settings, &grant, rows[i].path, lead);

                is_str(against ? against->value : NULL, rows[i].against, "S11: %s=%s", rows[i].key,
                       rows[i].path);
        }
        set(&f, "AllowRead", "/r/../etc");
        set(&f, "AllowWrite", "/w");
        resolve(&f);
        is_int(f.r, -EINVAL, "a grant that is written out of it is refused");
        is_uint(f.diag.n_messages, 1, "that one alone");
        has_str(f.diag.messages[0].text, "'AllowRead' of '/r/../etc' (-p)", "by name");
}

static void test_no_sandbox(void) {
        _fixture_(f);

        is_str(settings_no_sandbox_forbidden(f.settings), NULL, "P4: allowed if nobody says no");
        (void)settings_forbid_no_sandbox(f.settings, true, "a:1", &f.diag);
        is_str(settings_no_sandbox_forbidden(f.settings), "a:1", "forbidden by a site");
        is_int(settings_forbid_no_sandbox(f.settings, false, "a:2", &f.diag), -EINVAL, "once");
        settings_start_layer(f.settings, LAYER_SITE);
        is_int(settings_forbid_no_sandbox(f.settings, false, "b:1", &f.diag), 0, "a drop-in");
        is_str(settings_no_sandbox_forbidden(f.settings), NULL, "may take it back");
}

static void test_add_all(void) {
        _fixture_(f);
        _fixture_(above);
        int worst = 0;

        bind(&above, KEY_TasksMax, "1");
        set(&above, "TasksMax", "7");
        set(&f, "TasksMax", "6");
        is_int(settings_add_all(f.settings, above.settings, &f.diag), 0, "one layer more");
        is_uint(settings_count_ceilings(f.settings), 0, "without its ceilings");
        is_str(settings_last(f.settings, KEY_TasksMax)->value, "7", "above the others");
        is_int(settings_last(f.settings, KEY_TasksMax)->layer, LAYER_COMMAND_LINE, "of its kind");
        is_str(settings_last(f.settings, KEY_User) ? "one" : NULL, NULL, "or nothing is found");
        for (size_t i = 0; i < SETTINGS_LIST_MAX; i++) {
                int r = settings_set(f.settings, "AllowRead", "/a", "-p", &f.diag);

                worst = MIN(worst, r);
        }
        is_int(worst, 0, "as many of lists as there may be");
        set(&above, "AllowRead", "/b");
        is_int(settings_add_all(f.settings, above.settings, &f.diag), -EINVAL, "and none beside");
        is_int(settings_set_ceiling(f.settings, KEY_AllowRead, "/c", "x", &f.diag), -EINVAL,
               "nor a ceiling");
}

int main(void) {
        test_numbers();
        test_unset_weight();
        test_least();
        test_faulty();
        test_shipped();
        test_ports();
        test_slices();
        test_unreadable();
        test_last_counts();
        test_grants();
        test_no_sandbox();
        test_add_all();
        return done_testing();
}
