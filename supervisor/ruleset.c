/* SPDX-License-Identifier: MIT */
/* The Landlock ruleset of a run. The worker adds the rules and puts it into force. */
#include "supervisor/ruleset.h"

#include <errno.h>
#include <string.h>

#include "policy/resolve.h"
#include "policy/rights.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"

/* A handled right is denied without a rule for each single port. */
static bool holds_ports(const Policy *policy) {
        return !policy->network || policy->tcp_connect_ports.n_ports > 0;
}

static int make(const Policy *policy, int abi) {
        const LandlockRulesetAttr attr = {
                .handled_access_fs = rights_handled_fs(abi),
                .handled_access_net = holds_ports(policy) ? rights_handled_net(abi) : 0,
                .scoped = rights_scoped(abi),
        };

        return kernel_landlock_create_ruleset(&attr, rights_ruleset_size(abi));
}

int ruleset_make(Run *run) {
        int claimed = run->facts.landlock_abi, abi = claimed;

        /* Kernels with parts of Landlock backported say an ABI and answer EINVAL to what it has. A
         * lower one is as good as a kernel that says so itself. Source: RHEL 9's 5.14.0-603. */
        for (;;) {
                run->ruleset_fd = make(run->policy, abi);
                if (run->ruleset_fd >= 0)
                        break;
                if (run->ruleset_fd != -EINVAL && run->ruleset_fd != -E2BIG)
                        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                            "cannot make a Landlock ruleset: %s" DOCTOR_HINT,
                                            strerror(-run->ruleset_fd));
                abi = MIN(abi, rights_newest() + 1) - 1;
                if (abi < LANDLOCK_ABI_MIN)
                        return outcome_fail(
                                &run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                "the Landlock of this kernel says ABI %d, but refuses even what "
                                "ABI %d has: boot another kernel, Linux 6.2 or "
                                "newer" NO_SANDBOX_HINT,
                                claimed, LANDLOCK_ABI_MIN);
        }
        if (abi < claimed && run->invocation->verbose)
                log_line("the Landlock of this kernel says ABI %d, but takes what ABI %d has and "
                         "no more: that is used",
                         claimed, abi);
        run->facts.landlock_abi = abi;
        if (run->policy->tcp_connect_ports.n_ports > 0 &&
            !(rights_handled_net(abi) & LANDLOCK_ACCESS_NET_CONNECT_TCP))
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "TCPConnectPorts= needs Landlock ABI 4, this kernel has %d: "
                                    "boot Linux 6.7 or newer, or leave the ports out" DOCTOR_HINT,
                                    abi);
        return 0;
}
