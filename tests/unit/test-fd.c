/* SPDX-License-Identifier: MIT */
/* supervisor/base/fd.c: closing keeps errno; whole files, to the last byte that fits. */
#include "supervisor/base/fd.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/base/clock.h"
#include "tests/unit/tap.h"

typedef struct Directory {
        char path[64];
        int fd;
} Directory;

static Directory make_directory(void) {
        Directory directory = { .path = "/tmp/confine-test-fd-XXXXXX" };

        if (!mkdtemp(directory.path))
                bail_out("mkdtemp: %m");
        directory.fd = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (directory.fd < 0)
                bail_out("%s: %m", directory.path);
        return directory;
}

static void put(const Directory *directory, const char *name, const char *text) {
        _cleanup_close_ int fd = openat(directory->fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0)
                bail_out("%s: %m", name);
}

static void test_close(void) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), copy = fd;

        errno = ENOENT;
        fd = fd_close(fd);
        is_int(fd, -EBADF, "a closed descriptor is -EBADF");
        is_int(errno, ENOENT, "errno is kept");
        is_int(fcntl(copy, F_GETFD), -1, "it is closed");
        errno = ENOENT;
        is_int(fd_close(-EBADF), -EBADF, "none is closed");
        is_int(errno, ENOENT, "errno is kept");
}

static void test_read(const Directory *directory) {
        static const struct {
                const char *text, *read;
                size_t size;
                ssize_t wanted;
        } rows[] = {
                { "", "", 8, 0 },
                { "abc", "abc", 8, 3 },
                { "abc\n", "abc", 8, 3 },
                { "a\n\n", "a\n", 8, 2 },
                { "1234567", "1234567", 8, 7 },
                { "12345678", NULL, 8, -E2BIG },
                { "123456\n", "123456", 8, 6 },
        };
        char buf[16];

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                put(directory, "file", rows[i].text);
                is_int(fd_read_file(directory->fd, "file", buf, rows[i].size), rows[i].wanted,
                       "reading '%s' into %zu bytes", rows[i].text, rows[i].size);
                if (rows[i].read)
                        is_str(buf, rows[i].read, "gives its text");
                (void)unlinkat(directory->fd, "file", 0);
        }
        is_int(fd_read_file(directory->fd, "none", buf, sizeof(buf)), -ENOENT, "no file");
        is_int(fd_read_file(directory->fd, ".", buf, sizeof(buf)), -EISDIR, "a directory");
}

static void test_read_start(const Directory *directory) {
        char path[96], pipe[96], buf[4];

        (void)snprintf(path, sizeof(path), "%s/file", directory->path);
        (void)snprintf(pipe, sizeof(pipe), "%s/pipe", directory->path);
        is_int(fd_read_start(path, buf, sizeof(buf)), -ENOENT, "the start of no file");
        put(directory, "file", "ab");
        is_int(fd_read_start(path, buf, sizeof(buf)), 2, "the start of a short file");
        is_str(buf, "ab", "is all of it");
        put(directory, "file", "abcdef");
        is_int(fd_read_start(path, buf, sizeof(buf)), 3, "of a long one");
        is_str(buf, "abc", "as much as fits");
        if (mkfifo(pipe, 0600) < 0)
                bail_out("%s: %m", pipe);
        is_int(fd_read_start(pipe, buf, sizeof(buf)), -EINVAL, "a pipe is not waited for");
        is_int(fd_read_start(directory->path, buf, sizeof(buf)), -EINVAL, "a directory is no file");
        (void)unlink(path);
        (void)unlink(pipe);
}

static void test_write(const Directory *directory) {
        char buf[16];

        is_int(fd_write_file(directory->fd, "file", "x"), -ENOENT, "a file is not created");
        put(directory, "file", "abcdef");
        is_int(fd_write_file(directory->fd, "file", "xyz"), 0, "one that exists is written");
        (void)fd_read_file(directory->fd, "file", buf, sizeof(buf));
        is_str(buf, "xyzdef", "in place, as kernel files want it");
        is_int(fd_write_file(AT_FDCWD, "/dev/full", "x"), -ENOSPC, "an error is returned");
        is_int(fd_write_all(-EBADF, "x", 1), -EBADF, "also for a bad descriptor");
        is_int(fd_write_all(-EBADF, "x", 0), 0, "nothing is written anywhere");
        (void)unlinkat(directory->fd, "file", 0);
}

/* More than a pipe holds, so that writes are short. */
static void test_short_writes(void) {
        static char data[1 << 20];
        _cleanup_close_ int reader = -EBADF, writer = -EBADF;
        size_t n_read = 0;
        pid_t child;
        int ends[2];

        if (pipe2(ends, O_CLOEXEC) < 0)
                bail_out("pipe2: %m");
        reader = ends[0];
        writer = ends[1];
        child = fork();
        if (child < 0)
                bail_out("fork: %m");
        if (child == 0)
                _exit(fd_write_all(writer, data, sizeof(data)) == 0 ? 0 : 1);
        writer = fd_close(writer);
        for (;;) {
                char buf[4096];
                ssize_t n = read(reader, buf, sizeof(buf));

                if (n <= 0)
                        break;
                n_read += (size_t)n;
        }
        is_uint(n_read, sizeof(data), "all is written, however short the writes");
}

static uint64_t in_msec(uint64_t msec) {
        return clock_now_usec() + msec * USEC_PER_MSEC;
}

/* A blocking pipe that nobody reads, and one whose reader comes late. */
static void test_write_until(void) {
        static char data[1 << 20];
        _cleanup_close_ int reader = -EBADF, writer = -EBADF;
        uint64_t begin = clock_now_usec();
        size_t n_read = 0;
        pid_t child;
        int ends[2];

        if (pipe2(ends, O_CLOEXEC) < 0)
                bail_out("pipe2: %m");
        reader = ends[0];
        writer = ends[1];
        is_int(fd_write_until(writer, "x", 1, in_msec(20)), 0, "room: no wait");
        is_int(fd_write_until(writer, data, sizeof(data), in_msec(20)), -ETIMEDOUT,
               "a full pipe: no wait past the deadline");
        ok(clock_now_usec() - begin >= 20 * USEC_PER_MSEC, "but up to it");
        is_int(fd_write_until(writer, "x", 1, 0), -ETIMEDOUT, "a deadline that has passed");
        child = fork();
        if (child < 0)
                bail_out("fork: %m");
        if (child == 0)
                _exit(fd_write_until(writer, data, sizeof(data), in_msec(20000)) == 0 ? 0 : 1);
        writer = fd_close(writer);
        for (;;) {
                char buf[4096];
                ssize_t n = read(reader, buf, sizeof(buf));

                if (n <= 0)
                        break;
                n_read += (size_t)n;
        }
        ok(n_read > sizeof(data), "a reader that comes in time gets all");
        is_int(fd_write_until(-EBADF, "x", 1, 0), -ETIMEDOUT, "a bad descriptor has no room");
        writer = open("/dev/full", O_WRONLY | O_CLOEXEC);
        is_int(fd_write_until(writer, "x", 1, in_msec(20)), -ENOSPC, "an error is returned");
}

int main(void) {
        Directory directory = make_directory();

        test_close();
        test_read(&directory);
        test_read_start(&directory);
        test_write(&directory);
        test_short_writes();
        test_write_until();
        directory.fd = fd_close(directory.fd);
        (void)rmdir(directory.path);
        return done_testing();
}
