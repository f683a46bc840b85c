/* SPDX-License-Identifier: MIT */
/* policy/isolation.c: S16 what is required is compared with what a run is going to have, before
 * anything is made. */
#include "policy/isolation.h"

#include <errno.h>

#include "policy/resolve.h"
#include "tests/unit/tap.h"

static const char *const tiers[] = { "process", "container", "gvisor", "microvm" };

static Facts facts_with(bool view) {
        Facts facts = facts_of_any_machine;

        facts.no_view = view ? NULL : "it is not here: do that";
        return facts;
}

/* Every tier, with and without what makes a difference. */
static void test_required(void) {
        for (int i = 0; i < 4 * (int)ARRAY_SIZE(tiers); i++) {
                const char *tier = tiers[i / 4];
                bool view = i & 1, strict = i & 2;
                Facts facts = facts_with(view);
                _cleanup_(settings_freep) Settings *settings = settings_new();
                _cleanup_(policy_freep) Policy *policy = NULL;
                _cleanup_(diag_done) Diag diag = { 0 };
                int has = view && strict ? TIER_CONTAINER : TIER_PROCESS, r;

                if (!settings ||
                    settings_set(settings, "RequireIsolation", tier, "here", &diag) < 0 ||
                    settings_set(settings, "PrivateTmp", "no", "-p", &diag) < 0 ||
                    settings_set(settings, "Enforcement", strict ? "strict" : "best-effort", "-p",
                                 &diag) < 0)
                        bail_out("not taken");
                r = policy_resolve(settings, &facts, &policy, &diag);
                is_int(r, i / 4 <= has ? 0 : -EINVAL, "S16: %s%s%s", tier, view ? "" : ", no view",
                       strict ? "" : ", best-effort");
                if (r == 0) {
                        is_int((int)isolation_provided(policy, view), has, "it has its tier");
                        continue;
                }
                is_uint(diag.n_messages, 1, "once");
                is_int((int)diag.messages[0].type, ERROR_CONFIGURATION,
                       "S16: a ConfigurationError");
                has_str(diag.messages[0].text, "(here) is more than this run would have",
                        "with its place");
                has_str(diag.messages[0].text,
                        i / 4 > TIER_CONTAINER ? "shares the kernel of the host"
                        : !strict              ? "leave that out"
                                               : "it is not here: do that",
                        "S20: and what would help");
        }
}

/* The supervisor asks once more when the host turned out to give no namespace. */
static void test_late(void) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };

        if (!settings)
                bail_out("out of memory");
        settings_start_layer(settings, LAYER_SITE);
        if (settings_set_ceiling(settings, KEY_RequireIsolation, "container", "site:1", &diag) <
                    0 ||
            policy_resolve(settings, &facts_of_any_machine, &policy, &diag) < 0)
                bail_out("not taken");
        is_int(isolation_check(policy, settings, true, NULL, &diag), 0, "S16: with a view it goes");
        is_int(isolation_check(policy, settings, false, NULL, &diag), -EINVAL, "without it not");
        has_str(diag.n_messages ? diag.messages[0].text : NULL,
                "'RequireIsolation=container' (site:1)", "though only a ceiling says so");
        has_str(diag.n_messages ? diag.messages[0].text : NULL, "user.max_user_namespaces",
                "S20: with what would help");
}

static void test_unknown(void) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };

        if (!settings || policy_resolve(settings, &facts_of_any_machine, &policy, &diag) < 0)
                bail_out("no policy");
        is_int((int)policy->require_isolation, TIER_UNKNOWN, "S16: nobody requires anything");
        ok(!isolation_required(settings), "and nobody said so");
        is_str(isolation_name(TIER_UNKNOWN), "unknown", "which has a name");
        policy = policy_free(policy);
        if (settings_set(settings, "RequireIsolation", "unknown", "here", &diag) < 0)
                bail_out("not taken");
        is_int(policy_resolve(settings, &facts_of_any_machine, &policy, &diag), -EINVAL,
               "S16: unknown cannot be required");
        has_str(diag.n_messages ? diag.messages[0].text : NULL,
                "write process or container or gvisor or microvm", "S20: what can");
        for (size_t i = 0; i < ARRAY_SIZE(tiers); i++)
                is_str(isolation_name((Tier)i), tiers[i], "as it is required");
}

int main(void) {
        test_required();
        test_late();
        test_unknown();
        return done_testing();
}
