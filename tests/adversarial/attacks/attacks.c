/* SPDX-License-Identifier: MIT */
/* The attacks as a program:
 *     attacks neighbour                     makes the scene in the working directory, and stays
 *     attacks serve PID COMMAND...          runs a command with the confederate as standard input
 *                                           and a terminal as standard error; PID is the supervisor
 *                                           that attacks are told of, 0: the command itself
 *     attacks plain|confined WORD|NAME...   makes the attacks that the words (see words[]) allow,
 * or those with the names, and prints for each "NAME GOT WANTED IDS: WHAT" attacks list names, ids
 * and what they are By the name of `true` it ends with 0: what attacks that execute something look
 * for. */
#include "attacks.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static const struct {
        const char *word;
        unsigned flag;
} words[] = {
        { "root", ROOT },           { "own", OWN },          { "user", USER },
        { "processes", PROCESSES }, { "alone", ALONE },      { "terminal", TERMINAL },
        { "services", SERVICES },   { "network", INTERNET }, { "view", VIEW },
        { "own-proc", OWN_PROC },
};

/* ---- the table */

const Attack *attack_row(size_t i) {
        const struct {
                const Attack *rows;
                size_t n;
        } tables[] = {
                { attacks_files, n_attacks_files },
                { attacks_exec, n_attacks_exec },
                { attacks_processes, n_attacks_processes },
                { attacks_descriptors, n_attacks_descriptors },
                { attacks_ipc, n_attacks_ipc },
                { attacks_sockets, n_attacks_sockets },
                { attacks_kernel, n_attacks_kernel },
        };

        for (size_t t = 0; t < COUNT(tables); t++) {
                if (i < tables[t].n)
                        return &tables[t].rows[i];
                i -= tables[t].n;
        }
        return NULL;
}

int attack_applies(const Attack *attack, unsigned with) {
        return (attack->flags & ~(with | INTERNET)) == 0;
}

/* What another layer is the first to answer, or no longer stops. */
static const struct {
        const char *name;
        unsigned where;
        int result; /* 0: disclosed in the manual */
} elsewhere[] = {
        { "write-read-grant", VIEW, EROFS },
        { "truncate-outside", VIEW, EROFS },
        { "truncate-read-grant", VIEW, EROFS },
        { "open-truncated", VIEW, EROFS },
        { "reopen-for-write", VIEW, EROFS },
        { "rename-in", VIEW, EXDEV },
        { "rename-in-read", VIEW, EXDEV },
        { "rename-out", VIEW, EXDEV },
        { "exchange", VIEW, EXDEV },
        { "chmod", VIEW, EROFS },
        { "fchmodat2", VIEW, EROFS },
        { "fchmod", VIEW, EROFS },
        { "chmod-by-proc", VIEW, EROFS },
        { "chown", VIEW, EROFS },
        { "utimensat", VIEW, EROFS },
        { "futimens", VIEW, EROFS },
        { "setxattr", VIEW, EROFS },
        { "removexattr", VIEW, EROFS },
        { "cgroup-procs", VIEW, EROFS },
        { "cgroup-kill", VIEW, EROFS },
        { "cgroup-limit", VIEW, EROFS },
        { "shm-open", VIEW, ENOENT },
        { "handed-chmod", VIEW, 0 },
        { "pidfd-proc", OWN_PROC, ENOENT },
        { "proc-environ", OWN_PROC, ENOENT },
        { "proc-mem", OWN_PROC, ENOENT },
        { "proc-maps", OWN_PROC, ENOENT },
        { "proc-cmdline", OWN_PROC, ENOENT },
        { "proc-status", OWN_PROC, ENOENT },
        { "proc-fd-list", OWN_PROC, ENOENT },
        { "proc-fd", OWN_PROC, ENOENT },
        { "proc-root", OWN_PROC, ENOENT },
        { "proc-cwd", OWN_PROC, ENOENT },
        { "proc-cwd-link", OWN_PROC, ENOENT },
        { "proc-supervisor", OWN_PROC, ENOENT },
        { "proc-supervisor-fd", OWN_PROC, ENOENT },
        { "proc-keeper", OWN_PROC, ENOENT },
        { "proc-init", OWN_PROC, ENOENT },
};

static int expected(const Attack *attack, unsigned with) {
        for (size_t i = 0; i < COUNT(elsewhere); i++)
                if (elsewhere[i].where & with && strcmp(elsewhere[i].name, attack->name) == 0)
                        return elsewhere[i].result;
        return attack->confined;
}

const char *result_name(int result) {
        static const struct {
                int result;
                const char *name;
        } names[] = {
                { 0, "ok" },          { FATAL, "SIGSYS" },    { EPERM, "EPERM" },
                { EACCES, "EACCES" }, { ENOSYS, "ENOSYS" },   { ENOENT, "ENOENT" },
                { EXDEV, "EXDEV" },   { EROFS, "EROFS" },     { EBADF, "EBADF" },
                { EINVAL, "EINVAL" }, { ENOTTY, "ENOTTY" },   { EAGAIN, "EAGAIN" },
                { ESRCH, "ESRCH" },   { EPROTO, "no-scene" }, { EFAULT, "EFAULT" },
                { ENOKEY, "ENOKEY" },
        };
        static char other[24];

        for (size_t i = 0; i < COUNT(names); i++)
                if (names[i].result == result)
                        return names[i].name;
        (void)snprintf(other, sizeof(other), "errno-%d", result);
        return other;
}

/* ---- making them */

