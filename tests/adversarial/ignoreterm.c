/* SPDX-License-Identifier: MIT */
/* ignoreterm: ignores every signal that can be ignored, prints "ready" and stays for ever. */
#include <signal.h>

#include "attack.h"

int main(void) {
        for (int sig = 1; sig < NSIG; sig++)
                (void)sigaction(sig, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
        printf("ready\n");
        (void)fflush(stdout);
        for (;;)
                (void)pause();
}
