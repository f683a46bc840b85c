/* SPDX-License-Identifier: MIT */
/* sigself N: dies by (or is stopped by) signal N, whatever was inherited. Exits 99 if it survived.
 */
#include <signal.h>

#include "attack.h"

int main(int argc, char *argv[]) {
        sigset_t all;
        int sig;

        if (argc != 2)
                usage("sigself N");
        sig = (int)number(argv[1]);
        (void)sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
        (void)sigfillset(&all);
        (void)sigprocmask(SIG_UNBLOCK, &all, NULL);
        (void)kill(getpid(), sig);
        return 99;
}
