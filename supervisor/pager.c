/* SPDX-License-Identifier: MIT */
/* The pager. It is a program of the caller's, so root gets no choice: who may call confine by
 * sudo(8) is not to get a shell by it. */
#include "supervisor/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "supervisor/base/base.h"

/* To the end if it fits the screen, colours as they are, lines cut and not folded, no other screen,
 * ended by ^C as we are: what journalctl(1) has, too. */
#define LESS_OPTIONS "FRSXMK"
/* A machine without less: cat. */
#define LESS_COMMAND "if command -v less >/dev/null; then exec less; else exec cat; fi"

static bool is_terminal(void) {
        const char *term = getenv("TERM");

        return isatty(STDOUT_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

bool pager_may_colour(void) {
        const char *no_colour = getenv("NO_COLOR"); /* no-color.org: if it is not empty */

        return is_terminal() && !(no_colour && no_colour[0]);
}

/* Runs @command by a shell, with @input as its standard input. Returns its pid or 0. */
static pid_t spawn_shell(const char *command, int input) {
        char shell[] = "/bin/sh", option[] = "-c", *copy = strdup(command);
        char *argv[] = { shell, option, copy, NULL };
        posix_spawn_file_actions_t actions;
        pid_t pid = 0;

        if (!copy || posix_spawn_file_actions_init(&actions) != 0) {
                free(copy);
                return 0;
        }
        if (posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) != 0 ||
            posix_spawn(&pid, shell, &actions, NULL, argv, environ) != 0)
                pid = 0;
        (void)posix_spawn_file_actions_destroy(&actions); /* cannot fail */
        free(copy);
        return pid;
}

pid_t pager_open(void) {
        const struct sigaction ignore = { .sa_handler = SIG_IGN };
        const char *command = geteuid() == 0 ? NULL : getenv("PAGER");
        int ends[2];
        pid_t pid;

        if (!is_terminal() || (command && (!command[0] || strcmp(command, "cat") == 0)))
                return 0;
        /* "LESSSECURE: no files, no editor, no shell", see less(1), "SECURITY". */
        if ((geteuid() == 0 &&
             (setenv("LESSSECURE", "1", 1) < 0 || setenv("PATH", "/usr/bin:/bin", 1) < 0)) ||
            setenv("LESS", LESS_OPTIONS, geteuid() == 0) < 0 || pipe2(ends, O_CLOEXEC) < 0)
                return 0;
        pid = spawn_shell(command ? command : LESS_COMMAND, ends[0]);
        (void)fd_close(ends[0]);
        if (pid > 0) {
                /* The end of the pager is seen as an error of stdout. */
                (void)sigaction(SIGPIPE, &ignore, NULL);
                (void)dup2(ends[1], STDOUT_FILENO); /* both are open */
        }
        (void)fd_close(ends[1]);
        return pid;
}

void pager_close(pid_t pager) {
        if (pager <= 0)
                return;
        (void)fclose(stdout); /* what could not be written the pager did not want */
        while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
                ;
}
