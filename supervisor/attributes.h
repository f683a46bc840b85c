/* SPDX-License-Identifier: MIT */
/* What the cgroup of a run tells about it, as extended attributes user.confine.*: whoever looks
 * from another terminal needs no file that could rot. Whoever owns the cgroup can change them. */
#pragma once

#include "supervisor/run.h"

#define ATTRIBUTE(name) "user.confine." name

#define ATTRIBUTE_LABEL      ATTRIBUTE("label.")     /* and the key */
#define ATTRIBUTE_SUPERVISOR ATTRIBUTE("supervisor") /* number and start time of the process */
#define ATTRIBUTE_MAIN       ATTRIBUTE("main")       /* the same */
#define ATTRIBUTE_STARTED    ATTRIBUTE("started")    /* microseconds of CLOCK_MONOTONIC */
#define ATTRIBUTE_DEADLINE   ATTRIBUTE("deadline")   /* the same */
#define ATTRIBUTE_UID        ATTRIBUTE("uid")
#define ATTRIBUTE_COMMAND    ATTRIBUTE("command_sha256")
#define ATTRIBUTE_POLICY     ATTRIBUTE("policy_sha256")
#define ATTRIBUTE_REAPED     ATTRIBUTE("reaped") /* a reap is at it, and records the end */
#define ATTRIBUTE_KILLED     ATTRIBUTE("killed") /* signal, and the uid of who asked for it */

#define ATTRIBUTE_SIZE 256 /* bytes of the longest value, with the NUL */

/* Writes the labels of @run to its scope. Returns 0 or a negative errno.
 * Source: xattr(7); the kernel's fs/kernfs/inode.c. */
int attributes_label(const Run *run);

/* Collects what attributes_write() needs and takes time. For while systemd works. */
void attributes_prepare(Run *run);

/* Writes everything else to the scope of @run, whose program runs. Returns 0 or a negative errno.
 */
int attributes_write(const Run *run);

/* Reads the attribute @name behind @fd as a string. Returns its length, -ENODATA if there is none,
 * -ERANGE if it is too long or no string, or another negative errno. */
int attribute_read(int fd, const char *name, char ret[static ATTRIBUTE_SIZE]);
