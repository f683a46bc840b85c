/* SPDX-License-Identifier: MIT */
/* A program that somebody moved out of its leaf. */
#include "supervisor/moved.h"

#include <fcntl.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/cgroup.h"

void moved_watch(Run *run) {
        run->events_fd = openat(run->leaf_fd, "cgroup.events", O_RDONLY | O_CLOEXEC);
}

bool moved_read(Run *run) {
        char text[256] = "";
        ssize_t n;

        /* Each reading makes poll(2) wait for the next change. */
        n = pread(run->events_fd, text, sizeof(text) - 1, 0);
        if (n > 0 && strstr(text, "populated 1\n"))
                return false;
        if (n <= 0) /* the cgroup is gone, and would be polled for ever */
                run->events_fd = fd_close(run->events_fd);
        /* A program that ends leaves its cgroup empty, too, before its end can be awaited. */
        moved_look(run);
        return run->moved_to != NULL;
}

void moved_look(Run *run) {
        if (!run->moved_to)
                run->moved_to = cgroup_find_moved(run->cgroup, run->worker_pid);
}
