/* SPDX-License-Identifier: MIT */
/* Machine-wide numbered slots: one byte lock each in one file. */
#include "supervisor/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "supervisor/base/base.h"

static int open_lock_file(const char *path) {
        const char *slash = strrchr(path, '/');
        int fd;

        fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno == ENOENT && slash) {
                _cleanup_free_ char *directory = strndup(path, (size_t)(slash - path));
                if (!directory)
                        return -ENOMEM;
                if (mkdir(directory, 0755) < 0 && errno != EEXIST)
                        return -errno;
                fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        }
        return fd < 0 ? -errno : fd;
}

int slot_take(const char *path, uint32_t first, uint32_t n, uint32_t *ret_slot) {
        _cleanup_close_ int fd = -EBADF;
        uint32_t start = 0;

        fd = open_lock_file(path);
        if (fd < 0)
                return fd;
        if (getrandom(&start, sizeof(start), GRND_NONBLOCK) < 0)
                start = 0; /* as good a start as any */
        for (uint32_t i = 0; i < n; i++) {
                uint32_t slot = first + (uint32_t)(((uint64_t)start + i) % n);
                struct flock lock = {
                        .l_type = F_WRLCK,
                        .l_whence = SEEK_SET,
                        .l_start = slot,
                        .l_len = 1,
                };

                if (fcntl(fd, F_OFD_SETLK, &lock) == 0) {
                        *ret_slot = slot;
                        return TAKE_FD(fd);
                }
                if (errno != EAGAIN && errno != EACCES)
                        return -errno;
        }
        return -EAGAIN;
}

bool slot_is_marked(int fd, uint32_t slot) {
        char mark = 0;
        ssize_t n;

        n = pread(fd, &mark, sizeof(mark), slot);
        return n < 0 || (n > 0 && mark != 0);
}

int slot_mark(int fd, uint32_t slot, bool mark) {
        const char byte = mark ? 1 : 0;
        ssize_t n;

        n = pwrite(fd, &byte, sizeof(byte), slot);
        if (n < 0)
                return -errno;
        return n == (ssize_t)sizeof(byte) ? 0 : -EIO;
}
