/* SPDX-License-Identifier: MIT */
/* Attacks that make processes, or execute what no grant covers. Those that succeed become a program
 * that ends with 0. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "attacks.h"

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/* attacks.c takes this name for a program that does nothing. */
static char *const arguments[] = { (char[]){ "true" }, NULL };
static char *const environment[] = { NULL };

static int execute(const Scene *scene UNUSED, const char *path) {
        (void)execve(path, arguments, environment);
        return errno;
}

static int execute_fd(int fd) {
        if (fd < 0)
                return EPROTO;
        (void)syscall(SYS_execveat, fd, "", arguments, environment, AT_EMPTY_PATH);
        return errno;
}

static int execute_opath(const Scene *scene UNUSED, const char *path) {
        return execute_fd(open(path, O_PATH | O_CLOEXEC));
}

static int execute_handed(const Scene *scene, const char *argument UNUSED) {
        return execute_fd(scene_fd(scene, 'x'));
}

/* No file, no right, no path: B66. */
static int execute_memfd(const Scene *scene UNUSED, const char *path) {
        int fd = memfd_create("program", MFD_CLOEXEC);
        int from = open(path, O_RDONLY | O_CLOEXEC);
        char block[65536];
        ssize_t n;

        if (fd < 0)
                return errno;
        if (from < 0)
                return EPROTO;
        while ((n = read(from, block, sizeof(block))) > 0)
                if (write(fd, block, (size_t)n) != n)
                        return EPROTO;
        return execute_fd(fd);
}

static int execute_loader(const Scene *scene UNUSED, const char *path) {
        static const char *const loaders[] = { "/lib64/ld-linux-x86-64.so.2",
                                               "/lib/ld-linux-aarch64.so.1" };
        char program[64];

        (void)snprintf(program, sizeof(program), "%s", path);
        for (size_t i = 0; i < COUNT(loaders); i++) {
                char *const with_loader[] = { (char[]){ "ld.so" }, program, NULL };

                if (access(loaders[i], X_OK) < 0)
                        continue;
                (void)execve(loaders[i], with_loader, environment);
                return errno;
        }
        return EPROTO;
}

/* ---- the path of an execve in the hands of the listener (B65) */

#define ROUNDS                                                                             \
        200 /* each costs the supervisor time, and after 500 it takes a pause between them \
             */

typedef struct Swap {
        char path[32];
        atomic_bool over;
} Swap;

static void *swap_main(void *argument) {
        Swap *swap = argument;

        for (unsigned i = 0; !atomic_load(&swap->over); i++)
                memcpy(swap->path, i & 1 ? "/usr/bin/true" : "/nonexistent/", 14);
        return NULL;
}

static int execute_swapped(const Scene *scene UNUSED, const char *argument UNUSED) {
        Swap swap = { .path = "/usr/bin/true" };
        pthread_t thread;
        int r = EPERM;

        if (pthread_create(&thread, NULL, swap_main, &swap) != 0)
                return EPROTO;
        /* A control run goes on until /usr/bin/true ends it; ENOENT is an execve that was let
         * through. */
        for (int i = 0; (r == EPERM && i < ROUNDS) || (r == ENOENT && i < 500 * ROUNDS); i++) {
                (void)execve(swap.path, arguments, environment);
                r = errno;
        }
        atomic_store(&swap.over, 1);
        (void)pthread_join(thread, NULL);
        return r;
}

/* ---- processes */

/* The child's end tells whether it was made. */
static int clone_child(uint64_t flags) {
        long pid = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);

        if (pid == 0)
                _exit(0);
        if (pid < 0)
                return errno;
        if (flags & CLONE_PARENT)
                return 0;
        return result(waitpid((pid_t)pid, NULL, 0));
}

