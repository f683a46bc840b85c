/* SPDX-License-Identifier: MIT */
/* policy/bandwidth.c, and the weights beside it: what is taken, and what of them is in force (S11).
 */
#include "policy/bandwidth.h"

#include <errno.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/resolve.h"
#include "supervisor/base/base.h"
#include "tests/unit/tap.h"

static const Facts facts = { .landlock_abi = 6, .system_manager = true, .cwd = "/w" };

static void test_canonical(void) {
        static const struct {
                const char *text, *wanted; /* NULL: refused */
                const char *hint;
        } rows[] = {
                { "/dev/vda 10M", "/dev/vda 10M", NULL },
                { "/dev//vda/ 10240K", "/dev/vda 10M", NULL },
                { "a-b 1", "/w/a-b 1", NULL },
                { "/\xc3\xa4 1", "/\xc3\xa4 1", NULL },
                { "/a..b/..c 1", "/a..b/..c 1", NULL },
                { "", NULL, "'/srv 10M'" },
                { "/dev/vda", NULL, "'/srv 10M'" },
                { " 10M", NULL, "'/srv 10M'" },
                { "10M /dev/vda", NULL, "K, M, G or T" },
                { "/dev/vda ", NULL, "cannot be unset" },
                { "/dev/vda 0", NULL, "1 byte" },
                { "/dev/vda 1.5M", NULL, "write '1536K'" },
                { "/dev/vda infinity", NULL, "cannot be unset" },
                { "/dev/../vda 1", NULL, "without '..'" },
                { "/dev/.. 1", NULL, "without '..'" },
                { "~/x 1", NULL, "~" },
                { "/a\nb 1", NULL, "control" },
                { "/a b 1", NULL, "without blanks" },
                { "/a\tb 1", NULL, "control" },
                { "/a\"b 1", NULL, "without blanks" },
                { "/a'b 1", NULL, "without blanks" },
                { "/a\\ 1", NULL, "without blanks" },
                { "/50% 1", NULL, "without blanks" },
                { "/a\xff 1", NULL, "UTF-8" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_free_ char *text = NULL;
                ValueHint hint = { "" };
                size_t length = 0;
                int r;

                r = bandwidth_canonical(rows[i].text, "/w", &text, &length, &hint);
                is_int(r, rows[i].wanted ? 0 : -EINVAL, "'%s'", rows[i].text);
                if (rows[i].hint)
                        has_str(hint.text, rows[i].hint, "with what to write");
                if (r < 0)
                        continue;
                is_str(text, rows[i].wanted, "its canonical form");
                is_uint(length, (size_t)(strrchr(text, ' ') - text), "its path ends where it does");
        }
}

/* The policy of @pairs, keys and values of a project's file or of the command line. */
static Policy *resolve(Layer layer, const char *const *pairs, Diag *diag) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        Policy *policy = NULL;

        if (!settings)
                bail_out("out of memory");
        settings_start_layer(settings, layer);
        for (; pairs[0]; pairs += 2)
                if (settings_set(settings, pairs[0], pairs[1], "here", diag) < 0)
                        return NULL;
        (void)policy_resolve(settings, &facts, &policy, diag);
        return policy;
}

static void test_lists(void) {
        static const char *const pairs[] = {
                "IOReadBandwidthMax",
                "/b 1M",
                "IOReadBandwidthMax",
                "/a 1M",
                "IOReadBandwidthMax",
                "/b 2M",
                "IOReadBandwidthMax",
                "/bb 3M",
                "IOWriteBandwidthMax",
                "/b 4M",
                NULL,
        };
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_(policy_freep) Policy *policy = resolve(LAYER_COMMAND_LINE, pairs, &diag);

        if (!ok(policy != NULL, "a list of bandwidths"))
                return;
        is_str(policy->io_read_bandwidth_max[0], "/a 1M", "sorted");
        is_str(policy->io_read_bandwidth_max[1], "/b 2M", "the last one of a path wins");
        is_str(policy->io_read_bandwidth_max[2], "/bb 3M", "a path that starts alike is another");
        ok(!policy->io_read_bandwidth_max[3], "and no more");
        is_str(policy->io_write_bandwidth_max[0], "/b 4M", "writing has its own list");
        is_uint(policy->cpu_weight, LIMIT_UNSET, "no weight unless asked for");
        is_uint(policy->io_weight, LIMIT_UNSET, "nor one of devices");
}

static void test_refusal(void) {
        static const char *const pairs[] = { "IOWriteBandwidthMax", "/b 1.5M", NULL };
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_(policy_freep) Policy *policy = resolve(LAYER_COMMAND_LINE, pairs, &diag);

        ok(!policy && diag.n_messages == 1, "a bandwidth that is none is refused");
        is_str(diag.n_messages > 0 ? diag.messages[0].text : NULL,
               "'/b 1.5M' is no bandwidth for 'IOWriteBandwidthMax' (here): write '1536K'",
               "S20: with the key, the place and the fix");
}

static void test_weights(void) {
        static const struct {
                Layer layer;
                const char *key, *value;
                uint64_t wanted; /* 0: refused */
                const char *part;
        } rows[] = {
                { LAYER_COMMAND_LINE, "CPUWeight", "1", 1, NULL },
                { LAYER_COMMAND_LINE, "CPUWeight", "10000", 10000, NULL },
                { LAYER_COMMAND_LINE, "CPUWeight", "0", 0, "write 1 or more" },
                { LAYER_COMMAND_LINE, "CPUWeight", "10001", 0, "write 10000 or less" },
                { LAYER_COMMAND_LINE, "CPUWeight", "idle", 0, "whole number" },
                { LAYER_PROJECT, "CPUWeight", "100", 100, NULL },
                { LAYER_PROJECT, "CPUWeight", "101", 0, "more than the 100 in force" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const char *const pairs[] = { rows[i].key, rows[i].value, NULL };
                _cleanup_(diag_done) Diag diag = { 0 };
                _cleanup_(policy_freep) Policy *policy = resolve(rows[i].layer, pairs, &diag);

                is_uint(policy ? policy->cpu_weight : 0, rows[i].wanted, "%s=%s", rows[i].key,
                        rows[i].value);
                if (rows[i].part)
                        has_str(diag.n_messages > 0 ? diag.messages[0].text : "", rows[i].part,
                                "S20: with the fix");
        }
}

static void test_split(void) {
        _cleanup_free_ char *path = NULL, *none = NULL;
        uint64_t bytes = 0;

        is_int(bandwidth_split("/a b 2K", &path, &bytes), 0, "an entry is taken apart");
        is_str(path, "/a b", "its path");
        is_uint(bytes, 2048, "and its size");
        is_int(bandwidth_split("/a", &none, &bytes), -EINVAL, "what is no entry is not");
        ok(!none, "and gives nothing");
}

int main(void) {
        test_split();
        test_canonical();
        test_lists();
        test_refusal();
        test_weights();
        return done_testing();
}
