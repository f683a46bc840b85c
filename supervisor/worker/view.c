/* SPDX-License-Identifier: MIT */
/* Steps of the worker that make the private view: a mount namespace in which all is read-only but
 * the write grants. Landlock has no say in chmod, chown, utime and setxattr; here they fail outside
 * the grants and work inside. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/worker/report.h"
#include "supervisor/worker/steps.h"

#define NAMESPACE "/proc/self/ns/mnt"

/* The own ids and nothing else, the same inside and outside. Source: user_namespaces(7). */
static int map_ids(const Plan *plan) {
        char text[32];
        int r;

        /* The files belong to root where the process is not dumpable. */
        if (prctl(PR_SET_DUMPABLE, 1L, 0L, 0L, 0L) < 0)
                return -errno;
        r = fd_write_file(AT_FDCWD, "/proc/self/setgroups", "deny");
        if (r < 0)
                return r;
        (void)snprintf(text, sizeof(text), "%u %u 1", (unsigned)plan->uid, (unsigned)plan->uid);
        r = fd_write_file(AT_FDCWD, "/proc/self/uid_map", text);
        if (r < 0)
                return r;
        (void)snprintf(text, sizeof(text), "%u %u 1", (unsigned)plan->gid, (unsigned)plan->gid);
        r = fd_write_file(AT_FDCWD, "/proc/self/gid_map", text);
        if (r < 0)
                return r;
        return geteuid() == plan->uid && getegid() == plan->gid ? 0 : -ENOTRECOVERABLE;
}

int step_namespace(Worker *worker) {
        const MountAttr private = { .propagation = MS_PRIVATE };
        const Plan *plan = worker->plan;
        struct stat before, after;

        if (!plan->view.made)
                return 0;
        if (plan->view.user_namespace) {
                int r;

                r = map_ids(plan);
                if (r < 0)
                        return r;
        }
        if (stat(NAMESPACE, &before) < 0 || unshare(CLONE_NEWNS) < 0 || stat(NAMESPACE, &after) < 0)
                return -errno;
        /* A filter around confine may say so and do nothing: what follows would be done to the
         * host. */
        if (before.st_ino == after.st_ino)
                return -ENOTRECOVERABLE;
        /* A call of its own, before any clone: what the host mounts later would appear in a clone
         * that is still shared, and be writable there. */
        return kernel_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &private);
}

/* Opened anew, since a descriptor from before belongs to the host's mounts; and compared with what
 * was checked, since the path may lead elsewhere by now. Clones keep what the host has made
 * read-only so. */
static int clone_grant(ViewMount *mount) {
        struct stat st;

        mount->target_fd = open(mount->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (mount->target_fd < 0 || fstat(mount->target_fd, &st) < 0)
                return -errno;
        if (st.st_dev != mount->device || st.st_ino != mount->inode)
                return -ESTALE;
        mount->tree_fd = kernel_open_tree(mount->target_fd, "",
                                          AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE |
                                                  OPEN_TREE_CLOEXEC);
        return MIN(mount->tree_fd, 0);
}

int step_view(Worker *worker) {
        const MountAttr read_only = { .attr_set = MOUNT_ATTR_RDONLY };
        const View *view = &worker->plan->view;
        struct statvfs root;
        int r;

        if (!view->made)
                return 0;
        /* All clones first: one of what is read-only already could not become writable again. */
        for (size_t i = 0; i < view->n_mounts; i++) {
                worker->detail = view->mounts[i].grant;
                r = clone_grant(&view->mounts[i]);
                if (r < 0)
                        return r;
        }
        worker->detail = -1;
        r = kernel_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &read_only);
        if (r < 0)
                return r;
        if (statvfs("/", &root) < 0)
                return -errno;
        /* Before the first mount: where this was only said to be done, the propagation was as well.
         */
        if (!(root.f_flag & ST_RDONLY))
                return -ENOTRECOVERABLE;
        for (size_t i = 0; i < view->n_mounts; i++) {
                worker->detail = view->mounts[i].grant;
                r = kernel_move_mount(view->mounts[i].tree_fd, view->mounts[i].target_fd, "",
                                      MOVE_MOUNT_T_EMPTY_PATH);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Shows a process only those that it may trace: by Landlock's rule, which comes into force later,
 * the run's own. A pid namespace would do the same, but its first process cannot be killed by its
 * own signals, and a program is not written to be one. Source: the kernel's proc.rst, "hidepid". */
int step_proc(Worker *worker) {
        const char *proc = worker->plan->view.proc;

        if (!proc)
                return 0;
        if (mount("proc", proc, "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
                  "hidepid=ptraceable") < 0)
                return errno == EPERM ? 0 : -errno; /* root of a user namespace, see step_ruleset */
        worker->own_proc = true;
        return 0;
}

/* The supervisor gets hold of it, to see how full it is at the end, when nobody is in this
 * namespace any more. */
static int hand_over_scratch(const Worker *worker, const char *place) {
        const Message message = { .kind = MESSAGE_SCRATCH };
        int fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC), r;

        if (fd < 0)
                return -errno;
        r = message_send(worker->report_fd, &message, fd);
        (void)fd_close(fd);
        return r;
}

int step_scratch(Worker *worker) {
        const View *view = &worker->plan->view;
        const char *const *places = view->scratch;
        struct stat before, after;
        struct statfs fs;

        if (!places[0])
                return 0;
        /* An empty directory in the caller's cgroup; its contents count for who writes them. */
        if (stat(places[0], &before) < 0 ||
            mount("confine", places[0], "tmpfs", MS_NOSUID | MS_NODEV, view->scratch_options) < 0 ||
            stat(places[0], &after) < 0 || statfs(places[0], &fs) < 0)
                return -errno;
        if (before.st_dev == after.st_dev || fs.f_blocks == 0 || fs.f_files == 0) /* 0: unbounded */
                return -ENOTRECOVERABLE;
        if (places[1]) {
                if (mount(places[0], places[1], NULL, MS_BIND, NULL) < 0 ||
                    stat(places[1], &before) < 0)
                        return -errno;
                if (before.st_dev != after.st_dev)
                        return -ENOTRECOVERABLE;
        }
        /* Who was in /tmp is in the new one. Below, the directory stays what it was. */
        for (size_t i = 0; i < ARRAY_SIZE(view->scratch) && view->directory; i++)
                if (places[i] && strcmp(view->directory, places[i]) == 0 && chdir(places[i]) < 0)
                        return -errno;
        return hand_over_scratch(worker, places[0]);
}

int step_view_check(Worker *worker) {
        if (!worker->own_proc)
                return 0;
        /* The first process is always there, and never the run's. */
        return faccessat(AT_FDCWD, "/proc/1", F_OK, 0) < 0 && errno == ENOENT ? 0
                                                                              : -ENOTRECOVERABLE;
}
