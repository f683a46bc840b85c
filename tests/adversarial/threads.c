/* SPDX-License-Identifier: MIT */
/* threads N: starts N threads that all live at once. Prints "threads N ok", or "threads M errno=E"
 * for the M that were started. */
#include <pthread.h>

#include "attack.h"

static void *wait_for_end(void *argument) {
        char byte;

        (void)!read(*(const int *)argument, &byte, 1); /* end of file */
        return NULL;
}

int main(int argc, char *argv[]) {
        unsigned long long wanted, n = 0;
        pthread_attr_t small;
        int gate[2], r = 0;

        if (argc != 2)
                usage("threads N");
        wanted = number(argv[1]);
        if (pipe(gate) < 0)
                return report("pipe", -1);
        (void)pthread_attr_init(&small);
        (void)pthread_attr_setstacksize(&small, 65536);
        (void)pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
        for (; n < wanted; n++) {
                pthread_t thread;

                r = pthread_create(&thread, &small, wait_for_end, &gate[0]);
                if (r != 0)
                        break;
        }
        if (r == 0)
                printf("threads %llu ok\n", n);
        else
                printf("threads %llu errno=%d\n", n, r);
        return 0;
}
