/* SPDX-License-Identifier: MIT */
/* The verbs that end runs. A process is only signalled if the kernel says that it is in the cgroup
 * of the run: what the attributes tell is the word of the cgroup's owner. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "policy/errors.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/killed.h"
#include "supervisor/manage.h"
#include "supervisor/reaped.h"
#include "supervisor/scope.h"

#define STATUS_WRONG      1
#define STATUS_USAGE      2
#define GONE_USEC         (2 * USEC_PER_SEC) /* from the last process to the end of the scope */
#define GONE_CHECK_MSEC   3
#define STOP_TIMEOUT_USEC (5 * USEC_PER_SEC)
#define OTHERS_TOLD_MAX   20

typedef struct Ending {
        const Sandbox *sandbox; /* NULL: there is nothing to wait for; not owned */
        Reaped reaped;
        uint64_t empty_usec; /* when it was first seen without a process; 0: not yet */
} Ending;

/* One whose supervisor is gone is taken with its keeper; else the supervisor names the end, and
 * reads the counters that the keeper holds. */
static int open_victim(const Sandbox *sandbox, int scope_fd) {
        int fd = -EBADF;

        if (sandbox->state != SANDBOX_ORPHANED)
                fd = openat(scope_fd, CGROUP_LEAF, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0)
                fd = fcntl(scope_fd, F_DUPFD_CLOEXEC, 0);
        return fd < 0 ? -errno : fd;
}

static int kill_all(const Sandbox *sandbox, int scope_fd) {
        _cleanup_close_ int fd = open_victim(sandbox, scope_fd);

        return fd < 0 ? fd : cgroup_kill(fd);
}

/* Returns 0; -EXDEV if it is elsewhere; -EACCES if /proc hides it; another negative errno, as
 * is_gone() if it has ended. */
static int signal_main(const Sandbox *sandbox, int sig) {
        _cleanup_free_ char *leaf = str_format("%s/" CGROUP_LEAF, sandbox->cgroup);
        _cleanup_close_ int pidfd = -EBADF;
        ProcessMark seen;

        if (!leaf)
                return -ENOMEM;
        if (sandbox->main.pid <= 0)
                return -EAGAIN;
        pidfd = kernel_pidfd_open(sandbox->main.pid);
        if (pidfd < 0)
                return pidfd;
        /* Behind the opening: that it is the same process, and still in the run. */
        if (!process_mark_alive(&sandbox->main))
                return -ESRCH;
        if (!cgroup_has_process(leaf, sandbox->main.pid)) {
                if (!process_mark_alive(&sandbox->main))
                        return -ESRCH;
                return process_mark(sandbox->main.pid, &seen) < 0 ? -EACCES : -EXDEV;
        }
        return kernel_pidfd_send_signal(pidfd, sig);
}

static bool is_gone(int error) {
        return error == -ENOENT || error == -ENODEV || error == -ESRCH;
}

/* Returns 0, also if the run is gone. */
static int hit(const Sandbox *sandbox, int sig) {
        _cleanup_close_ int scope_fd = sandbox_open(sandbox);
        int r = scope_fd;

        if (r >= 0) {
                (void)killed_note(scope_fd, sig); /* without it, it is the signal alone */
                r = sig == SIGKILL ? kill_all(sandbox, scope_fd) : signal_main(sandbox, sig);
        }
        if (r >= 0 || is_gone(r))
                return 0;
        if (sandbox->untold)
                return r;
        log_line("the run '%.12s' cannot be ended: %s: %s", sandbox->id,
                 r == -EXDEV ? "its program was moved out of it" : strerror(-r),
                 r == -EAGAIN                  ? "it is only starting, try again"
                 : r == -EXDEV                 ? "call it without --signal"
                 : r == -EPERM || r == -EACCES ? "it is another user's, call it as that user or as "
                                                 "root"
                                               : "look at its cgroup with 'systemd-cgls'");
        return r;
}

