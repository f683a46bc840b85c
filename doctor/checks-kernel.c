/* SPDX-License-Identifier: MIT */
/* What the kernel, or a container around this process, provides. Calls are tried with arguments
 * that change nothing, or in a child of its own: what answers EPERM or ENOSYS there is filtered. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "doctor/checks-internal.h"
#include "policy/capabilities.h"
#include "policy/errors.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/str.h"

#define CONTAINER "run confine outside of the container or service that filters this call"

void check_architecture(const Host *host _unused_, Finding *ret) {
        struct utsname name;

        if (uname(&name) < 0)
                return finding_failed(ret, "", "unknown: %s", strerror(errno));
        if (strcmp(name.machine, "x86_64") == 0)
                return finding_good(ret, "%s", name.machine);
        finding_failed(ret, "use an x86_64 machine with a 64-bit kernel", "%s", name.machine);
}

void check_kernel(const Host *host _unused_, Finding *ret) {
        struct utsname name;
        const char *end;
        uint64_t major, minor;

        if (uname(&name) < 0 || !str_read_number(name.release, &end, &major) || *end != '.' ||
            !str_read_number(end + 1, NULL, &minor))
                return finding_failed(ret, "", "unknown release");
        if (major > 6 || (major == 6 && minor >= 2))
                return finding_good(ret, "Linux %s", name.release);
        finding_failed(ret, "boot Linux 6.2 or newer: on Debian 12 the one of bookworm-backports",
                       "Linux %s", name.release);
}

/* Runs @deed in a child and waits for it. @flags: of clone3. Returns what it did, 0 or a negative
 * errno; that of clone3, if there was no child. */
static int in_child(uint64_t flags, int (*deed)(void)) {
        _cleanup_close_ int pidfd = -EBADF;
        const CloneArgs args = {
                .flags = flags | CLONE_PIDFD,
                .pidfd = (uint64_t)(uintptr_t)&pidfd,
                .exit_signal = SIGCHLD,
        };
        siginfo_t info;
        pid_t pid;
        int r;

        pid = kernel_clone3(&args);
        if (pid < 0)
                return pid;
        if (pid == 0)
                _exit(-deed());
        do
                r = kernel_pidfd_wait(pidfd, &info, WEXITED);
        while (r == -EINTR);
        if (r < 0)
                return r;
        return info.si_code == CLD_EXITED ? -info.si_status : -EPROTO;
}

/* Whether a ruleset that grants nothing takes the right to read away: -EPROTO if it does not. */
static int landlock_deed(void) {
        const LandlockRulesetAttr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE |
                                                                LANDLOCK_ACCESS_FS_TRUNCATE };
        _cleanup_close_ int ruleset = -EBADF, before = -EBADF, after = -EBADF;
        int r;

        before = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
        if (before < 0)
                return -errno;
        ruleset = kernel_landlock_create_ruleset(&attr, sizeof(attr.handled_access_fs));
        if (ruleset < 0)
                return ruleset;
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
                return -errno;
        r = kernel_landlock_restrict_self(ruleset, 0);
        if (r < 0)
                return r;
        after = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
        return after < 0 && errno == EACCES ? 0 : -EPROTO;
}

void check_landlock(const Host *host, Finding *ret) {
        int abi = host->facts.landlock_abi, r;

        if (abi == -ENOSYS)
                return finding_failed(
                        ret,
                        "boot Linux 6.2 or newer, built with CONFIG_SECURITY_LANDLOCK, outside of "
                        "what filters its calls",
                        "not built into this kernel, or filtered");
        if (abi == -EOPNOTSUPP)
                return finding_failed(
                        ret, "add landlock to 'lsm=' on the kernel command line and boot again",
                        "built, but not enabled at boot");
        if (abi < 0)
                return finding_failed(ret, CONTAINER, "filtered: %s", strerror(-abi));
        if (abi < LANDLOCK_ABI_MIN)
                return finding_failed(ret, "boot Linux 6.2 or newer", "ABI %d, %d is needed", abi,
                                      LANDLOCK_ABI_MIN);
        r = in_child(0, landlock_deed);
        if (r == -EPROTO)
                return finding_failed(ret, CONTAINER, "ABI %d is claimed, and nothing is denied",
                                      abi);
        if (r < 0)
                return finding_failed(ret, CONTAINER, "ABI %d is claimed, but: %s", abi,
                                      strerror(-r));
        finding_good(ret, "ABI %d, and it denies", abi);
}

/* An action that is there, or a negative errno. */
static int has_action(uint32_t action) {
        return kernel_result(syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action));
}

