/* SPDX-License-Identifier: MIT */
/* Attacks on the kernel's own surface: foreign ABIs, namespaces, mounts, filters, and the
 * interfaces that the allowlist leaves out. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "attacks.h"

#ifndef SYS_open_tree
#define SYS_open_tree 428
#endif
#ifndef SYS_fsopen
#define SYS_fsopen 430
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static int closed(long fd) {
        int met = result(fd);

        if (fd >= 0)
                (void)close((int)fd);
        return met;
}

/* ---- foreign ABIs: P13 */

static int call_x32(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(syscall(0x40000000L | 39 /* getpid */));
}

static int call_int80(const Scene *scene UNUSED, const char *argument UNUSED) {
#if defined(__x86_64__)
        long r;

        __asm__ volatile("int $0x80" : "=a"(r) : "a"(20L) /* getpid of i386 */ : "memory");
#else
        long r = -1;
#endif
        return r > 0 ? 0 : ENOSYS;
}

/* ---- namespaces and mounts */

static int new_namespace(const Scene *scene UNUSED, const char *kind) {
        return result(unshare(kind[0] == 'u' ? CLONE_NEWUSER : CLONE_NEWNS));
}

static int enter_namespace(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_PATH | O_CLOEXEC);

        (void)setns(fd, 0);
        /* Plainly the descriptor is the wrong one; what counts is who says so. */
        return result(setns(fd, 0));
}

/* A control run makes its mounts in a namespace of its own; a sandboxed one is refused that, and
 * tries all the same. */
