/* SPDX-License-Identifier: MIT */
/* policy/capabilities.c: S8, what a manager or kernel cannot enforce is refused by name, and who
 * can is said. */
#include "policy/capabilities.h"

#include <string.h>

#include "policy/resolve.h"
#include "policy/rights.h"
#include "tests/unit/tap.h"

/* Makes @key a key of settings that this version may not build. */
static void refused(Key key, const char *value, const Facts *facts, const char *part) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        Diag diag = { 0 };
        const char *name = key_info(key)->name;

        if (!settings)
                bail_out("out of memory");
        if (settings_set(settings, name, value, "-p here", &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        capabilities_check(settings, facts, &diag);
        if (part) {
                is_uint(diag.n_messages, 1, "%s is refused once", name);
                is_int(diag.n_messages ? (int)diag.messages[0].type : -1, ERROR_CAPABILITY,
                       "S4: as CapabilityNotSupported");
                has_str(diag.n_messages ? diag.messages[0].text : NULL, part, "S8: who can");
        } else
                is_uint(diag.n_messages, 0, "%s is not refused", name);
        diag_done(&diag);
}

static void test_table(void) {
        for (Key key = 0; key < _KEY_MAX; key++) {
                const Capability *capability = capability_of(key);

                ok(capability->by[0], "%s has a row", key_info(key)->name);
                ok(capability->landlock_abi >= rights_floor() &&
                           capability->landlock_abi <= rights_newest(),
                   "%s needs a Landlock there is", key_info(key)->name);
        }
        is_int(LANDLOCK_ABI_MIN, rights_floor(), "the least Landlock is the floor of the rights");
        ok(capability_of(KEY_IPAddressAllow)->system_only,
           "B72: a firewall is of the system manager");
        ok(strcmp(capability_linux(4), "6.7") == 0, "P5: ABI 4 came with Linux 6.7");
}

/* Every Landlock there is or may be, both managers, and who asks. */
static void test_facts(void) {
        for (int abi = -38; abi <= 10; abi++) {
                const Facts facts = { .uid = 1000, .landlock_abi = abi };

                refused(KEY_TCPConnectPorts, "443", &facts,
                        abi == 3 ? "needs Landlock ABI 4, this kernel has 3: boot Linux 6.7"
                                 : NULL);
                refused(KEY_MemoryMax, "1G", &facts, NULL);
        }
        for (int system = 0; system < 2; system++) {
                const Facts user = { .uid = 1000, .landlock_abi = 3, .system_manager = system },
                            root = { .uid = 0, .landlock_abi = 3, .system_manager = system };

                refused(KEY_User, "u", &user, "needs root");
                refused(KEY_Group, "g", &user, "needs root");
                refused(KEY_User, "u", &root, NULL);
                refused(KEY_Group, "g", &root, NULL);
        }
        refused(KEY_User, "u", &facts_of_any_machine, NULL);
        refused(KEY_TCPConnectPorts, "443", &facts_of_any_machine, NULL);
}

/* A file of the site is read by users' runs too, to which its range says nothing. */
static void test_range(void) {
        static const Facts user = { .uid = 1000, .landlock_abi = LANDLOCK_ABI_MIN };

        for (Layer layer = LAYER_SHIPPED; layer <= LAYER_COMMAND_LINE; layer++) {
                _cleanup_(settings_freep) Settings *settings = settings_new();
                _cleanup_(diag_done) Diag diag = { 0 };

                if (!settings)
                        bail_out("out of memory");
                settings_start_layer(settings, layer);
                if (settings_set(settings, "UIDRange", "70000-70001", "f:1", &diag) < 0)
                        bail_out("%s", diag.messages[0].text);
                capabilities_check(settings, &user, &diag);
                is_uint(diag.n_messages, layer > LAYER_SITE,
                        "S8: UIDRange= of layer %d in a user's run", (int)layer);
        }
}

int main(void) {
        test_table();
        test_facts();
        test_range();
        return done_testing();
}
