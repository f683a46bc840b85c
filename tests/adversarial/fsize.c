/* SPDX-License-Identifier: MIT */
/* fsize PATH BYTES [truncate|fallocate]: makes the file PATH BYTES long, by writing or as told.
 * Prints "written N", then "fsize ok" or "fsize errno=N" (27 is EFBIG). */
#include <fcntl.h>

#include "attack.h"

static long fill(int fd, unsigned long long bytes) {
        static char block[65536];
        unsigned long long done = 0;
        long r = 0;

        while (done < bytes) {
                size_t size = bytes - done < sizeof(block) ? (size_t)(bytes - done) : sizeof(block);

                r = write(fd, block, size);
                if (r < 0)
                        break;
                done += (unsigned long long)r;
        }
        int saved = errno;
        printf("written %llu\n", done);
        errno = saved;
        return r;
}

int main(int argc, char *argv[]) {
        unsigned long long bytes;
        int fd;

        if (argc < 3 || argc > 4)
                usage("fsize PATH BYTES [truncate|fallocate]");
        bytes = number(argv[2]);
        fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0)
                return report("open", -1);
        if (argc == 3)
                return report("fsize", fill(fd, bytes));
        if (strcmp(argv[3], "truncate") == 0)
                return report("fsize", ftruncate(fd, (off_t)bytes));
        return report("fsize", fallocate(fd, 0, 0, (off_t)bytes));
}
