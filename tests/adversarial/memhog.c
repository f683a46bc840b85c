/* SPDX-License-Identifier: MIT */
/* memhog BYTES [child]: takes BYTES of memory and touches every page.
 * Prints "memhog ok", or "memhog errno=N" if mmap is refused. With `child` a child does that, and
 * the parent lives to print "child signal=N" or "child exit=N" and exits 0. */
#include <sys/mman.h>
#include <sys/wait.h>

#include "attack.h"

static int hog(unsigned long long bytes) {
        char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (memory == MAP_FAILED)
                return report("memhog", -1);
        for (unsigned long long i = 0; i < bytes; i += 4096)
                memory[i] = 1;
        return report("memhog", 0);
}

int main(int argc, char *argv[]) {
        int status;
        pid_t pid;

        if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "child") != 0))
                usage("memhog BYTES [child]");
        if (argc == 2)
                return hog(number(argv[1]));
        pid = fork();
        if (pid == 0)
                return hog(number(argv[1]));
        if (pid < 0 || waitpid(pid, &status, 0) < 0)
                return report("fork", -1);
        if (WIFSIGNALED(status))
                printf("child signal=%d\n", WTERMSIG(status));
        else
                printf("child exit=%d\n", WEXITSTATUS(status));
        return 0;
}
