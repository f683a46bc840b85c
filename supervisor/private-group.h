/* SPDX-License-Identifier: MIT */
/* The group that has one user: where it exists, files are made writable for it by the umask 0002.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether @gid is the group of @uid alone, who is not root: the primary group of that user and of
 * nobody else, with the same name, and without members. By /etc/passwd and /etc/group: no server is
 * asked, and who is not in these has none. */
bool private_group(uid_t uid, gid_t gid);
