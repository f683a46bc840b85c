/* SPDX-License-Identifier: MIT */
/* Which disk a path is, or lies on, in the way the service manager finds it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DISK_SIZE 32 /* bytes of "MAJOR:MINOR" */

/* Writes the number of the whole disk behind @path, a block device or what lies on one, to @ret, as
 * in io.max. Device mapper is followed down while there is one device below.
 * Returns 0; -ENODEV if @path lies on none (tmpfs, overlay, btrfs); another negative errno.
 * Source: cgroup-v2.rst, "IO Interface Files"; sysfs-block. */
int disk_find(const char *path, char ret[static DISK_SIZE]);

/* Gives the limit, in bytes per second, that @io_max, the text of io.max, has for @disk under
 * @word, " rbps=" or " wbps="; UINT64_MAX: none. */
uint64_t disk_limit(const char *io_max, const char *disk, const char *word);
