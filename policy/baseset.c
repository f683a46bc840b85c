/* SPDX-License-Identifier: MIT */
/* The base sets. Files of /etc stand one by one, never /etc as a whole: no shadow, no private keys.
 */
#include "policy/baseset.h"

#include "supervisor/base/base.h"

#define R  GRANT_READ
#define X  GRANT_EXEC
#define RW GRANT_WRITE

static const BaseEntry system_entries[] = {
        { "/usr", X, BASE_ALWAYS },
        { "/bin", X, BASE_ALWAYS },
        { "/sbin", X, BASE_ALWAYS },
        { "/lib", X, BASE_ALWAYS },
        { "/lib32", X, BASE_ALWAYS },
        { "/lib64", X, BASE_ALWAYS },
        { "/libx32", X, BASE_ALWAYS },

        { "/etc/ld.so.cache", R, BASE_ALWAYS },
        { "/etc/ld.so.conf", R, BASE_ALWAYS },
        { "/etc/ld.so.conf.d", R, BASE_ALWAYS },
        { "/etc/ld.so.preload", R, BASE_ALWAYS },
        { "/etc/nsswitch.conf", R, BASE_ALWAYS },
        { "/etc/host.conf", R, BASE_ALWAYS },
        { "/etc/resolv.conf", R, BASE_NETWORK },
        { "/etc/services", R, BASE_NETWORK }, /* ports and protocols by name: getaddrinfo(3) */
        { "/etc/protocols", R, BASE_NETWORK },
        { "/etc/hosts", R, BASE_ALWAYS },
        { "/etc/passwd", R, BASE_ALWAYS },
        { "/etc/group", R, BASE_ALWAYS },
        { "/etc/localtime", R, BASE_ALWAYS },
        { "/etc/timezone", R, BASE_ALWAYS },
        { "/etc/locale.alias", R, BASE_ALWAYS },
        { "/etc/locale.conf", R, BASE_ALWAYS },
        { "/etc/locale.gen", R, BASE_ALWAYS },
        { "/etc/mime.types", R, BASE_ALWAYS },
        /* Where Debian keeps what each start of a Python imports, by a link from /usr. */
        { "/etc/python3.10/sitecustomize.py", R, BASE_ALWAYS },
        { "/etc/python3.11/sitecustomize.py", R, BASE_ALWAYS },
        { "/etc/python3.12/sitecustomize.py", R, BASE_ALWAYS },
        { "/etc/python3.13/sitecustomize.py", R, BASE_ALWAYS },
        { "/etc/python3.14/sitecustomize.py", R, BASE_ALWAYS },
        { "/etc/os-release", R, BASE_ALWAYS },
        { "/etc/debian_version", R, BASE_ALWAYS }, /* pip takes ENOENT, not EACCES */
        { "/etc/alternatives", R, BASE_ALWAYS },
        { "/etc/ssl/certs", R, BASE_ALWAYS },
        { "/etc/ssl/openssl.cnf", R, BASE_ALWAYS },
        { "/etc/ca-certificates", R, BASE_ALWAYS },

        { "/sys/devices/system/cpu", R, BASE_ALWAYS },

        { "/proc/cpuinfo", R, BASE_ALWAYS },
        { "/proc/meminfo", R, BASE_ALWAYS },
        { "/proc/stat", R, BASE_ALWAYS },
        { "/proc/loadavg", R, BASE_ALWAYS },
        { "/proc/filesystems", R, BASE_ALWAYS },
        { "/proc/sys/kernel/osrelease", R, BASE_ALWAYS },
        { "/proc/sys/kernel/ngroups_max", R, BASE_ALWAYS },
        { "/proc/sys/kernel/cap_last_cap", R, BASE_ALWAYS },
        { "/proc/sys/vm/overcommit_memory", R, BASE_ALWAYS },

        { "/dev/null", RW, BASE_ALWAYS },
        { "/dev/zero", RW, BASE_ALWAYS },
        { "/dev/full", RW, BASE_ALWAYS },
        { "/dev/random", RW, BASE_ALWAYS },
        { "/dev/urandom", RW, BASE_ALWAYS },
        { "/dev/tty", RW, BASE_TERMINAL },
};

const BaseEntry *baseset_entries(BaseSet base, size_t *ret_n) {
        switch (base) {
        case BASE_SYSTEM:
        case BASE_PYTHON: /* the interpreter's prefix is found by the supervisor */
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
