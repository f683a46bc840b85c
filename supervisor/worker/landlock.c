/* SPDX-License-Identifier: MIT */
/* The Landlock ruleset of a run: steps of the worker that build it and put it into force. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/baseset.h"
#include "policy/rights.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/worker/steps.h"

static int add_rule(int ruleset_fd, int fd, unsigned access, int abi) {
        struct stat st;
        uint64_t rights;

        if (fstat(fd, &st) < 0)
                return -errno;
        rights = rights_for_grant(access, st.st_mode, abi);
        return kernel_landlock_add_path(ruleset_fd, fd, rights);
}

static bool needs_entry(const Plan *plan, BaseNeed need) {
        switch (need) {
        case BASE_ALWAYS:
                return true;
        case BASE_TERMINAL:
                return plan->have_terminal;
        case BASE_NETWORK:
                return plan->policy->network;
        case _BASE_NEED_MAX:
        case _BASE_NEED_INVALID:
                break;
        }
        return false;
}

static int add_base(int ruleset_fd, const Plan *plan) {
        const BaseEntry *entries;
        size_t n_entries;

        entries = baseset_entries(plan->policy->base, &n_entries);
        for (size_t i = 0; i < n_entries; i++) {
                _cleanup_close_ int fd = -EBADF;
                int r;

                if (!needs_entry(plan, entries[i].need))
                        continue;
                fd = open(entries[i].path, O_PATH | O_CLOEXEC);
                if (fd < 0 && (errno == ENOENT || errno == EACCES || errno == ENXIO))
                        continue; /* not granted: the base set is optional, entry by entry */
                if (fd < 0)
                        return -errno;
                r = add_rule(ruleset_fd, fd, entries[i].access, plan->landlock_abi);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* What the view has mounted for the run alone: known by its own inodes, so opened only now. The
 * host's /proc is granted by single files instead, in the base set. */
static int add_view(const Worker *worker) {
        const Plan *plan = worker->plan;
        const struct {
                const char *path;
                unsigned access;
        } rows[] = {
                { plan->view.scratch[0], GRANT_WRITE },
                { worker->own_proc && plan->policy->base != BASE_NONE ? plan->view.proc : NULL,
                  GRANT_READ },
                { plan->view.credentials, GRANT_READ },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_close_ int fd = -EBADF;
                int r;

                if (!rows[i].path)
                        continue;
                fd = open(rows[i].path, O_PATH | O_CLOEXEC);
                if (fd < 0)
                        return -errno;
                r = add_rule(worker->ruleset_fd, fd, rows[i].access, plan->landlock_abi);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int add_grants(int ruleset_fd, const Plan *plan, int *ret_detail) {
        for (size_t i = 0; i < plan->n_opened; i++) {
                const OpenedGrant *opened = &plan->opened[i];
                int r;

                r = add_rule(ruleset_fd, opened->fd, plan->policy->grants[opened->grant].access,
                             plan->landlock_abi);
                if (r < 0) {
                        *ret_detail = opened->grant;
                        return r;
                }
        }
        return 0;
}

static int add_ports(int ruleset_fd, const Ports *list, uint64_t right) {
        for (size_t i = 0; i < list->n_ports; i++) {
                int r;

                r = kernel_landlock_add_port(ruleset_fd, list->ports[i], right);
                if (r < 0)
                        return r;
        }
        return 0;
}

int step_ruleset(Worker *worker) {
        const Plan *plan = worker->plan;
        int r;

        r = add_base(worker->ruleset_fd, plan);
        if (r < 0)
                return r;
        r = add_ports(worker->ruleset_fd, &plan->policy->tcp_connect_ports,
                      LANDLOCK_ACCESS_NET_CONNECT_TCP);
        if (r < 0)
                return r;
        r = add_view(worker);
        if (r < 0)
                return r;
        return add_grants(worker->ruleset_fd, plan, &worker->detail);
}

/* Whether file permissions leave anything of @access to what is at @path: some directories can only
 * be searched, or only be listed, and some programs only be executed. */
static bool is_useful(const char *path, mode_t mode, unsigned access) {
        bool directory = S_ISDIR(mode);
        int one = R_OK, other = directory ? X_OK : R_OK;

        if (access & GRANT_WRITE)
                one = other = directory ? W_OK | X_OK : W_OK;
        else if (access & GRANT_EXEC) {
                one = X_OK;
                other = directory ? X_OK : R_OK;
        }
        return faccessat(AT_FDCWD, path, one, AT_EACCESS) == 0 ||
               (other != one && faccessat(AT_FDCWD, path, other, AT_EACCESS) == 0);
}

/* A grant that file permissions make useless for the run's ids is refused, not discovered later by
 * a program that fails. Landlock has no say in access(2), so this is file permissions alone. */
int step_grants(Worker *worker) {
        const Plan *plan = worker->plan;

        for (size_t i = 0; i < plan->n_opened; i++) {
                const OpenedGrant *opened = &plan->opened[i];
                const Grant *grant = &plan->policy->grants[opened->grant];
                struct stat st;

                if (opened->is_part || (grant->implicit && grant->optional))
                        continue;
                if (stat(grant->path, &st) < 0 ||
                    !is_useful(grant->path, st.st_mode, grant->access)) {
                        worker->detail = opened->grant;
                        return -errno;
                }
        }
        return 0;
}

int step_landlock(Worker *worker) {
        uint32_t flags =
                rights_restrict_flags(worker->plan->landlock_abi, worker->plan->denial_logged);
        int r;

        r = kernel_landlock_restrict_self(worker->ruleset_fd, flags);
        if (r == -EINVAL && flags != 0) /* they only ask for log messages */
                r = kernel_landlock_restrict_self(worker->ruleset_fd, 0);
        if (r < 0)
                return r;
        worker->ruleset_fd = fd_close(worker->ruleset_fd);
        return 0;
}

/* No grant can cover the root directory itself, so opening it must fail. What Landlock denies is
 * told as a number in which this is one. */
int step_landlock_check(Worker *worker _unused_) {
        _cleanup_close_ int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        return fd < 0 && errno == EACCES ? 0 : -ENOTRECOVERABLE;
}
