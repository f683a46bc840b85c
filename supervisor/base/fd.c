/* SPDX-License-Identifier: MIT */
/* Descriptors: closing, small whole-file reads and writes. */
#include "supervisor/base/fd.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

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

ssize_t fd_read_all(int fd, void *buf, size_t size) {
        size_t have = 0;

        while (have < size) {
                ssize_t n = read(fd, (char *)buf + have, size - have);

                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                if (n == 0)
                        break;
                have += (size_t)n;
        }
        return (ssize_t)have;
}

ssize_t fd_read_file(int dir_fd, const char *name, char *buf, size_t size) {
        _cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        ssize_t have;

        if (fd < 0)
                return -errno;
        have = fd_read_all(fd, buf, size);
        if (have < 0)
                return have;
        if ((size_t)have == size)
                return -E2BIG;
        if (have > 0 && buf[have - 1] == '\n')
                have--;
        buf[have] = '\0';
        return have;
}

ssize_t fd_read_start(const char *path, char *buf, size_t size) {
        _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        struct stat st;
        ssize_t n;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return -EINVAL;
        n = read(fd, buf, size - 1);
        if (n < 0)
                return -errno;
        buf[n] = '\0';
        return n;
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

int fd_write_until(int fd, const void *data, size_t size, uint64_t deadline_usec) {
        const char *p = data;

        while (size > 0) {
                struct pollfd pfd = { .fd = fd, .events = POLLOUT };
                ssize_t n;

                if (poll(&pfd, 1, clock_poll_timeout(deadline_usec)) == 0)
                        return -ETIMEDOUT;
                /* A writable pipe has room for this much: pipe(7). */
                n = write(fd, p, MIN(size, (size_t)PIPE_BUF));
                if (n >= 0) {
                        p += n;
                        size -= (size_t)n;
                        continue;
                }
                if (errno != EAGAIN && errno != EINTR)
                        return -errno;
                if (clock_now_usec() >= deadline_usec)
                        return -ETIMEDOUT;
                (void)poll(NULL, 0, 1); /* a terminal may be writable, but not for a newline */
        }
        return 0;
}
