/* SPDX-License-Identifier: MIT */
/* hold-stdout: prints "hi" and exits 0, while a child keeps standard output open for ever. */
#include "attack.h"

int main(void) {
        pid_t pid = fork();

        if (pid < 0)
                return report("fork", -1);
        while (pid == 0)
                (void)pause();
        printf("hi\n");
        return 0;
}