void check_seccomp(const Host *host _unused_, Finding *ret) {
        static const struct {
                uint32_t action;
                const char *name;
        } actions[] = {
                { SECCOMP_RET_ERRNO, "errno" },
                { SECCOMP_RET_KILL_PROCESS, "kill_process" },
                { SECCOMP_RET_TRACE, "trace" },
        };
        int r;

        /* Without a filter to read the answer is EFAULT where filters can be installed. Source:
         * seccomp(2), NOTES. */
        r = kernel_result(syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0U, NULL));
        if (r == -EINVAL)
                return finding_failed(ret, "boot a kernel with CONFIG_SECCOMP_FILTER",
                                      "no filters in this kernel");
        if (r != -EFAULT)
                return finding_failed(ret, CONTAINER, "filtered: %s", strerror(-r));
        for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
                r = has_action(actions[i].action);
                if (r < 0)
                        return finding_failed(ret, "boot Linux 6.2 or newer", "no action %s: %s",
                                              actions[i].name, strerror(-r));
        }
        finding_good(ret, "filters, with actions errno, kill_process and trace");
}

void check_listener(const Host *host _unused_, Finding *ret) {
        struct seccomp_notif_sizes sizes;
        int r;

        r = has_action(SECCOMP_RET_USER_NOTIF);
        if (r == 0)
                r = kernel_result(syscall(__NR_seccomp, SECCOMP_GET_NOTIF_SIZES, 0U, &sizes));
        if (r < 0)
                return finding_failed(ret, CONTAINER, "no user notifications: %s", strerror(-r));
        finding_good(ret, "user notifications");
}

void check_no_new_privs(const Host *host _unused_, Finding *ret) {
        /* Zero is never taken: EINVAL where nothing filters the call. Source: prctl(2). */
        if (prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) < 0 && errno != EINVAL)
                return finding_failed(ret, CONTAINER, "prctl is filtered: %s", strerror(errno));
        finding_good(ret, "can be set");
}

void check_pidfd(const Host *host _unused_, Finding *ret) {
        _cleanup_close_ int fd = kernel_pidfd_open(getpid());
        int r = fd;

        if (fd >= 0)
                r = kernel_pidfd_send_signal(fd, 0);
        if (r < 0)
                return finding_failed(ret, CONTAINER, "%s", strerror(-r));
        finding_good(ret, "processes can be held and signalled by descriptor");
}

static int no_deed(void) {
        return 0;
}

void check_clone_into_cgroup(const Host *host _unused_, Finding *ret) {
        _cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
        const CloneArgs args = {
                .flags = CLONE_INTO_CGROUP,
                .exit_signal = SIGCHLD,
                .cgroup = (uint64_t)MAX(null, 0),
        };
        pid_t pid;
        int r;

        r = in_child(0, no_deed);
        if (r < 0)
                return finding_failed(ret, CONTAINER, "clone3 is filtered: %s", strerror(-r));
        /* A descriptor that is no cgroup: nothing is made, and a kernel that knows the flag says
         * EBADF. */
        pid = kernel_clone3(&args);
        if (pid == 0)
                _exit(0);
        if (pid != -EBADF)
                return finding_failed(ret, "boot Linux 6.2 or newer",
                                      "clone3 does not know cgroups: %s", strerror(-pid));
        finding_good(ret, "known");
}

static int mount_deed(void) {
        if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
                return -errno;
        return mount("doctor", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "size=4096") < 0 ? -errno
                                                                                        : 0;
}

void check_namespaces(const Host *host, Finding *ret) {
        bool root = host->facts.uid == 0;
        char text[32];
        int r;

        r = in_child(root ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS, mount_deed);
        if (r == 0 && !host->facts.no_view)
                return finding_good(ret, root ? "made" : "made, in a user namespace");
        if (host->facts.no_view)
                return finding_failed(ret, host->facts.no_view, "cannot be made: %s",
                                      r < 0 ? strerror(-r) : "restricted");
        if (fd_read_file(AT_FDCWD, "/proc/sys/user/max_user_namespaces", text, sizeof(text)) > 0 &&
            strcmp(text, "0") == 0 && !root)
                return finding_failed(ret,
                                      "set the sysctl user.max_user_namespaces above 0, or run "
                                      "confine as root",
                                      "user namespaces are switched off by the sysctl "
                                      "user.max_user_namespaces");
        if (fd_read_file(AT_FDCWD, "/proc/sys/kernel/unprivileged_userns_clone", text,
                         sizeof(text)) > 0 &&
            strcmp(text, "0") == 0 && !root)
                return finding_failed(
                        ret,
                        "set the sysctl kernel.unprivileged_userns_clone to 1, or run "
                        "confine as root",
                        "user namespaces are root's by the sysctl "
                        "kernel.unprivileged_userns_clone");
        finding_failed(ret,
                       r == -EACCES && !root ? ALLOW_IN_PROFILE ", or run confine as root"
                                             : CONTAINER,
                       "cannot be made: %s", strerror(-r));
}
