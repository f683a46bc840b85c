/* SPDX-License-Identifier: MIT */
/* setsid-escape [hold]: leaves a grandchild in a session of its own, detached from everything, that
 * ignores SIGTERM and SIGHUP and stays for ever; prints "escaped" when it is there and exits 0.
 * With `hold` the grandchild keeps standard output open. */
#include <fcntl.h>
#include <signal.h>

#include "attack.h"

static void grandchild(int ready, int hold) {
        (void)sigaction(SIGTERM, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        (void)sigaction(SIGHUP, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        if (!hold) {
                int null = open("/dev/null", O_RDWR);

                for (int fd = 0; null >= 0 && fd < 3; fd++)
                        (void)dup2(null, fd);
        }
        if (write(ready, "x", 1) != 1)
                _exit(1);
        (void)close(ready);
        for (;;)
                (void)pause();
}

int main(int argc, char *argv[]) {
        int ready[2];
        char byte;
        pid_t pid;

        (void)argv;
        if (pipe(ready) < 0)
                return report("pipe", -1);
        pid = fork();
        if (pid < 0)
                return report("fork", -1);
        if (pid == 0) {
                if (setsid() < 0)
                        _exit(1);
                if (fork() == 0)
                        grandchild(ready[1], argc > 1);
                _exit(0);
        }
        (void)close(ready[1]);
        if (read(ready[0], &byte, 1) != 1)
                return report("escape", -1);
        printf("escaped\n");
        return 0;
}
