/* SPDX-License-Identifier: MIT */
/* forkbomb [hold]: forks children that stay until fork fails, then prints "forked N errno=E" and
 * ends (hold: stays as well). The limit on tasks is what stops it. */
#include <signal.h>

#include "attack.h"

#define MOST 100000UL /* of a host without any limit */

int main(int argc, char *argv[]) {
        unsigned long n = 0;

        if (argc > 2 || (argc == 2 && strcmp(argv[1], "hold") != 0))
                usage("forkbomb [hold]");
        for (; n < MOST; n++) {
                pid_t pid = fork();

                if (pid < 0)
                        break;
                if (pid == 0)
                        for (;;)
                                (void)pause();
        }
        printf("forked %lu errno=%d\n", n, n == MOST ? 0 : errno);
        (void)fflush(stdout);
        while (argc == 2)
                (void)pause();
        return 0;
}
