/* SPDX-License-Identifier: MIT */
/* A program that somebody moved out of its leaf. */
#include "supervisor/moved.h"

#include <fcntl.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
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
        if (run->moved_to)
                return;
        run->moved_to = cgroup_find_moved(run->cgroup, run->worker_pid);
        if (run->moved_to) /* a name of anybody's choice */
                str_make_printable(run->moved_to);
}

/* Of what somebody made by hand there is no unit; and a name that a shell may act on is not put
 * into a command. */
static bool is_unit(const char *name) {
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    ":_.@-";

        return name[0] != '\0' && name[strspn(name, plain)] == '\0';
}

/* The journal of another user's manager is not asked for with --user. */
static const char *unit_option(const Run *run) {
        if (!strstr(run->moved_to, "/user@"))
                return "-u ";
        return run->facts.system_manager ? "USER_UNIT=" : "--user -u ";
}

void moved_explain(Run *run) {
        const char *slash = run->moved_to ? strrchr(run->moved_to, '/') : NULL;
        const char *unit = slash && is_unit(slash + 1) ? slash + 1 : NULL;

        if (run->moved_to)
                (void)outcome_fail(
                        &run->outcome, CAUSE_ERROR, ERROR_SANDBOX_GONE,
                        "the program of '%s' was moved out of it from outside, to '%s', where its "
                        "limits do not hold, so the run was ended: look for who did it %s%s%s%s",
                        run->unit, run->moved_to, unit ? "with 'journalctl " : "in the journal",
                        unit ? unit_option(run) : "", unit ? unit : "", unit ? "'" : "");
}
