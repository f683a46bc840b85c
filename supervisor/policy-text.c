/* SPDX-License-Identifier: MIT */
/* Reading a policy file. What it says is the business of policy/policy-file.c. */
#include "supervisor/policy-text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>

#include "policy/inifile.h"
#include "supervisor/base/base.h"
#include "supervisor/private-group.h"

void policy_text_done(PolicyText *text) {
        free(text->path);
        free(text->text);
        (void)fd_close(text->fd);
}

int policy_text_refuse(Diag *reterr_diag, const char *path, const char *why, const char *fix) {
        return diag_add(reterr_diag, ERROR_CONFIGURATION, "the policy file '%.512s' %s: %s", path,
                        why, fix);
}

int policy_text_read(PolicyText *text, char *path, int flags, Diag *reterr_diag) {
        ssize_t n;

        text->path = path;
        if (!path)
                return -ENOMEM;
        text->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);
        if (text->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
                return -ENOENT;
        if (text->fd < 0 && errno == ELOOP)
                return policy_text_refuse(reterr_diag, path, "is a link",
                                          "put the file itself there");
        if (text->fd < 0 || fstat(text->fd, &text->st) < 0)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the policy file '%.512s' cannot be opened: %s: make it one that "
                                "you may read",
                                path, strerror(errno));
        if (!S_ISREG(text->st.st_mode))
                return policy_text_refuse(reterr_diag, path, "is no regular file", "put one there");
        if (text->st.st_size > INIFILE_TEXT_MAX)
                return policy_text_refuse(reterr_diag, path, "is too long", "write 256K at most");
        text->text = malloc((size_t)text->st.st_size + 1);
        if (!text->text)
                return -ENOMEM;
        n = fd_read_all(text->fd, text->text, (size_t)text->st.st_size + 1);
        if (n != text->st.st_size)
                return policy_text_refuse(reterr_diag, path, "cannot be read, or is being written",
                                          "try again when nobody writes it");
        text->size_bytes = (size_t)n;
        return 0;
}

/* With the umask 0002, Debian's and others' where each user has a group, an editor makes files that
 * the group may write: that is nobody else. With an access control list the mode of the group is
 * the most that anybody on the list has, so such a file is none of these. */
static bool others_write(const PolicyText *text) {
        if (!(text->st.st_mode & (S_IWGRP | S_IWOTH)))
                return false;
        if (text->st.st_mode & S_IWOTH || !private_group(text->st.st_uid, text->st.st_gid))
                return true;
        return fgetxattr(text->fd, "system.posix_acl_access", NULL, 0) >= 0 ||
               (errno != ENODATA && errno != EOPNOTSUPP);
}

int policy_text_check_owner(const PolicyText *text, Owner owner, Diag *reterr_diag) {
        bool is_root = text->st.st_uid == 0, is_caller = text->st.st_uid == geteuid();

        if (!(is_root && owner != OWNER_CALLER) && !(is_caller && owner != OWNER_ROOT))
                return diag_add(
                        reterr_diag, ERROR_CONFIGURATION,
                        "the policy file '%.512s' belongs to uid %u: give it to %s%s", text->path,
                        text->st.st_uid, owner == OWNER_ROOT ? "root" : "who calls confine",
                        owner == OWNER_CALLER ? ", or name it with --policy= if you trust it" : "");
        if (others_write(text))
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the policy file '%.400s' can be written by others: say chmod go-w "
                                "'%.400s'",
                                text->path, text->path);
        return 0;
}
