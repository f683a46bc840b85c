/* SPDX-License-Identifier: MIT */
/* Descriptors: closing, small whole-file reads and writes. No policy, no messages. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Closes *@fd if it is >= 0 and keeps errno. For cleanup attributes. */
void fd_closep(int *fd);

/* Closes @fd if it is >= 0 and keeps errno. Returns -EBADF, for fd = fd_close(fd). */
int fd_close(int fd);

/* Reads the file @name below @dir_fd into @buf as a string: at most @size - 1 bytes, one trailing
 * newline removed, NUL added. @dir_fd may be AT_FDCWD.
 * Returns the length; -E2BIG if the file does not fit; another negative errno. Safe after fork. */
ssize_t fd_read_file(int dir_fd, const char *name, char *buf, size_t size);

/* Reads the start of the regular file @path into @buf as a string: at most @size - 1 bytes, NUL
 * added. Never waits, whatever @path is. Returns the length; -ENOENT, ...; -EINVAL for what is no
 * file. */
ssize_t fd_read_start(const char *path, char *buf, size_t size);

/* Reads from @fd to its end, or until @buf is full, going on after EINTR.
 * Returns how many bytes; a negative errno. Safe after fork. */
ssize_t fd_read_all(int fd, void *buf, size_t size);

/* Writes the string @text with one write(2) to the existing file @name below @dir_fd, as kernel
 * interface files want it. Returns 0 or a negative errno (-EIO for a short write). Safe after fork.
 */
int fd_write_file(int dir_fd, const char *name, const char *text);

/* Writes all @size bytes of @data to @fd, going on after EINTR and short writes.
 * Returns 0 or a negative errno. Safe after fork. */
int fd_write_all(int fd, const void *data, size_t size);

/* The same, but waits no longer than until @deadline_usec for room in a pipe, socket or terminal
 * that nobody reads, also if @fd blocks. Returns -ETIMEDOUT then; part of it may be written. */
int fd_write_until(int fd, const void *data, size_t size, uint64_t deadline_usec);
