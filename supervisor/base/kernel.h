/* SPDX-License-Identifier: MIT */
/* Kernel constants, structures and calls that the oldest build headers lack, and thin wrappers.
 * Include this instead of <linux/landlock.h>, <linux/sched.h> and <linux/mount.h>; structures have
 * names of our own, so that a newer header beside it does no harm. No decisions belong here. */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- numbers. From 424 on they are the same on every architecture. */
#ifndef __NR_pidfd_send_signal
#define __NR_pidfd_send_signal 424
#endif
#ifndef __NR_open_tree
#define __NR_open_tree 428
#endif
#ifndef __NR_move_mount
#define __NR_move_mount 429
#endif
#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434
#endif
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef __NR_pidfd_getfd
#define __NR_pidfd_getfd 438
#endif
#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule       445
#define __NR_landlock_restrict_self  446
#endif

/* ---- audit. Source: the kernel's include/uapi/linux/audit.h. */
#ifndef AUDIT_LANDLOCK_DOMAIN
#define AUDIT_LANDLOCK_DOMAIN 1424 /* Linux 6.15 */
#endif

/* ---- Landlock, ABI 1 to 10. Source: the kernel's Documentation/userspace-api/landlock.rst. */
#ifndef LANDLOCK_CREATE_RULESET_VERSION
#define LANDLOCK_CREATE_RULESET_VERSION (1U << 0)
#endif
#ifndef LANDLOCK_CREATE_RULESET_ERRATA
#define LANDLOCK_CREATE_RULESET_ERRATA (1U << 1)
#endif
#ifndef LANDLOCK_ACCESS_FS_EXECUTE
#define LANDLOCK_ACCESS_FS_EXECUTE     (1ULL << 0)
#define LANDLOCK_ACCESS_FS_WRITE_FILE  (1ULL << 1)
#define LANDLOCK_ACCESS_FS_READ_FILE   (1ULL << 2)
#define LANDLOCK_ACCESS_FS_READ_DIR    (1ULL << 3)
#define LANDLOCK_ACCESS_FS_REMOVE_DIR  (1ULL << 4)
#define LANDLOCK_ACCESS_FS_REMOVE_FILE (1ULL << 5)
#define LANDLOCK_ACCESS_FS_MAKE_CHAR   (1ULL << 6)
#define LANDLOCK_ACCESS_FS_MAKE_DIR    (1ULL << 7)
#define LANDLOCK_ACCESS_FS_MAKE_REG    (1ULL << 8)
#define LANDLOCK_ACCESS_FS_MAKE_SOCK   (1ULL << 9)
#define LANDLOCK_ACCESS_FS_MAKE_FIFO   (1ULL << 10)
#define LANDLOCK_ACCESS_FS_MAKE_BLOCK  (1ULL << 11)
#define LANDLOCK_ACCESS_FS_MAKE_SYM    (1ULL << 12)
#endif
#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13) /* ABI 2 */
#endif
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14) /* ABI 3 */
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15) /* ABI 5 */
#endif
#ifndef LANDLOCK_ACCESS_FS_RESOLVE_UNIX
#define LANDLOCK_ACCESS_FS_RESOLVE_UNIX (1ULL << 16) /* ABI 9 */
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP    (1ULL << 0) /* ABI 4 */
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif
#ifndef LANDLOCK_ACCESS_NET_BIND_UDP
#define LANDLOCK_ACCESS_NET_BIND_UDP         (1ULL << 2) /* ABI 10 */
#define LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP (1ULL << 3)
#endif
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0) /* ABI 6 */
#define LANDLOCK_SCOPE_SIGNAL               (1ULL << 1)
#endif
#ifndef LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF
#define LANDLOCK_RESTRICT_SELF_LOG_SAME_EXEC_OFF  (1U << 0) /* ABI 7 */
#define LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON    (1U << 1)
#define LANDLOCK_RESTRICT_SELF_LOG_SUBDOMAINS_OFF (1U << 2)
#endif

/* These two are enumerators, not macros, in the kernel's header. */
#define KERNEL_LANDLOCK_RULE_PATH_BENEATH 1
#define KERNEL_LANDLOCK_RULE_NET_PORT     2

/* As of ABI 6; older kernels take a shorter one, see rights_ruleset_size(). */
typedef struct LandlockRulesetAttr {
        uint64_t handled_access_fs;
        uint64_t handled_access_net; /* ABI 4 */
        uint64_t scoped;             /* ABI 6 */
} LandlockRulesetAttr;

