/* SPDX-License-Identifier: MIT */
/* Looks at the machine and fills Facts. */
#include "doctor/probe.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"

/* Lower in test builds only (`make attacks`), which show what an older kernel leaves to the other
 * layers; their --version says so. */
#ifndef CONFINE_LANDLOCK_ABI_MAX
#define CONFINE_LANDLOCK_ABI_MAX INT_MAX
#endif

/* Without it root is a container's, and gets no mount namespace. */
static bool may_administrate(void) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

        return syscall(SYS_capget, &header, data) == 0 && data[0].effective & (1U << CAP_SYS_ADMIN);
}

/* AppArmor may let a user make a namespace and then take all it is good for: no call before that
 * fails. Programs under a profile are left to it. Source: apparmor_restrict_unprivileged_userns in
 * the wiki of AppArmor. */
static bool apparmor_restricts_users(void) {
        char text[128];

        if (fd_read_file(AT_FDCWD, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", text,
                         sizeof(text)) < 0 ||
            strcmp(text, "0") == 0)
                return false;
        return fd_read_file(AT_FDCWD, "/proc/self/attr/current", text, sizeof(text)) < 0 ||
               strcmp(text, "unconfined") == 0;
}

static const char *why_no_view(void) {
        if (geteuid() == 0)
                return may_administrate() ? NULL
                                          : "root lacks CAP_SYS_ADMIN here: run confine outside of "
                                            "the container";
        return apparmor_restricts_users()
                       ? "AppArmor restricts user namespaces: load the profile "
                         "/usr/share/confine/apparmor/confine, run confine as root"
                       : NULL;
}

void probe_facts(bool system_manager, Facts *ret) {
        *ret = (Facts){
                .uid = geteuid(),
                .system_manager = system_manager,
                .landlock_abi = MIN(kernel_landlock_abi(), CONFINE_LANDLOCK_ABI_MAX),
                .no_view = why_no_view(),
        };
}

bool probe_systemd(void) {
        return sd_booted() > 0;
}

static bool file_has(const char *path, const char *word) {
        char text[4096];

        return fd_read_file(AT_FDCWD, path, text, sizeof(text)) > 0 && strstr(text, word);
}

/* Every kernel with the controller takes a weight; iocost and BFQ alone heed it, and a device has
 * neither unless somebody switched it on. Source: cgroup-v2.rst, "IO". */
bool probe_io_weight(void) {
        _cleanup_(globfree) glob_t found = { 0 };

        if (file_has("/sys/fs/cgroup/io.cost.qos", "enable=1"))
                return true;
        if (glob("/sys/block/*/queue/scheduler", GLOB_NOSORT, NULL, &found) == 0)
                for (size_t i = 0; i < found.gl_pathc; i++)
                        if (file_has(found.gl_pathv[i], "[bfq]"))
                                return true;
        return false;
}