static int mount_over(const Scene *scene UNUSED, const char *path) {
        if (unshare(CLONE_NEWNS) == 0)
                (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
        return result(mount("attack", path, "tmpfs", 0, NULL));
}

static int bind_mount(const Scene *scene UNUSED, const char *path) {
        if (unshare(CLONE_NEWNS) == 0)
                (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
        return result(mount(path, "write/a", NULL, MS_BIND, NULL));
}

static int unmount(const Scene *scene UNUSED, const char *path) {
        if (unshare(CLONE_NEWNS) == 0)
                (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
        return result(umount2(path, MNT_DETACH));
}

static int change_root(const Scene *scene UNUSED, const char *path) {
        return result(chroot(path));
}

static int clone_tree(const Scene *scene UNUSED, const char *path) {
        return closed(syscall(SYS_open_tree, AT_FDCWD, path, 1 /* OPEN_TREE_CLONE */ | O_CLOEXEC));
}

static int open_filesystem(const Scene *scene UNUSED, const char *name) {
        return closed(syscall(SYS_fsopen, name, 1 /* FSOPEN_CLOEXEC */));
}

static int set_mount(const Scene *scene UNUSED, const char *path) {
        const uint64_t attr[4] = { 0 };

        return result(syscall(SYS_mount_setattr, AT_FDCWD, path, 0, attr, sizeof(attr)));
}

/* ---- what the program is to the kernel */

static int install_filter(const Scene *scene UNUSED, const char *by) {
        /* musl comes without the kernel's headers. */
        const struct {
                uint16_t code;
                uint8_t yes, no;
                uint32_t k;
        } allow = { 6 /* BPF_RET */, 0, 0, 0x7fff0000 /* SECCOMP_RET_ALLOW */ };
        const struct {
                uint16_t n;
                const void *code;
        } program = { 1, &allow };

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 && errno != EPERM)
                return EPROTO;
        if (by[0] == 'p')
                return result(prctl(PR_SET_SECCOMP, 2 /* SECCOMP_MODE_FILTER */, &program));
        return result(syscall(SYS_seccomp, 1 /* SECCOMP_SET_MODE_FILTER */, 0, &program));
}

/* @numbers: option and argument of prctl. */
static int set_process(const Scene *scene UNUSED, const char *numbers) {
        char *end;
        long option = strtol(numbers, &end, 0);

        return result(prctl((int)option, strtol(end, NULL, 0), 0, 0, 0));
}

static int set_personality(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(personality(ADDR_NO_RANDOMIZE));
}

static int set_ids(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(syscall(SYS_setresuid, -1, -1, -1));
}

static int set_capabilities(const Scene *scene UNUSED, const char *argument UNUSED) {
        uint32_t header[2] = { 0x20080522 /* version 3 */, 0 };
        uint32_t data[6] = { 0 };

        if (syscall(SYS_capget, header, data) < 0)
                return EPROTO;
        return result(syscall(SYS_capset, header, data));
}

/* ---- interfaces that nothing ordinary needs */

static int set_up_ring(const Scene *scene UNUSED, const char *argument UNUSED) {
        char parameters[120] = "";

        return closed(syscall(SYS_io_uring_setup, 1, parameters));
}

static int set_up_aio(const Scene *scene UNUSED, const char *argument UNUSED) {
        unsigned long context = 0;

        if (syscall(SYS_io_setup, 1, &context) < 0)
                return errno;
        return result(syscall(SYS_io_destroy, context));
}

static int watch_directory(const Scene *scene UNUSED, const char *path) {
        int fd = inotify_init1(IN_CLOEXEC), r;

        /* Both calls, whatever the first says. */
        r = result(inotify_add_watch(fd < 0 ? 0 : fd, path, IN_ALL_EVENTS));
        if (fd >= 0)
                (void)close(fd);
        return r;
}

static int notify_directory(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return fd < 0 ? EPROTO : result(fcntl(fd, 1026 /* F_NOTIFY */, 1 /* DN_ACCESS */));
}

static int lease_file(const Scene *scene UNUSED, const char *path) {
        int fd = open(path, O_RDONLY | O_CLOEXEC), r;

        if (fd < 0)
                return EPROTO;
        r = result(fcntl(fd, 1024 /* F_SETLEASE */, F_RDLCK));
        (void)close(fd);
        return r;
}

static int get_handle(const Scene *scene UNUSED, const char *path) {
        struct {
                unsigned bytes;
                int type;
                unsigned char handle[128];
        } handle = { .bytes = 128 };
        int mount_id;

        return result(syscall(SYS_name_to_handle_at, AT_FDCWD, path, &handle, &mount_id, 0));
}

static int open_handle(const Scene *scene, const char *path) {
        struct {
                unsigned bytes;
                int type;
                unsigned char handle[128];
        } handle = { scene->handle_bytes, scene->handle_type, { 0 } };
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
                return EPROTO;
        memcpy(handle.handle, scene->handle, sizeof(handle.handle));
        return closed(syscall(SYS_open_by_handle_at, fd, &handle, O_RDONLY));
}

static int make_bpf_map(const Scene *scene UNUSED, const char *argument UNUSED) {
        uint32_t attr[32] = { 2 /* array */, 4, 4, 1 };

        return closed(syscall(SYS_bpf, 0 /* BPF_MAP_CREATE */, attr, sizeof(attr)));
}

static int open_counter(const Scene *scene UNUSED, const char *argument UNUSED) {
        uint32_t attr[32] = { 1 /* software */, sizeof(attr) };

        return closed(syscall(SYS_perf_event_open, attr, 0, -1, -1, 0));
}

static int handle_faults(const Scene *scene UNUSED, const char *argument UNUSED) {
        return closed(syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */));
}

static int lock_memory(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(mlockall(MCL_FUTURE | MCL_ONFAULT));
}

static int gift_pages(const Scene *scene UNUSED, const char *argument UNUSED) {
        char text[] = "x";
        struct iovec iov = { text, 1 };
        int ends[2], r;

        if (pipe(ends) < 0)
                return EPROTO;
        r = result(vmsplice(ends[1], &iov, 1, 0));
        (void)close(ends[0]);
        (void)close(ends[1]);
        return r;
}

static int write_everything(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(syscall(SYS_sync));
}

static int read_log(const Scene *scene UNUSED, const char *argument UNUSED) {
        char text[16];

        return result(syscall(SYS_syslog, 3 /* READ_ALL */, text, sizeof(text)));
}

static int set_host_name(const Scene *scene UNUSED, const char *argument UNUSED) {
        char name[65];

        if (gethostname(name, sizeof(name)) < 0)
                return EPROTO;
        return result(sethostname(name, strlen(name)));
}

static int adjust_clock(const Scene *scene UNUSED, const char *argument UNUSED) {
        uint64_t timex[32] = { 0 };

        return result(syscall(SYS_adjtimex, timex));
}

static int unknown_call(const Scene *scene UNUSED, const char *number) {
        return result(syscall(strtol(number, NULL, 0), 0, 0, 0, 0, 0, 0));
}

/* clang-format off */
const Attack attacks_kernel[] = {
        { "x32", "P13", "a call of x32", call_x32, "", ANY, FATAL, 0 },
        { "int80", "P13", "a call of i386", call_int80, "", ANY, FATAL, 0 },
        { "unshare-user", "P11 B62", "a user namespace", new_namespace, "u", 0, EPERM, 0 },
        { "unshare-mount", "P11", "a mount namespace", new_namespace, "m", 0, EPERM, ROOT },
        { "setns", "P11", "another namespace", enter_namespace, "/proc/self/ns/net", EBADF, EPERM, 0 },
        { "mount", "P11", "a file system over a write grant", mount_over, "write/a", 0, EPERM, ROOT },
        { "bind-mount", "P11", "the secret's directory in a write grant", bind_mount, "scene", 0, EPERM, ROOT },
        { "umount", "P11", "the end of a mount", unmount, "/dev/shm", 0, EPERM, ROOT },
        { "chroot", "P11", "another root", change_root, "write", 0, EPERM, ROOT },
        { "open-tree", "P11", "a copy of the tree of mounts", clone_tree, "/", 0, EPERM, ROOT },
        { "fsopen", "P11", "a file system by the new calls", open_filesystem, "tmpfs", 0, EPERM, ROOT },
        { "mount-setattr", "P11", "attributes of a mount", set_mount, "/dev/shm", 0, EPERM, ROOT },
        { "seccomp", "P14", "a filter of its own", install_filter, "s", 0, EPERM, 0 },
        { "seccomp-prctl", "P14", "the same by prctl", install_filter, "p", 0, EPERM, 0 },
        { "set-dumpable", "P12", "PR_SET_DUMPABLE", set_process, "4 0", 0, EPERM, 0 },
        { "clear-death-signal", "P12", "PR_SET_PDEATHSIG", set_process, "1 0", 0, EPERM, 0 },
        { "subreaper", "P12", "PR_SET_CHILD_SUBREAPER", set_process, "36 1", 0, EPERM, 0 },
        { "timer-slack", "P12", "PR_SET_TIMERSLACK", set_process, "29 1", 0, EPERM, 0 },
        { "personality", "P11", "no address space randomisation", set_personality, "", 0, EPERM, 0 },
        { "setresuid", "P11", "the ids, unchanged", set_ids, "", 0, EPERM, 0 },
        { "capset", "S2", "the capabilities, unchanged", set_capabilities, "", 0, EPERM, 0 },
        { "io-uring", "P11 B60", "io_uring", set_up_ring, "", ANY, EPERM, 0 },
        { "aio", "P11", "asynchronous I/O", set_up_aio, "", 0, EPERM, 0 },
        { "inotify", "P11", "watching a directory outside", watch_directory, "scene", 0, EPERM, 0 },
        { "dnotify", "P11", "watching what may be read", notify_directory, "read", 0, EPERM, 0 },
        { "lease", "P11", "a lease on what may be read", lease_file, "read/file", 0, EPERM, 0 },
        { "file-handle", "P11", "the handle of the secret", get_handle, "scene/secret", 0, EPERM, 0 },
        { "open-handle", "P11", "the secret by its handle", open_handle, "read", 0, EPERM, ROOT },
        { "bpf", "P11", "a map of BPF", make_bpf_map, "", 0, EPERM, ROOT },
        { "perf", "P11", "a performance counter", open_counter, "", ANY, EPERM, ROOT },
        { "userfaultfd", "P11", "faults in user space", handle_faults, "", ANY, EPERM, 0 },
        { "mlock", "P11", "memory that stays", lock_memory, "", ANY, EPERM, 0 },
        { "vmsplice", "P11", "pages for a pipe", gift_pages, "", 0, EPERM, 0 },
        { "sync", "P11", "writing back everything", write_everything, "", 0, EPERM, 0 },
        { "kernel-log", "P11", "the kernel's log", read_log, "", 0, EPERM, ROOT },
        { "host-name", "P11", "the host's name", set_host_name, "", 0, EPERM, ROOT },
        { "clock", "P11", "the clock's adjustment", adjust_clock, "", 0, EPERM, 0 },
        { "unknown-call", "P15 B63", "a number that no kernel knows", unknown_call, "9999", ENOSYS, EPERM, 0 },
        { "new-call", "P15 B63", "a call newer than the profile", unknown_call, "462", ANY, EPERM, 0 },
};
/* clang-format on */
const size_t n_attacks_kernel = COUNT(attacks_kernel);