static void report_orphan(const Sandbox *sandbox) {
        _cleanup_free_ char *labels = NULL;

        if (sandbox->untold)
                return;
        for (char *const *label = sandbox->labels; label && *label; label++) {
                char *more = str_format("%s %s", labels ? labels : "", *label);

                free(labels);
                labels = more;
        }
        log_line("processes of 'confine-%s.scope'%s survive the kill (uninterruptible sleep?): "
                 "look at 'systemd-cgls /%s' [%s]",
                 sandbox->id, labels ? labels : "", sandbox->cgroup + 1,
                 error_name(ERROR_ORPHANED));
}

/* The unit goes by itself once its cgroup is empty. One that does not is stopped by name. The
 * cgroup of one that the manager does not know is nobody's any more: a user manager without free
 * files forgets a unit whose cgroup it could not remove. */
static int stop_unit(const Sandbox *sandbox, int scope_fd) {
        _cleanup_free_ char *unit = NULL;
        int r;

        if (sandbox->state != SANDBOX_ORPHANED)
                return 0; /* a supervisor that is stopped, say: nothing of the program runs */
        unit = str_format("confine-%s.scope", sandbox->id);
        if (!unit)
                r = -ENOMEM;
        else if (!sandbox->system && sandbox->owner != geteuid())
                r = -EPERM;
        else
                r = scope_stop_unit(sandbox->system, unit, STOP_TIMEOUT_USEC);
        if (r == 0)
                r = cgroup_remove_scope(sandbox->cgroup, scope_fd);
        if (r < 0 && !sandbox->untold)
                log_line("the unit 'confine-%s.scope' is empty and stays: %s: stop it with "
                         "'systemctl %sstop', as the user with uid %u",
                         sandbox->id, strerror(-r), sandbox->system ? "" : "--user ",
                         (unsigned)sandbox->owner);
        return MIN(r, 0);
}

/* Looks once at what was killed. Returns 1: there is something to wait for; 0: nothing is left; or
 * a negative errno: it stays, as was said. */
static int look(Ending *ending, uint64_t deadline) {
        _cleanup_close_ int scope_fd = sandbox_open(ending->sandbox), fd = -EBADF;
        uint64_t now = clock_now_usec();
        int r;

        if (is_gone(scope_fd))
                return 0;
        fd = scope_fd < 0 ? scope_fd : open_victim(ending->sandbox, scope_fd);
        r = fd < 0 ? fd : cgroup_populated(fd);
        if (r != 0 && !is_gone(r)) {
                if (now < deadline)
                        return 1;
                report_orphan(ending->sandbox);
                return r < 0 ? r : -ETIMEDOUT;
        }
        if (ending->empty_usec == 0)
                ending->empty_usec = now;
        if (now < clock_add_usec(ending->empty_usec, GONE_USEC))
                return 1;
        return stop_unit(ending->sandbox, scope_fd);
}

/* For all at once: a run that stays, as its owner can make it, holds up neither the others nor
 * their records. */
static int await_ends(const Invocation *invocation, Ending *endings, size_t n) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), ORPHAN_MIN_USEC);
        bool waiting = true;
        int status = 0;

        while (waiting) {
                waiting = false;
                for (size_t i = 0; i < n; i++) {
                        int r = endings[i].sandbox ? look(&endings[i], deadline) : 1;

                        waiting |= endings[i].sandbox && r > 0;
                        if (r > 0)
                                continue;
                        if (r < 0)
                                status = STATUS_WRONG;
                        reaped_record(invocation, &endings[i].reaped);
                        endings[i].sandbox = NULL;
                }
                if (waiting)
                        (void)poll(NULL, 0, GONE_CHECK_MSEC);
        }
        return status;
}

/* All that are chosen are hit before the end of one is waited for, and of each that was hit it is,
 * whatever became of the others. @reap: the ends are recorded here. */
