/* SPDX-License-Identifier: MIT */
/* What the private view will be. Only paths are decided here; nothing is mounted. */
#include "supervisor/view.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/secret.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

/* A file takes a page and, in the kernel, about 1K that counts as memory of the run too: as many
 * files as pages keep all of it below 5/4 of DiskMax. */
#define BYTES_PER_INODE 4096

typedef enum Place {
        PLACE_TMP,
        PLACE_SHM,
        PLACE_PROC,
        PLACE_CREDENTIALS, /* made by systemd where any unit has some */
        PLACE_MNT,
        _PLACE_MAX,
} Place;

/* What gets a mount of the run's own, unless something there was granted: that is the host's. */
static const char *const places[_PLACE_MAX] = {
        [PLACE_TMP] = "/tmp",   [PLACE_SHM] = "/dev/shm",
        [PLACE_PROC] = "/proc", [PLACE_CREDENTIALS] = "/run/credentials",
        [PLACE_MNT] = "/mnt",
};

void view_done(View *view) {
        for (size_t i = 0; i < view->n_mounts; i++)
                free(view->mounts[i].path);
        free(view->mounts);
        *view = (View){ 0 };
}

void view_give_up(Run *run) {
        view_done(&run->view);
}

/* The outermost grants only: what lies below one comes with it, and a mount of its own there could
 * neither be renamed nor removed. */
static int add_mount(View *view, int grant, const char *target, int fd) {
        ViewMount *grown;
        struct stat st;
        size_t n = 0;

        if (fstat(fd, &st) < 0)
                return -errno;
        for (size_t i = 0; i < view->n_mounts; i++)
                if (str_path_below(target, view->mounts[i].path))
                        return 0;
        for (size_t i = 0; i < view->n_mounts; i++) {
                if (str_path_below(view->mounts[i].path, target))
                        free(view->mounts[i].path);
                else
                        view->mounts[n++] = view->mounts[i];
        }
        view->n_mounts = n;
        grown = reallocarray(view->mounts, n + 1, sizeof(*grown));
        if (!grown)
                return -ENOMEM;
        view->mounts = grown;
        grown[n] = (ViewMount){ strdup(target), st.st_dev, st.st_ino, grant, -EBADF, -EBADF };
        if (!grown[n].path)
                return -ENOMEM;
        view->n_mounts++;
        return 0;
}

int view_add_grant(Run *run, const Grant *grant, const char *target, int fd) {
        for (unsigned place = 0; place < _PLACE_MAX; place++)
                if (str_path_below(target, places[place]) ||
                    str_path_below(grant->path, places[place])) /* a link there, to elsewhere */
                        run->view.taken |= 1U << place;
        return grant->access & GRANT_WRITE
                       ? add_mount(&run->view, (int)(grant - run->policy->grants), target, fd)
                       : 0;
}

/* A link would lead the mount elsewhere, where a grant may be. */
static bool is_free(const View *view, Place place) {
        struct stat st;

        return !(view->taken & 1U << place) && lstat(places[place], &st) == 0 &&
               S_ISDIR(st.st_mode);
}

static int decide_scratch(Run *run) {
        View *view = &run->view;
        size_t n = 0;

        for (Place place = PLACE_TMP; place <= PLACE_SHM; place++)
                if (is_free(view, place))
                        view->scratch[n++] = places[place];
        if (n == 0)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "PrivateTmp=yes finds no place: there are grants under both '/tmp' and "
                        "'/dev/shm': drop those of one, or say -p PrivateTmp=no");
        (void)snprintf(view->scratch_options, sizeof(view->scratch_options),
                       "size=%" PRIu64 ",nr_inodes=%" PRIu64 ",mode=0700,uid=%u,gid=%u",
                       run->policy->disk_max_bytes, run->policy->disk_max_bytes / BYTES_PER_INODE,
                       (unsigned)run->identity.uid, (unsigned)run->identity.gid);
        return 0;
}

static int decide_credentials(Run *run) {
        View *view = &run->view;

        if (secrets_count(run->policy) == 0)
                return 0;
        for (Place place = PLACE_CREDENTIALS; place <= PLACE_MNT && !view->credentials; place++)
                if (is_free(view, place))
                        view->credentials = places[place];
        if (!view->credentials)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "secrets find no place: '/run/credentials' and '/mnt' are not "
                                    "there, or grants lie below them: drop those of one");
        return 0;
}

int view_decide(Run *run) {
        View *view = &run->view;
        int r;

        if (run->facts.no_view) { /* refused with the policy if that wants scratch */
                view_give_up(run);
                return 0;
        }
        view->made = true;
        view->user_namespace = geteuid() != 0;
        view->directory =
                run->policy->working_directory ? run->policy->working_directory : run->cwd;
        /* The kernel lets nobody but root mount one for processes it shares with the host. */
        if (!view->user_namespace && is_free(view, PLACE_PROC))
                view->proc = places[PLACE_PROC];
        r = decide_credentials(run);
        if (r < 0)
                return r;
        return run->policy->private_tmp ? decide_scratch(run) : 0;
}
