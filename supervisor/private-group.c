/* SPDX-License-Identifier: MIT */
/* Private groups, as adduser(8) and useradd(8) make them. */
#include "supervisor/private-group.h"

#include <grp.h>
#include <pwd.h>
#include <string.h>

#include "supervisor/base/base.h"

/* The name of @uid, if nobody else has @gid. The caller's; NULL: somebody has, or it has no name.
 */
static char *find_only_user(uid_t uid, gid_t gid) {
        _cleanup_fclose_ FILE *f = fopen("/etc/passwd", "re");
        _cleanup_free_ char *name = NULL;
        const struct passwd *pw;

        while (f && (pw = fgetpwent(f))) {
                if (pw->pw_gid != gid)
                        continue;
                if (pw->pw_uid != uid || name)
                        return NULL;
                name = strdup(pw->pw_name);
                if (!name)
                        return NULL;
        }
        return TAKE_PTR(name);
}

bool private_group(uid_t uid, gid_t gid) {
        _cleanup_free_ char *name = uid != 0 ? find_only_user(uid, gid) : NULL;
        _cleanup_fclose_ FILE *f = name ? fopen("/etc/group", "re") : NULL;
        const struct group *gr;
        bool found = false;

        while (f && (gr = fgetgrent(f))) {
                if (gr->gr_gid != gid)
                        continue;
                if (found || strcmp(gr->gr_name, name) != 0 || gr->gr_mem[0])
                        return false;
                found = true;
        }
        return found;
}
