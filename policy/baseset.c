/* SPDX-License-Identifier: MIT */
/* The base sets. Files of /etc stand one by one, never /etc as a whole: no shadow, no private keys.
 */
#include "policy/baseset.h"

#include "supervisor/base/base.h"

#define R  GRANT_READ
#define X  GRANT_EXEC
#define RW GRANT_WRITE

static const BaseEntry system_entries[] = {
        { "/usr", X, false },
        { "/bin", X, false },
        { "/sbin", X, false },
        { "/lib", X, false },
        { "/lib32", X, false },
        { "/lib64", X, false },
        { "/libx32", X, false },

        { "/etc/ld.so.cache", R, false },
        { "/etc/ld.so.conf", R, false },
        { "/etc/ld.so.conf.d", R, false },
        { "/etc/ld.so.preload", R, false },
        { "/etc/nsswitch.conf", R, false },
        { "/etc/host.conf", R, false },
        { "/etc/hosts", R, false },
        { "/etc/passwd", R, false },
        { "/etc/group", R, false },
        { "/etc/localtime", R, false },
        { "/etc/timezone", R, false },
        { "/etc/locale.alias", R, false },
        { "/etc/locale.conf", R, false },
        { "/etc/locale.gen", R, false },
        { "/etc/mime.types", R, false },
        { "/etc/os-release", R, false },
        { "/etc/alternatives", R, false },
        { "/etc/ssl/certs", R, false },
        { "/etc/ssl/openssl.cnf", R, false },
        { "/etc/ca-certificates", R, false },
        { "/etc/ca-certificates.conf", R, false },

        { "/sys/devices/system/cpu", R, false },

        { "/proc/cpuinfo", R, false },
        { "/proc/meminfo", R, false },
        { "/proc/stat", R, false },
        { "/proc/loadavg", R, false },
        { "/proc/filesystems", R, false },
        { "/proc/sys/kernel/osrelease", R, false },
        { "/proc/sys/kernel/ngroups_max", R, false },
        { "/proc/sys/kernel/cap_last_cap", R, false },
        { "/proc/sys/vm/overcommit_memory", R, false },

        { "/dev/null", RW, false },
        { "/dev/zero", RW, false },
        { "/dev/full", RW, false },
        { "/dev/random", RW, false },
        { "/dev/urandom", RW, false },
        { "/dev/tty", RW, true },
};

const BaseEntry *baseset_entries(BaseSet base, size_t *ret_n) {
        switch (base) {
        case BASE_SYSTEM:
                *ret_n = ARRAY_SIZE(system_entries);
                return system_entries;
        case BASE_NONE:
        case _BASE_MAX:
        case _BASE_INVALID:
                break;
        }
        *ret_n = 0;
        return NULL;
}
