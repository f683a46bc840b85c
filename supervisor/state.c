/* SPDX-License-Identifier: MIT */
/* The state directory. What is in it is the business of who asks. */
#include "supervisor/state.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/base/base.h"

int state_path(const char *name, char ret[static PATH_MAX]) {
        const char *base = getenv("XDG_STATE_HOME"), *below = "";
        int n;

        if (geteuid() == 0) {
                base = "/var/lib";
        } else if (!base || base[0] != '/') { /* a relative one is to be ignored, says XDG */
                base = getenv("HOME");
                below = "/.local/state";
        }
        if (!base || base[0] != '/')
                return -ENOENT;
        n = snprintf(ret, PATH_MAX, "%s%s/confine%s", base, below, name);
        return n > 0 && n < PATH_MAX ? 0 : -ENOENT;
}

void state_make_directories(char *path) {
        for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                (void)mkdir(path, 0700);
                *slash = '/';
        }
}
