/* SPDX-License-Identifier: MIT */
/* RequireIsolation=. What is provided is known before anything is created, and so is a refusal. */
#include "policy/isolation.h"

#include "policy/ceiling.h"
#include "supervisor/base/base.h"

static const char *const names[_TIER_MAX] = {
        [TIER_PROCESS] = "process",
        [TIER_CONTAINER] = "container",
        [TIER_GVISOR] = "gvisor",
        [TIER_MICROVM] = "microvm",
};

const char *isolation_name(Tier tier) {
        return tier == TIER_UNKNOWN ? "unknown" : names[tier];
}

/* The kernel is the host's in either case: no more is ever provided. */
Tier isolation_provided(const Policy *policy, bool has_view) {
        return has_view && policy->enforcement == ENFORCEMENT_STRICT ? TIER_CONTAINER
                                                                     : TIER_PROCESS;
}

const Setting *isolation_required(const Settings *settings) {
        const Setting *asked = settings_last(settings, KEY_RequireIsolation);

        return asked ? asked : ceiling_find(settings, KEY_RequireIsolation);
}

int isolation_check(const Policy *policy, const Settings *settings, bool has_view,
                    const char *no_view, Diag *reterr_diag) {
        const Setting *required = isolation_required(settings);
        Tier tier = isolation_provided(policy, has_view);
        const char *why, *fix;

        if (policy->require_isolation <= tier)
                return 0;
        if (policy->require_isolation > TIER_CONTAINER) {
                why = "confine shares the kernel of the host, which is 'container' at most";
                fix = "run it where that tier is provided, or ask for less";
        } else if (policy->enforcement != ENFORCEMENT_STRICT) {
                why = "with Enforcement=best-effort a run is 'process'";
                fix = "leave that out, or ask for less";
        } else {
                why = "without a private view a run is 'process'";
                fix = no_view ? no_view
                              : "raise user.max_user_namespaces, run confine as root, or ask for "
                                "less";
        }
        return diag_add(reterr_diag, ERROR_CONFIGURATION,
                        "'RequireIsolation=%s' (%s) is more than this run would have: %s: %s",
                        isolation_name(policy->require_isolation),
                        required ? required->origin : "?", why, fix);
}