typedef struct __attribute__((packed)) LandlockPathBeneathAttr {
        uint64_t allowed_access;
        int32_t parent_fd;
} LandlockPathBeneathAttr;

typedef struct LandlockNetPortAttr {
        uint64_t allowed_access;
        uint64_t port;
} LandlockNetPortAttr;

/* ---- processes */
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif
#ifndef CLONE_CLEAR_SIGHAND
#define CLONE_CLEAR_SIGHAND 0x100000000ULL
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif

typedef struct __attribute__((aligned(8))) CloneArgs {
        uint64_t flags;
        uint64_t pidfd;
        uint64_t child_tid;
        uint64_t parent_tid;
        uint64_t exit_signal;
        uint64_t stack;
        uint64_t stack_size;
        uint64_t tls;
        uint64_t set_tid;
        uint64_t set_tid_size;
        uint64_t cgroup;
} CloneArgs;

#define KERNEL_P_PIDFD 3 /* an enumerator of glibc >= 2.36; casts to idtype_t */

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* ---- seccomp */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* 5.19 */
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0) /* 6.7 */
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, uint64_t)
#endif

/* ---- mounts */
#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#ifndef OPEN_TREE_CLOEXEC
#define OPEN_TREE_CLOEXEC 02000000 /* O_CLOEXEC of asm-generic/fcntl.h */
#endif
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#define MOVE_MOUNT_T_EMPTY_PATH 0x00000040
#endif
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x00000001
#define MOUNT_ATTR_NOSUID 0x00000002
#define MOUNT_ATTR_NODEV  0x00000004
#define MOUNT_ATTR_NOEXEC 0x00000008
#endif

typedef struct MountAttr {
        uint64_t attr_set;
        uint64_t attr_clr;
        uint64_t propagation;
        uint64_t userns_fd;
} MountAttr;

_Static_assert(sizeof(LandlockRulesetAttr) == 24, "kernel structure");
_Static_assert(sizeof(LandlockPathBeneathAttr) == 12, "kernel structure");
_Static_assert(sizeof(LandlockNetPortAttr) == 16, "kernel structure");
_Static_assert(sizeof(CloneArgs) == 88, "kernel structure, CLONE_ARGS_SIZE_VER2");
_Static_assert(sizeof(MountAttr) == 32, "kernel structure, MOUNT_ATTR_SIZE_VER0");

/* Turns what syscall(2) returned into a negative errno where it failed. */
static inline int kernel_result(long r) {
        return r < 0 ? -errno : (int)r;
}

/* Returns the Landlock ABI, >= 1; -ENOSYS: not built in or filtered; -EOPNOTSUPP: switched off;
 * -EPERM: filtered. Source: landlock.rst, "Kernel support". */
static inline int kernel_landlock_abi(void) {
        return kernel_result(syscall(__NR_landlock_create_ruleset, NULL, (size_t)0,
                                     LANDLOCK_CREATE_RULESET_VERSION));
}

/* Makes a ruleset, close-on-exec. @size: bytes of @attr that the kernel's ABI has. Returns its
 * descriptor, owned by the caller; -EINVAL or -E2BIG if the kernel does not know a right although
 * its ABI says so; another negative errno. */
static inline int kernel_landlock_create_ruleset(const LandlockRulesetAttr *attr, size_t size) {
        return kernel_result(syscall(__NR_landlock_create_ruleset, attr, size, (uint32_t)0));
}

/* Adds a rule for the file hierarchy behind @parent_fd (O_PATH will do). Returns 0 or a negative
 * errno: -EINVAL for rights that are not handled or directory rights on a file, -ENOMSG for none.
 */
static inline int kernel_landlock_add_path(int ruleset_fd, int parent_fd, uint64_t allowed) {
        const LandlockPathBeneathAttr attr = { .allowed_access = allowed, .parent_fd = parent_fd };

        return kernel_result(syscall(__NR_landlock_add_rule, ruleset_fd,
                                     KERNEL_LANDLOCK_RULE_PATH_BENEATH, &attr, (uint32_t)0));
}

/* Adds a rule for @port. Returns 0 or a negative errno. */
static inline int kernel_landlock_add_port(int ruleset_fd, uint16_t port, uint64_t allowed) {
        const LandlockNetPortAttr attr = { .allowed_access = allowed, .port = port };

        return kernel_result(syscall(__NR_landlock_add_rule, ruleset_fd,
                                     KERNEL_LANDLOCK_RULE_NET_PORT, &attr, (uint32_t)0));
}

/* Restricts the calling thread; needs no_new_privs or CAP_SYS_ADMIN. @flags: LOG_* bits, ABI 7.
 * Returns 0 or a negative errno. */
