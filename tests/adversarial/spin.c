/* SPDX-License-Identifier: MIT */
/* spin [MILLISECONDS [PROCESSES]]: uses the CPU for ever (0), or until each process has used that
 * much CPU time; then prints "spun". spin denied [COUNT]: asks for sockets instead, as fast as it
 * can (B65), and prints "denied N". */
#include <sys/socket.h>
#include <time.h>

#include "attack.h"

static void burn(unsigned long long milliseconds) {
        struct timespec used;

        do
                (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        while (milliseconds == 0 ||
               (unsigned long long)used.tv_sec * 1000 + (unsigned long long)used.tv_nsec / 1000000 <
                       milliseconds);
}

/* Asks for sockets as fast as it can (B65). */
static int burn_denied(unsigned long long count) {
        unsigned long long n_denied = 0;

        for (unsigned long long i = 0; count == 0 || i < count; i++) {
                int fd = socket(AF_INET, SOCK_STREAM, 0);

                if (fd < 0)
                        n_denied++;
                else
                        (void)close(fd);
        }
        printf("denied %llu\n", n_denied);
        return 0;
}

int main(int argc, char *argv[]) {
        unsigned long long processes = argc > 2 ? number(argv[2]) : 1;

        if (argc > 1 && strcmp(argv[1], "denied") == 0)
                return burn_denied(argc > 2 ? number(argv[2]) : 0);
        for (unsigned long long i = 1; i < processes; i++)
                if (fork() == 0)
                        break;
        burn(argc > 1 ? number(argv[1]) : 0);
        printf("spun\n");
        return 0;
}
