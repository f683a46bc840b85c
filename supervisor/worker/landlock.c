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

static int add_grants(int ruleset_fd, const Plan *plan, int *ret_detail) {
        const Policy *policy = plan->policy;

        for (size_t i = 0; i < policy->n_grants; i++) {
                int r;

                if (plan->grant_fds[i] < 0)
                        continue;
                r = add_rule(ruleset_fd, plan->grant_fds[i], policy->grants[i].access,
                             plan->landlock_abi);
                if (r < 0) {
                        *ret_detail = (int)i;
                        return r;
                }
        }
        return 0;
}

int step_ruleset(Worker *worker) {
        const Plan *plan = worker->plan;
        const LandlockRulesetAttr attr = {
                .handled_access_fs = rights_handled_fs(plan->landlock_abi),
                /* A handled right is denied without a rule for each single port. */
                .handled_access_net =
                        plan->policy->network ? 0 : rights_handled_net(plan->landlock_abi),
                .scoped = rights_scoped(plan->landlock_abi),
        };
        _cleanup_close_ int ruleset_fd = -EBADF;
        int r;

        ruleset_fd = kernel_landlock_create_ruleset(&attr);
        if (ruleset_fd < 0)
                return ruleset_fd;
        r = add_base(ruleset_fd, plan);
        if (r < 0)
                return r;
        r = add_grants(ruleset_fd, plan, &worker->detail);
        if (r < 0)
                return r;
        worker->ruleset_fd = TAKE_FD(ruleset_fd);
        return 0;
}

/* A grant that file permissions make useless for the run's ids is refused, not discovered later by
 * a program that fails. Landlock has no say in access(2), so this is file permissions alone. */
int step_grants(Worker *worker) {
        const Plan *plan = worker->plan;
        const Policy *policy = plan->policy;

        for (size_t i = 0; i < policy->n_grants; i++) {
                const Grant *grant = &policy->grants[i];
                int mode = R_OK;

                if (plan->grant_fds[i] < 0)
                        continue;
                if (grant->access & GRANT_WRITE)
                        mode = W_OK;
                if (faccessat(AT_FDCWD, grant->path, mode, AT_EACCESS) < 0) {
                        worker->detail = (int)i;
                        return -errno;
                }
        }
        return 0;
}

int step_landlock(Worker *worker) {
        const Plan *plan = worker->plan;
        _cleanup_close_ int fd = -EBADF;
        int r;

        r = kernel_landlock_restrict_self(worker->ruleset_fd,
                                          rights_restrict_flags(plan->landlock_abi));
        if (r < 0)
                return r;
        worker->ruleset_fd = fd_close(worker->ruleset_fd);
        /* No grant can cover the root directory itself, so this must fail now. */
        fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 || errno != EACCES)
                return -ENOTRECOVERABLE;
        return 0;
}
