/* SPDX-License-Identifier: MIT */
/* The step of the worker that puts secrets where the program finds them: files on a ramfs of the
 * run's own mount namespace. Its pages are never swapped out, and gone with the last process. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/worker/steps.h"

#define FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)

/* Nothing is written before it is known to be there: a filter around confine may only say so. */
static int mount_memory(const char *place) {
        _cleanup_close_ int fd = -EBADF;
        struct stat before, after;
        struct statfs fs;

        if (stat(place, &before) < 0 || mount("confine", place, "ramfs", FLAGS, "mode=0700") < 0)
                return -errno;
        fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0 || fstat(fd, &after) < 0 || fstatfs(fd, &fs) < 0)
                return -errno;
        if (before.st_dev == after.st_dev || (unsigned long)fs.f_type != RAMFS_MAGIC)
                return -ENOTRECOVERABLE;
        return TAKE_FD(fd);
}

/* The caller's umask does not count, so the mode is set. */
static int write_secret(const Plan *plan, int dir_fd, const DeliveredSecret *item) {
        _cleanup_close_ int fd =
                openat(dir_fd, item->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
        int r;

        if (fd < 0)
                return -errno;
        r = fd_write_all(fd, item->value, item->size_bytes);
        if (r < 0)
                return r;
        if (plan->switch_ids && fchown(fd, plan->uid, plan->gid) < 0)
                return -errno;
        if (fchmod(fd, 0400) < 0)
                return -errno;
        if (!item->as_variable)
                explicit_bzero(item->text, (size_t)(item->value - item->text) + item->size_bytes);
        return 0;
}

int step_secrets(Worker *worker) {
        const Plan *plan = worker->plan;
        const Secrets *secrets = &plan->secrets;
        const char *place = plan->view.credentials;
        _cleanup_close_ int dir_fd = -EBADF;
        struct statvfs fs;

        if (!place)
                return 0;
        /* A fork inherits no locks. */
        if (mlock2(secrets->memory, secrets->memory_bytes, MLOCK_ONFAULT) < 0)
                return -errno;
        dir_fd = mount_memory(place);
        if (dir_fd < 0)
                return dir_fd;
        for (size_t i = 0; i < secrets->n_items; i++) {
                int r;

                r = write_secret(plan, dir_fd, &secrets->items[i]);
                if (r < 0)
                        return r;
        }
        if (plan->switch_ids && fchown(dir_fd, plan->uid, plan->gid) < 0)
                return -errno;
        if (fchmod(dir_fd, 0500) < 0 ||
            mount(NULL, place, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | FLAGS, NULL) < 0 ||
            statvfs(place, &fs) < 0)
                return -errno;
        return fs.f_flag & ST_RDONLY ? 0 : -ENOTRECOVERABLE;
}