/* @what: names of flags, by a letter each. */
static int make_process(const Scene *scene UNUSED, const char *what) {
        static const struct {
                char letter;
                uint64_t flag;
        } known[] = {
                { 'P', CLONE_PARENT },
                { 'U', CLONE_NEWUSER },
                { 'N', CLONE_NEWUSER | CLONE_NEWNET },
                { 'M', CLONE_NEWNS },
                { 'I', CLONE_NEWPID },
                { 'T', (uint64_t)CLONE_THREAD << 32 }, /* where only a filter could look */
        };
        uint64_t flags = 0;

        for (size_t i = 0; i < COUNT(known); i++)
                if (strchr(what, known[i].letter))
                        flags |= known[i].flag;
        return clone_child(flags);
}

static int make_process_3(const Scene *scene UNUSED, const char *argument UNUSED) {
        uint64_t args[11] = { [4] = SIGCHLD };
        long pid = syscall(SYS_clone3, args, sizeof(args));

        if (pid == 0)
                _exit(0);
        return pid < 0 ? errno : result(waitpid((pid_t)pid, NULL, 0));
}

static int make_session(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(setsid());
}

/* clang-format off */
const Attack attacks_exec[] = {
        { "exec", "P8", "an ordinary program", execute, "/usr/bin/true", 0, EPERM, ALONE },
        { "exec-self", "P8", "the own program once more", execute, "/proc/self/exe", 0, EPERM, ALONE },
        { "exec-static", "P8 B66", "a static program in a write grant", execute, "write/elf", 0, EPERM, ALONE },
        { "exec-static-run", "P5 B66", "the same with --allow-run", execute, "write/elf", 0, EACCES, PROCESSES },
        { "exec-script-run", "P5 B66", "a script in a write grant", execute, "write/script", 0, EACCES, PROCESSES },
        { "exec-read-run", "P5 B66", "a program in a read grant", execute, "read/tool", 0, EACCES, PROCESSES },
        { "exec-outside-run", "P5", "a program outside", execute, "scene/elf", 0, EACCES, PROCESSES },
        { "exec-opath", "P8 B66", "a descriptor of O_PATH", execute_opath, "write/elf", 0, EPERM, ALONE },
        { "exec-opath-run", "P5 B66", "the same with --allow-run", execute_opath, "write/elf", 0, EACCES, PROCESSES },
        { "exec-handed", "P8", "a program that was handed in", execute_handed, "", 0, EPERM, ALONE },
        { "exec-handed-run", "P5", "the same with --allow-run", execute_handed, "", 0, EACCES, PROCESSES },
        { "exec-memfd", "P8 B66", "a program in memory", execute_memfd, "write/elf", 0, EPERM, 0 },
        { "exec-loader", "P8 B66", "a program by ld.so", execute_loader, "read/tool", 0, EPERM, ALONE },
        { "exec-loader-run", "P22 B66", "disclosed: the same with --allow-run", execute_loader, "read/tool", 0, 0, PROCESSES },
        { "exec-swapped", "P8 B65", "a path that changes while the listener decides", execute_swapped, "", 0, EPERM, ALONE },
        { "fork", "P12", "a process", make_process, "", 0, EPERM, ALONE },
        { "fork-high", "P12 B54", "a process, with CLONE_THREAD where only a filter looks", make_process, "T", 0, EPERM, ALONE },
        { "setsid", "P11", "a session", make_session, "", 0, EPERM, ALONE },
        { "clone3", "P13 B62", "clone3", make_process_3, "", 0, ENOSYS, 0 },
        { "clone-parent", "P12", "a child for the supervisor", make_process, "P", 0, EPERM, PROCESSES },
        { "clone-newuser", "P11 B62", "a user namespace by clone", make_process, "U", 0, EPERM, PROCESSES },
        { "clone-newnet", "P11 B62", "a network namespace with it", make_process, "N", 0, EPERM, PROCESSES },
        { "clone-newns", "P11 B62", "a mount namespace by clone", make_process, "M", 0, EPERM, PROCESSES | ROOT },
        { "clone-newpid", "P11 B62", "a pid namespace by clone", make_process, "I", 0, EPERM, PROCESSES | ROOT },
};
/* clang-format on */
const size_t n_attacks_exec = COUNT(attacks_exec);