static int end_chosen(const Invocation *invocation, const Sandboxes *sandboxes, int sig,
                      bool reap) {
        Ending *endings = calloc(sandboxes->n + 1, sizeof(Ending));
        int status = 0;

        if (!endings) {
                log_line("out of memory, so no run is ended: try again");
                return STATUS_WRONG;
        }
        for (size_t i = 0; reap && i < sandboxes->n; i++)
                if (sandboxes->items[i].chosen)
                        reaped_look(&sandboxes->items[i], &endings[i].reaped);
        for (size_t i = 0; i < sandboxes->n; i++) {
                if (!sandboxes->items[i].chosen)
                        continue;
                if (hit(&sandboxes->items[i], sig) == 0) {
                        endings[i].sandbox = &sandboxes->items[i];
                } else {
                        reaped_record(invocation, &endings[i].reaped); /* or a later reap does */
                        status = STATUS_WRONG;
                }
        }
        if (sig == SIGKILL && await_ends(invocation, endings, sandboxes->n) != 0)
                status = STATUS_WRONG;
        free(endings);
        return status;
}

/* None is chosen to be ended where one is not understood. */
static int choose(const Invocation *invocation, const Sandboxes *sandboxes) {
        int status = 0;

        for (size_t i = 0; i < sandboxes->n; i++)
                sandboxes->items[i].chosen = invocation->manage.all;
        for (char *const *id = invocation->command; id && *id; id++) {
                Sandbox *found;
                int r = manage_match(sandboxes, *id, &found);

                if (r > 0)
                        found->chosen = true;
                if (r < 0 && status == 0)
                        status = r == -EINVAL ? STATUS_USAGE : STATUS_WRONG;
        }
        return status;
}

int manage_kill(const Invocation *invocation) {
        int sig = invocation->manage.signal ? invocation->manage.signal : SIGKILL, status;
        _cleanup_(sandboxes_done) Sandboxes sandboxes = { 0 };

        if (manage_find(invocation, &sandboxes) < 0)
                return STATUS_WRONG;
        status = choose(invocation, &sandboxes);
        return status != 0 ? status : end_chosen(invocation, &sandboxes, sig, false);
}

/* Chooses those that are orphaned, and says so. A user can make up any number of them, and journald
 * drops what is too much from one unit, such as confine-reap.service: also records of other ends.
 */
static void choose_orphans(const Sandboxes *sandboxes, bool told) {
        size_t n_others = 0;

        for (size_t i = 0; i < sandboxes->n; i++) {
                Sandbox *orphan = &sandboxes->items[i];

                orphan->chosen = orphan->state == SANDBOX_ORPHANED;
                if (!orphan->chosen)
                        continue;
                if (!orphan->system && orphan->owner != geteuid())
                        orphan->untold = ++n_others > OTHERS_TOLD_MAX;
                if (told && !orphan->untold)
                        log_line("ending 'confine-%s.scope', whose supervisor is gone", orphan->id);
        }
        if (told && n_others > OTHERS_TOLD_MAX)
                log_line("ending %zu more of other users, without a word about each",
                         n_others - OTHERS_TOLD_MAX);
}

int manage_reap(const Invocation *invocation) {
        _cleanup_(sandboxes_done) Sandboxes sandboxes = { 0 };
        bool end = invocation->manage.kill;
        int status = 0;

        if (manage_find(invocation, &sandboxes) < 0)
                return STATUS_WRONG;
        if (!end || invocation->json)
                status = manage_print(&sandboxes, true, invocation->json);
        choose_orphans(&sandboxes, end && !invocation->quiet);
        for (size_t i = 0; i < sandboxes.n && !end; i++)
                if (sandboxes.items[i].chosen)
                        status = STATUS_WRONG;
        if (end && end_chosen(invocation, &sandboxes, SIGKILL, true) != 0)
                status = STATUS_WRONG;
        return status;
}
