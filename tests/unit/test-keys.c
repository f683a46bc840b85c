/* SPDX-License-Identifier: MIT */
/* policy/keys.c and keys.def: the table is whole and consistent. */
#include "policy/keys.h"

#include <string.h>

#include "policy/policy.h"
#include "tests/unit/tap.h"

/* product.md section 2, in its order, UIDRange of section 8, and the key of --slice= of section 1.
 */
static const char *const vocabulary[] = {
        "AllowRead",
        "AllowWrite",
        "AllowExec",
        "Base",
        "PrivateTmp",
        "DiskMax",
        "LimitFSIZE",
        "MemoryMax",
        "MemorySwapMax",
        "CPUQuota",
        "CPUWeight",
        "TasksMax",
        "RuntimeMaxSec",
        "TimeoutStopSec",
        "StartTimeoutSec",
        "LimitNOFILE",
        "LimitCORE",
        "LimitSTACK",
        "IOWeight",
        "IOReadBandwidthMax",
        "IOWriteBandwidthMax",
        "Slice",
        "Network",
        "IPAddressAllow",
        "TCPConnectPorts",
        "TCPBindPorts",
        "Domains",
        "Subprocess",
        "Interpreter",
        "SeccompProfile",
        "Enforcement",
        "Environment",
        "PassEnvironment",
        "LoadCredential",
        "Secrets",
        "User",
        "Group",
        "UIDRange",
        "WorkingDirectory",
        "Label",
        "Audit",
        "AuditArguments",
        "RequireIsolation",
};

static void test_rows(void) {
        for (Key key = 0; key < _KEY_MAX; key++) {
                const KeyInfo *info = key_info(key);
                ValueHint hint;
                uint64_t number;

                ok(info->name && info->section && info->help, "%s has its texts", info->name);
                ok(info->type != VALUE_CHOICE || info->choices, "%s has its words", info->name);
                if (info->type >= _VALUE_NUMBER_MAX || !info->built)
                        continue;
                ok(info->min <= info->max, "%s has a range", info->name);
                ok(info->max < LIMIT_UNSET / 2, "S11: %s cannot be unlimited", info->name);
                if (!info->preset)
                        continue;
                is_int(value_parse_number(info->type, info->choices, info->preset, &number, &hint),
                       0, "S10 S11: %s has a finite default", info->name);
                ok(number >= info->min && number <= info->max, "%s: the default is in range",
                   info->name);
        }
}

int main(void) {
        const char *near = "x";

        is_int(_KEY_MAX, ARRAY_SIZE(vocabulary), "as many keys as the vocabulary has");
        for (size_t i = 0; i < ARRAY_SIZE(vocabulary); i++)
                is_int(key_find(vocabulary[i], &near), (int64_t)i, "%s is in its place",
                       vocabulary[i]);
        ok(near == NULL, "a key that is found has no near one");
        test_rows();

        is_int(key_find("memorymax", &near), _KEY_INVALID, "capitals count");
        is_str(near, "MemoryMax", "but the hint knows");
        is_int(key_find("TaskMax", &near), _KEY_INVALID, "a slip is refused");
        is_str(near, "TasksMax", "with the nearest key");
        is_int(key_find("Nice", &near), _KEY_INVALID, "a key of systemd that is not ours");
        is_str(near, NULL, "has no near one");
        is_int(key_find("", &near), _KEY_INVALID, "no name is no key");

        has_str(key_later_value(KEY_Network, "learn"), "later version", "S5: learn is for later");
        is_str(key_later_value(KEY_Network, "deny"), NULL, "deny is not");
        is_str(key_later_value(KEY_Audit, "learn"), NULL, "a later value belongs to its key");
        return done_testing();
}
