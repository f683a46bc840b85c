/* SPDX-License-Identifier: MIT */
/* Descriptors: closing, small whole-file reads and writes. */
#include "supervisor/base/fd.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/base.h"

int fd_close(int fd) {
        if (fd >= 0) {
                int saved = errno;
                (void)close(fd); /* nothing useful can be done, and the fd is gone either way */
                errno = saved;
        }
        return -EBADF;
}

void fd_closep(int *fd) {
        *fd = fd_close(*fd);
}

ssize_t fd_read_file(int dir_fd, const char *name, char *buf, size_t size) {
        _cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        size_t have = 0;

        if (fd < 0)
                return -errno;
        for (;;) {
                ssize_t n = read(fd, buf + have, size - have);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                have += (size_t)n;
                if (have == size)
                        return -E2BIG;
        }
        if (have > 0 && buf[have - 1] == '\n')
                have--;
        buf[have] = '\0';
        return (ssize_t)have;
}

int fd_write_file(int dir_fd, const char *name, const char *text) {
        _cleanup_close_ int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        size_t length = strlen(text);
        ssize_t n;

        if (fd < 0)
                return -errno;
        do
                n = write(fd, text, length);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        return (size_t)n == length ? 0 : -EIO;
}

int fd_write_all(int fd, const void *data, size_t size) {
        const char *p = data;

        while (size > 0) {
                ssize_t n = write(fd, p, size);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                p += n;
                size -= (size_t)n;
        }
        return 0;
}