static int in_child(const Attack *attack, const Scene *scene) {
        int status;
        pid_t pid = fork();

        if (pid == 0)
                _exit(attack->attempt(scene, attack->argument));
        if (pid < 0 || waitpid(pid, &status, 0) < 0)
                return EPROTO;
        if (WIFSIGNALED(status))
                return WTERMSIG(status) == SIGSYS ? FATAL : 1000 + WTERMSIG(status);
        return WEXITSTATUS(status);
}

static void show(const Attack *attack, int got, int confined, unsigned with) {
        int wanted = confined ? expected(attack, with) : attack->plain;
        char got_name[24];

        /* A result that the sandbox has as well proves nothing. */
        if (wanted == ANY)
                wanted = got == expected(attack, with) ? ANY : got;
        (void)snprintf(got_name, sizeof(got_name), "%s", result_name(got));
        printf("%s %s %s %s: %s\n", attack->name, got_name,
               wanted == ANY ? "another" : result_name(wanted), attack->ids, attack->what);
        (void)fflush(stdout);
}

static int is_named(const Attack *attack, int n, char *names[], int *ret_any) {
        int named = 0;

        *ret_any = 0;
        for (int i = 0; i < n; i++) {
                int word = 0;

                for (size_t w = 0; w < COUNT(words); w++)
                        word |= strcmp(names[i], words[w].word) == 0;
                *ret_any |= !word;
                named |= strcmp(names[i], attack->name) == 0;
        }
        return named;
}

static int make_attacks(int confined, int n, char *arguments[]) {
        const Attack *attack;
        unsigned with = 0;
        Scene scene;

        for (int i = 0; i < n; i++)
                for (size_t w = 0; w < COUNT(words); w++)
                        if (strcmp(arguments[i], words[w].word) == 0)
                                with |= words[w].flag;
        if (scene_read(STDIN_FILENO, &scene) < 0 || (with & OWN && scene.keeper == 0)) {
                (void)fprintf(stderr, "no scene: %s\n", strerror(errno));
                return 1;
        }
        for (size_t i = 0; (attack = attack_row(i)); i++) {
                int any, named = is_named(attack, n, arguments, &any);
                int fork_first = !confined || with & PROCESSES;

                if (any ? !named : !attack_applies(attack, with))
                        continue;
                /* Without a child it would be the last one; it is made by name. */
                if (!fork_first && attack->confined == FATAL && !named)
                        continue;
                show(attack,
                     fork_first ? in_child(attack, &scene)
                                : attack->attempt(&scene, attack->argument),
                     confined && !(attack->flags & with & INTERNET), with);
        }
        /* An attack that executed something would have ended this early. */
        printf("end ok ok S2: all of them were made\n");
        return 0;
}

/* ---- the confederate as a program */

static int status_of(pid_t pid) {
        int status;

        if (waitpid(pid, &status, 0) < 0)
                return 125;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void copy_terminal(int master) {
        char text[4096];
        ssize_t n = read(master, text, sizeof(text));

        if (n > 0)
                (void)!write(STDERR_FILENO, text, (size_t)n);
}

/* Until the command ends: attacks may hold the channel and the terminal longer. */
static int serve_command(pid_t pid, pid_t supervisor, int channel, int master) {
        struct pollfd fds[] = {
                { .fd = (int)syscall(434 /* pidfd_open */, pid, 0), .events = POLLIN },
                { .fd = channel, .events = POLLIN },
                { .fd = master, .events = POLLIN },
        };

        for (;;) {
                if (poll(fds, COUNT(fds), -1) < 0)
                        return 125;
                if (fds[2].revents & POLLIN)
                        copy_terminal(master);
                else if (fds[2].revents)
                        fds[2].fd = -1;
                if (fds[1].revents && scene_answer(channel, supervisor) < 0)
                        fds[1].fd = -1;
                if (fds[0].revents)
                        break;
        }
        return status_of(pid);
}

static int serve(pid_t supervisor, char *command[]) {
        int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), pair[2];
        const char *name =
                master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ? NULL : ptsname(master);
        pid_t pid;

        if (!name || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
                (void)fprintf(stderr, "no confederate: %s\n", strerror(errno));
                return 125;
        }
        pid = fork();
        if (pid == 0) {
                int terminal;

                (void)setsid();
                terminal = open(name, O_RDWR | O_CLOEXEC); /* becomes the controlling one */
                (void)dup2(pair[1], STDIN_FILENO);
                (void)dup2(terminal, STDERR_FILENO);
                (void)execvp(command[0], command);
                _exit(127);
        }
        (void)close(pair[1]);
        return pid < 0 ? 125
                       : serve_command(pid, supervisor > 0 ? supervisor : pid, pair[0], master);
}

static int list(void) {
        const Attack *attack;

        for (size_t i = 0; (attack = attack_row(i)); i++)
                printf("%-20s %-12s %s\n", attack->name, attack->ids, attack->what);
        return 0;
}

/* What main is; by a name of its own for Python, which has a main already. */
int attacks_main(int argc, char *argv[]) {
        const char *verb = argc > 1 ? argv[1] : "";

        if (argc > 0 && strcmp(argv[0], "true") == 0)
                return 0;
        if (strcmp(verb, "neighbour") == 0)
                return scene_play();
        if (strcmp(verb, "serve") == 0 && argc > 3)
                return serve((pid_t)strtol(argv[2], NULL, 10), argv + 3);
        if (strcmp(verb, "plain") == 0 || strcmp(verb, "confined") == 0)
                return make_attacks(verb[0] == 'c', argc - 2, argv + 2);
        if (strcmp(verb, "list") == 0)
                return list();
        (void)fputs("usage: attacks neighbour|serve|plain|confined|list\n", stderr);
        return 2;
}

#ifndef ATTACKS_LIBRARY
int main(int argc, char *argv[]) {
        return attacks_main(argc, argv);
}
#endif
