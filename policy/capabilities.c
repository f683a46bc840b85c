/* SPDX-License-Identifier: MIT */
/* The table of capabilities, and what follows from it for a policy. */
#include "policy/capabilities.h"

#include <assert.h>

#include "supervisor/base/base.h"

typedef enum ManagerSet {
        MANAGERS_ANY,
        MANAGERS_SYSTEM,
} ManagerSet;

static const Capability capabilities[_KEY_MAX] = {
#define CAPABILITY(name_, managers_, controller_, abi_, root_, by_)     \
        [KEY_##name_] = {                                               \
                .system_only = MANAGERS_##managers_ == MANAGERS_SYSTEM, \
                .controller = (controller_),                            \
                .landlock_abi = MAX((abi_), LANDLOCK_ABI_MIN),          \
                .root = (root_),                                        \
                .by = (by_),                                            \
        },
#include "policy/capabilities.def"
};

const Capability *capability_of(Key key) {
        assert(key >= 0 && key < _KEY_MAX);
        return &capabilities[key];
}

const char *capability_linux(int abi) {
        /* Source: landlock(7), "VERSIONS" and the kernel's Documentation/userspace-api/landlock. */
        static const char versions[][5] = {
                "", "5.13", "5.19", "6.2", "6.7", "6.10", "6.12", "6.15"
        };

        assert(abi > 0 && (size_t)abi < ARRAY_SIZE(versions));
        return versions[abi];
}

static void check(const Setting *setting, const Facts *facts, Diag *diag) {
        const Capability *row = &capabilities[setting->key];
        const char *name = key_info(setting->key)->name, *origin = setting->origin;
        /* The site says once for all where runs of root get uids; those of users are none of them.
         */
        bool of_root = setting->key == KEY_UIDRange && setting->layer <= LAYER_SITE;

        if (row->system_only && !facts->system_manager)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "'%s' (%s) can be enforced by the system manager only: run confine "
                               "as root, or leave it out",
                               name, origin);
        if (row->root && !of_root && facts->uid != 0 && facts->uid != UID_UNKNOWN)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "'%s' (%s) needs root: a user's run keeps the user's ids; drop the "
                               "option or run confine as root",
                               name, origin);
        if (facts->landlock_abi >= LANDLOCK_ABI_MIN && row->landlock_abi > facts->landlock_abi)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "'%s' (%s) needs Landlock ABI %d, this kernel has %d: boot Linux %s "
                               "or newer, or leave it out" DOCTOR_HINT,
                               name, origin, row->landlock_abi, facts->landlock_abi,
                               capability_linux(row->landlock_abi));
}

void capabilities_check(const Settings *settings, const Facts *facts, Diag *reterr_diag) {
        bool seen[_KEY_MAX] = { false };

        /* The last one of a key is the one in force. */
        for (size_t i = settings_count(settings); i-- > 0;) {
                const Setting *setting = settings_at(settings, i);

                if (!seen[setting->key])
                        check(setting, facts, reterr_diag);
                seen[setting->key] = true;
        }
}
