/* SPDX-License-Identifier: MIT */
/* One policy file from the disk: its text, and whether it may be taken for what it says. */
#pragma once

#include <stddef.h>
#include <sys/stat.h>

#include "policy/diag.h"

/* Whose a file may be. Whoever else could write it decides about runs that are not his. */
typedef enum Owner {
        OWNER_ROOT,
        OWNER_ROOT_OR_CALLER,
        OWNER_CALLER,
} Owner;

typedef struct PolicyText {
        char *path; /* owned */
        int fd;
        struct stat st;
        char *text; /* owned */
        size_t size_bytes;
} PolicyText;

#define POLICY_TEXT_INIT ((PolicyText){ .fd = -EBADF })

/* Adds the message that the policy file @path @why cannot be taken, and the @fix. Returns -EINVAL.
 */
int policy_text_refuse(Diag *reterr_diag, const char *path, const char *why, const char *fix);

/* Opens and reads @path, which becomes the text's also after a failure; NULL is -ENOMEM.
 * @flags: for open(2), O_NOFOLLOW say. Returns 0; -ENOENT if there is no such file; -EINVAL with a
 * message in @reterr_diag; -ENOMEM. Never waits. Free with policy_text_done(), also then. */
int policy_text_read(PolicyText *text, char *path, int flags, Diag *reterr_diag);

/* Checks that nobody but @owner can have written it: a group that has one user is that user.
 * Returns 0; -EINVAL with a message. */
int policy_text_check_owner(const PolicyText *text, Owner owner, Diag *reterr_diag);

/* Frees what @text holds; the struct itself is the caller's. Accepts POLICY_TEXT_INIT. */
void policy_text_done(PolicyText *text);
