/* SPDX-License-Identifier: MIT */
/* Path grants: which may be asked for, and their canonical order. */
#include "policy/grant.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

typedef struct NoWrite {
        const char *path; /* "%u" is the caller's uid */
        const char *why;
} NoWrite;

/* Whoever writes here undoes the sandbox. Opening by inode is checked by the supervisor; this is
 * about saying so early and by name. */
static const NoWrite no_write[] = {
        { "/sys/fs/cgroup", "which holds the limits of the run" },
        { "/proc", "which controls the kernel and other processes" },
        { "/run/systemd", "which controls the service manager" },
        { "/run/user/%u/systemd", "which controls your service manager" },
        { "/etc/confine", "which is confine's own" },
        { "/usr/share/confine", "which is confine's own" },
        { "/usr/local/share/confine", "which is confine's own" },
        { "/var/lib/confine", "which is confine's own" },
        { "/run/confine", "which is confine's own" },
};

static GrantAccess access_of(Key key) {
        assert(key == KEY_AllowRead || key == KEY_AllowWrite || key == KEY_AllowExec);
        return key == KEY_AllowRead ? GRANT_READ : key == KEY_AllowWrite ? GRANT_WRITE : GRANT_EXEC;
}

char *grant_fold(const char *path) {
        char *folded = strdup(path), *to = folded;
        const char *from = folded;

        if (!folded)
                return NULL;

        while (*from != '\0') {
                size_t length = strcspn(from + 1, "/") + 1; /* "/name" */

                if (length == 3 && memcmp(from, "/..", 3) == 0) {
                        while (to > folded && *--to != '/')
                                ;
                } else {
                        memmove(to, from, length);
                        to += length;
                }
                from += length;
        }
        if (to == folded)
                *to++ = '/';
        *to = '\0';
        return folded;
}

bool grant_reaches(const char *a, const char *b) {
        return str_path_below(a, b) || str_path_below(b, a);
}

static int check_path(const char *path, Key key, const char *origin, const Facts *facts,
                      Diag *reterr_diag) {
        const char *name = key_info(key)->name;
        _cleanup_free_ char *folded = grant_fold(path);
        char forbidden[64];

        if (!folded)
                return -ENOMEM;
        if (key != KEY_AllowRead && (strcmp(path, "/") == 0 || strcmp(folded, "/") == 0))
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "'%s' of '/' (%s) would grant the whole system: grant the "
                                "directories you need",
                                name, origin);
        if (key != KEY_AllowWrite)
                return 0;
        for (size_t i = 0; i < ARRAY_SIZE(no_write); i++) {
                const char *mark = strstr(no_write[i].path, "%u");

                if (mark && facts->uid == UID_UNKNOWN)
                        continue; /* whoever runs it is asked then */
                if (mark)
                        (void)snprintf(forbidden, sizeof(forbidden), "%.*s%u%s",
                                       (int)(mark - no_write[i].path), no_write[i].path, facts->uid,
                                       mark + strlen("%u"));
                else
                        (void)snprintf(forbidden, sizeof(forbidden), "%s", no_write[i].path);
                if (grant_reaches(path, forbidden) || grant_reaches(folded, forbidden))
                        return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                        "'%s' of '%.512s' (%s) reaches '%s', %s: grant another "
                                        "directory",
                                        name, path, origin, forbidden, no_write[i].why);
        }
        return 0;
}

int grant_add(Policy *policy, Key key, const char *text, const char *origin, const Facts *facts,
              Diag *reterr_diag) {
        bool optional = text[0] == '-';
        _cleanup_free_ char *path = NULL;
        ValueHint hint;
        Grant *grown;
        int r;

        r = value_parse_path(text + optional, facts->cwd, &path, &hint);
        if (r == -EINVAL)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "'%.256s' is no path for '%s' (%s): %s", text, key_info(key)->name,
                                origin, hint.text);
        if (r < 0)
                return r;
        r = check_path(path, key, origin, facts, reterr_diag);
        if (r < 0)
                return r;
        grown = reallocarray(policy->grants, policy->n_grants + 1, sizeof(*grown));
        if (!grown)
                return -ENOMEM;
        policy->grants = grown;
        policy->grants[policy->n_grants++] = (Grant){
                .path = TAKE_PTR(path),
                .key = key_info(key)->name,
                .access = access_of(key),
                .optional = optional,
        };
        return 0;
}

int grant_check_target(const Grant *grant, const char *target, const Facts *facts,
                       Diag *reterr_diag) {
        const char *near;
        Key key = key_find(grant->key, &near);

        return check_path(target, key, grant->path, facts, reterr_diag);
}

static int compare(const void *a, const void *b) {
        const Grant *x = a, *y = b;

        /* The bits of GrantAccess have the order of the rows in keys.def. */
        if (x->access != y->access)
                return x->access < y->access ? -1 : 1;
        return strcmp(x->path, y->path);
}

void grants_normalize(Policy *policy) {
        size_t n = 0;

        if (policy->n_grants > 1)
                qsort(policy->grants, policy->n_grants, sizeof(policy->grants[0]), compare);
        for (size_t i = 0; i < policy->n_grants; i++) {
                Grant *grant = &policy->grants[i];

                if (n > 0 && compare(&policy->grants[n - 1], grant) == 0) {
                        Grant *before = &policy->grants[n - 1];
                        bool no_link = (before->implicit || before->from_project) &&
                                       (grant->implicit || grant->from_project);

                        before->optional &= grant->optional;
                        before->implicit &= grant->implicit;
                        before->from_project = no_link && !before->implicit;
                        free(grant->path);
                } else
                        policy->grants[n++] = *grant;
        }
        policy->n_grants = n;
}