static inline int kernel_landlock_restrict_self(int ruleset_fd, uint32_t flags) {
        return kernel_result(syscall(__NR_landlock_restrict_self, ruleset_fd, flags));
}

/* clone3(2) without a stack of its own, like fork(2) but without the handlers of libc: only
 * async-signal-safe calls are allowed in the child. Returns 0 in the child, the pid in the parent,
 * or a negative errno. */
static inline pid_t kernel_clone3(const CloneArgs *args) {
        return kernel_result(syscall(__NR_clone3, args, sizeof(*args)));
}

/* Returns a close-on-exec descriptor for @pid, owned by the caller, or a negative errno. */
static inline int kernel_pidfd_open(pid_t pid) {
        return kernel_result(syscall(__NR_pidfd_open, pid, 0U));
}

/* Sends @sig (0: only looks) to the process behind @pidfd. Returns 0; -ESRCH if it was reaped. */
static inline int kernel_pidfd_send_signal(int pidfd, int sig) {
        return kernel_result(syscall(__NR_pidfd_send_signal, pidfd, sig, NULL, 0U));
}

/* waitid(2) on @pidfd. @options: as there; with WNOHANG and nothing to report ret->si_pid is 0.
 * Returns 0 or a negative errno, -EINTR included. */
static inline int kernel_pidfd_wait(int pidfd, siginfo_t *ret, int options) {
        *ret = (siginfo_t){ 0 };
        return waitid((idtype_t)KERNEL_P_PIDFD, (id_t)pidfd, ret, options) < 0 ? -errno : 0;
}

/* Closes (or marks, CLOSE_RANGE_CLOEXEC) the descriptors @first to @last, both included.
 * Returns 0 or a negative errno. */
static inline int kernel_close_range(unsigned first, unsigned last, unsigned flags) {
        return kernel_result(syscall(__NR_close_range, first, last, flags));
}

/* Installs @filter. @flags: SECCOMP_FILTER_FLAG_*. Returns 0, or the listener with NEW_LISTENER
 * (close-on-exec, owned by the caller); -EBUSY if a filter above has a listener already. */
static inline int kernel_seccomp_filter(const struct sock_fprog *filter, unsigned flags) {
        return kernel_result(syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, flags, filter));
}

/* Receives one notification into *@ret, which is zeroed first as the kernel wants it.
 * Returns 0; -ENOENT if the caller was killed meanwhile; -EINTR. Blocks: poll first. */
static inline int kernel_notif_recv(int listener, struct seccomp_notif *ret) {
        *ret = (struct seccomp_notif){ 0 };
        return kernel_result(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, ret));
}

/* Answers a notification. Returns 0; -ENOENT if the call was interrupted (it is notified again). */
static inline int kernel_notif_send(int listener, const struct seccomp_notif_resp *response) {
        return kernel_result(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, response));
}

/* Returns 0 while the notification @id is still waiting for its answer, else -ENOENT. */
static inline int kernel_notif_id_valid(int listener, uint64_t id) {
        return kernel_result(ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id));
}

/* Wakes the other side on the same CPU: 4.5 instead of 35 us a call. Returns 0, or -EINVAL before
 * 6.7, which may be ignored. */
static inline int kernel_notif_sync_wake_up(int listener) {
        return kernel_result(ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
                                   (uint64_t)SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP));
}

/* open_tree(2). @flags: OPEN_TREE_* and AT_*. Returns a descriptor, owned by the caller, or a
 * negative errno. */
static inline int kernel_open_tree(int dir_fd, const char *path, unsigned flags) {
        return kernel_result(syscall(__NR_open_tree, dir_fd, path, flags));
}

/* Attaches the tree @from_fd at @to_path below @to_fd ("" with T_EMPTY_PATH: at @to_fd itself).
 * @flags: MOVE_MOUNT_*; F_EMPTY_PATH is added. Returns 0 or a negative errno. */
static inline int kernel_move_mount(int from_fd, int to_fd, const char *to_path, unsigned flags) {
        return kernel_result(syscall(__NR_move_mount, from_fd, "", to_fd, to_path,
                                     flags | MOVE_MOUNT_F_EMPTY_PATH));
}

/* mount_setattr(2). @flags: AT_EMPTY_PATH, AT_RECURSIVE. Returns 0 or a negative errno. */
static inline int kernel_mount_setattr(int dir_fd, const char *path, unsigned flags,
                                       const MountAttr *attr) {
        return kernel_result(syscall(__NR_mount_setattr, dir_fd, path, flags, attr, sizeof(*attr)));
}
