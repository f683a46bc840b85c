/* SPDX-License-Identifier: MIT */
/* Landlock rights by ABI: reads rights.def, decides nothing else. */
#include "policy/rights.h"

#include <stdbool.h>
#include <sys/stat.h>

#include "policy/policy.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"

typedef enum RightObject {
        OBJECT_ANY,
        OBJECT_DIRECTORY,
        OBJECT_DEVICE,
} RightObject;

typedef struct Right {
        uint64_t bit;
        int abi;
        unsigned grants; /* GRANT_* bits */
        RightObject object;
} Right;

enum {
        NONE = 0,
        R = GRANT_READ,
        W = GRANT_WRITE,
        X = GRANT_EXEC
};

static const Right fs_rights[] = {
#define FS_RIGHT(name, abi, grants, object) \
        { LANDLOCK_ACCESS_FS_##name, abi, grants, OBJECT_##object },
#include "policy/rights.def"
};

static const Right net_rights[] = {
#define NET_RIGHT(name, abi) { LANDLOCK_ACCESS_NET_##name, abi, NONE, OBJECT_ANY },
#include "policy/rights.def"
};

static const Right scopes[] = {
#define SCOPE(name, abi) { LANDLOCK_SCOPE_##name, abi, NONE, OBJECT_ANY },
#include "policy/rights.def"
};

static uint64_t all_of(const Right *rights, size_t n_rights, int abi) {
        uint64_t mask = 0;

        for (size_t i = 0; i < n_rights; i++)
                if (rights[i].abi <= abi)
                        mask |= rights[i].bit;
        return mask;
}

static bool makes_sense_on(RightObject object, mode_t mode) {
        switch (object) {
        case OBJECT_ANY:
                return true;
        case OBJECT_DIRECTORY:
                return S_ISDIR(mode);
        case OBJECT_DEVICE:
                return S_ISCHR(mode);
        }
        return false;
}

int rights_floor(void) {
        return 3;
}

int rights_newest(void) {
        return 10;
}

uint64_t rights_handled_fs(int abi) {
        return all_of(fs_rights, ARRAY_SIZE(fs_rights), abi);
}

uint64_t rights_handled_net(int abi) {
        return all_of(net_rights, ARRAY_SIZE(net_rights), abi);
}

uint64_t rights_scoped(int abi) {
        return all_of(scopes, ARRAY_SIZE(scopes), abi);
}

uint64_t rights_for_grant(unsigned access, mode_t mode, int abi) {
        uint64_t mask = 0;

        for (size_t i = 0; i < ARRAY_SIZE(fs_rights); i++) {
                const Right *right = &fs_rights[i];

                if ((right->grants & access) && makes_sense_on(right->object, mode))
                        mask |= right->bit;
        }
        return mask & rights_handled_fs(abi);
}

uint32_t rights_restrict_flags(int abi, bool own_logged) {
        uint32_t own = own_logged ? 0 : LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF;

        return abi >= 7 ? LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF | own : 0;
}

size_t rights_ruleset_size(int abi) {
        return abi < 4   ? offsetof(LandlockRulesetAttr, handled_access_net)
               : abi < 6 ? offsetof(LandlockRulesetAttr, scoped)
                         : sizeof(LandlockRulesetAttr);
}
