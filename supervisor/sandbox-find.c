/* SPDX-License-Identifier: MIT */
/* The walk over the slices of the managers. cgroupfs has no links, so a path leads where it says.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "policy/slice.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/sandbox.h"

#define USERS "/user.slice"

typedef struct Search {
        char *const *labels;
        Sandboxes *found;
} Search;

static void sandbox_done(Sandbox *sandbox) {
        free(sandbox->cgroup);
        sandbox->labels = strv_free(sandbox->labels);
}

void sandboxes_done(Sandboxes *sandboxes) {
        for (size_t i = 0; i < sandboxes->n; i++)
                sandbox_done(&sandboxes->items[i]);
        free(sandboxes->items);
        *sandboxes = (Sandboxes){ 0 };
}

static bool has_labels(const Sandbox *sandbox, char *const *labels) {
        for (; labels && *labels; labels++) {
                bool found = false;

                for (char *const *own = sandbox->labels; own && *own && !found; own++)
                        found = strcmp(*own, *labels) == 0;
                if (!found)
                        return false;
        }
        return true;
}

/* "confine-ID.scope" -> ID */
static bool take_id(const char *name, char ret[static RUN_ID_SIZE]) {
        static const char prefix[] = "confine-";
        const char *id = name + strlen(prefix);

        if (strncmp(name, prefix, strlen(prefix)) != 0 ||
            strspn(id, "0123456789abcdef") != RUN_ID_SIZE - 1 ||
            strcmp(id + RUN_ID_SIZE - 1, ".scope") != 0)
                return false;
        (void)snprintf(ret, RUN_ID_SIZE, "%s", id);
        return true;
}

/* One that is gone by now is none. Takes what @sandbox holds, or frees it. */
static int add(const Search *search, Sandbox *sandbox) {
        _cleanup_close_ int fd = sandbox_open(sandbox);
        Sandbox *grown;
        int r = fd < 0 ? fd : sandbox_read(fd, sandbox);

        if (r == 0 && has_labels(sandbox, search->labels)) {
                grown = reallocarray(search->found->items, search->found->n + 1, sizeof(*grown));
                if (grown) {
                        search->found->items = grown;
                        grown[search->found->n++] = *sandbox;
                        return 0;
                }
                r = -ENOMEM;
        }
        sandbox_done(sandbox);
        return r == -ENOMEM ? r : 0;
}

/* @path: of the slice, below the mount. A slice below it is one by its name, too: who owns this
 * part of the tree may make directories as deep as he likes. */
static int look_at_slice(const Search *search, const char *path, bool system) {
        _cleanup_free_ char *full = str_format("%s%s", CGROUP_ROOT, path);
        _cleanup_closedir_ DIR *dir = full ? opendir(full) : NULL;
        const struct dirent *entry;

        if (!full)
                return -ENOMEM;
        if (!dir)
                return errno == ENOENT || errno == ENODEV ? 0 : -errno; /* there is no run */
        while ((entry = readdir(dir))) {
                Sandbox sandbox = { .system = system };
                bool slice = slice_is_child(entry->d_name, strrchr(path, '/') + 1);
                _cleanup_free_ char *below = NULL;
                int r;

                if (!slice && !take_id(entry->d_name, sandbox.id))
                        continue;
                below = str_format("%s/%s", path, entry->d_name);
                if (!below)
                        return -ENOMEM;
                if (slice) {
                        r = look_at_slice(search, below, system);
                } else {
                        sandbox.cgroup = TAKE_PTR(below);
                        r = add(search, &sandbox);
                }
                if (r < 0)
                        return r;
        }
        return 0;
}

static int look_at_user(const Search *search, unsigned uid) {
        char path[96];

        (void)snprintf(path, sizeof(path), USERS "/user-%u.slice/user@%u.service/" SLICE_TOP, uid,
                       uid);
        return look_at_slice(search, path, false);
}

static int look_at_users(const Search *search) {
        _cleanup_closedir_ DIR *dir = opendir(CGROUP_ROOT USERS);
        const struct dirent *entry;

        if (!dir)
                return errno == ENOENT ? 0 : -errno;
        while ((entry = readdir(dir))) {
                static const char prefix[] = "user-";
                uint64_t uid;
                const char *end;
                int r;

                if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
                    !str_read_number(entry->d_name + strlen(prefix), &end, &uid) ||
                    uid > UINT32_MAX || strcmp(end, ".slice") != 0)
                        continue;
                r = look_at_user(search, (unsigned)uid);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int compare_age(const void *a, const void *b) {
        const Sandbox *left = a, *right = b;

        if (left->started_usec != right->started_usec)
                return left->started_usec < right->started_usec ? -1 : 1;
        return strcmp(left->id, right->id);
}

int sandboxes_find(SandboxRealm realm, char *const *labels, Sandboxes *ret) {
        Sandboxes found = { 0 };
        const Search search = { labels, &found };
        bool all = realm == REALM_OWN && geteuid() == 0;
        int r = 0;

        if (all || realm == REALM_SYSTEM)
                r = look_at_slice(&search, "/" SLICE_TOP, true);
        if (r == 0 && all)
                r = look_at_users(&search);
        else if (r == 0 && realm != REALM_SYSTEM)
                r = look_at_user(&search, (unsigned)geteuid());
        if (r < 0) {
                sandboxes_done(&found);
                return r;
        }
        if (found.n > 1)
                qsort(found.items, found.n, sizeof(Sandbox), compare_age);
        *ret = found;
        return 0;
}
