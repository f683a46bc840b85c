/* SPDX-License-Identifier: MIT */
/* Steps of the worker on capabilities: bounding set, then all sets to zero. The calls themselves,
 * not libcap: it allocates, and after a clone nothing may. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/worker/steps.h"

/* Without CAP_SETPCAP (a user's run without a user namespace) the bounding set cannot be emptied.
 * It is inert there: no_new_privs keeps every execve from gaining what the sets below do not hold.
 */
int step_bounding_set(Worker *worker) {
        if (geteuid() != 0 && !worker->plan->view.user_namespace)
                return 0;
        for (int cap = 0; cap < 64; cap++) {
                worker->detail = cap;
                if (prctl(PR_CAPBSET_READ, (long)cap, 0L, 0L, 0L) < 0)
                        break; /* EINVAL: one past the last capability of this kernel */
                if (prctl(PR_CAPBSET_DROP, (long)cap, 0L, 0L, 0L) < 0)
                        return -errno;
                if (prctl(PR_CAPBSET_READ, (long)cap, 0L, 0L, 0L) != 0)
                        return -ENOTRECOVERABLE;
        }
        if (prctl(PR_SET_SECUREBITS,
                  (long)(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                         SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                         SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED),
                  0L, 0L, 0L) < 0)
                return -errno;
        return 0;
}

int step_capabilities(Worker *worker _unused_) {
        struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
        struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

        if (prctl(PR_CAP_AMBIENT, (long)PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L) < 0)
                return -errno;
        if (syscall(SYS_capset, &header, data) < 0)
                return -errno;
        if (syscall(SYS_capget, &header, data) < 0)
                return -errno;
        for (size_t i = 0; i < ARRAY_SIZE(data); i++)
                if (data[i].effective || data[i].permitted || data[i].inheritable)
                        return -ENOTRECOVERABLE;
        return 0;
}
