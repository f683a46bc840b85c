/* SPDX-License-Identifier: MIT */
/* The end record of a run that was reaped. */
#include "supervisor/reaped.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/xattr.h>

#include "supervisor/attributes.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/record.h"

#define RECORD_TIMEOUT_USEC (5 * USEC_PER_SEC)

/* Whether what its cgroup says is the word of the caller or of root. */
static bool is_own(const Sandbox *sandbox) {
        return sandbox->system || sandbox->owner == geteuid();
}

void reaped_look(const Sandbox *sandbox, Reaped *ret) {
        _cleanup_close_ int scope_fd = sandbox_open(sandbox), leaf_fd = -EBADF;
        const Outcome none = outcome_init();
        int r;

        *ret = (Reaped){ .counters = none.counters };
        if (scope_fd < 0)
                return;
        leaf_fd = openat(scope_fd, CGROUP_LEAF, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (leaf_fd < 0 || cgroup_populated(leaf_fd) <= 0)
                return;
        /* Not a lock on the directory: anybody may open that, and could keep the record away. So
         * could a user whose cgroup it is, with the attribute, or others up to their limit. */
        r = fsetxattr(scope_fd, ATTRIBUTE_REAPED, "1", 1, XATTR_CREATE);
        if (r < 0 && is_own(sandbox))
                return;
        ret->sandbox = sandbox;
        cgroup_read_counters(scope_fd, leaf_fd, &ret->counters);
        ret->counters.n_killed_after_exit = cgroup_count(leaf_fd);
}

/* What its cgroup says of a user's run is the user's word, which root does not pass on as its own.
 */
static void take_over(Run *run, const Sandbox *sandbox, Policy *policy) {
        bool own = is_own(sandbox);
        uint64_t now = clock_now_usec();
        Outcome *o = &run->outcome;

        run->facts.system_manager = sandbox->system;
        (void)snprintf(run->id, sizeof(run->id), "%s", sandbox->id);
        (void)snprintf(run->unit, sizeof(run->unit), "confine-%s.scope", sandbox->id);
        /* Not the owner's, in root's own managers. */
        run->identity.uid =
                own && sandbox->uid != COUNTER_UNKNOWN ? (uid_t)sandbox->uid : sandbox->owner;
        o->duration_usec =
                own && sandbox->started_usec <= now ? now - sandbox->started_usec : COUNTER_UNKNOWN;
        if (!own)
                return;
        if (sandbox->labels)
                policy->labels = sandbox->labels;
        memcpy(run->command_sha256, sandbox->command_sha256, sizeof(run->command_sha256));
        memcpy(run->policy_sha256, sandbox->policy_sha256, sizeof(run->policy_sha256));
}

void reaped_record(const Invocation *invocation, const Reaped *reaped) {
        char *no_labels[] = { NULL };
        Policy policy = { .labels = no_labels };
        _cleanup_(run_done) Run run;
        int fd, r;

        if (!reaped->sandbox)
                return;
        fd = sandbox_open(reaped->sandbox);
        if (fd >= 0) {
                (void)fremovexattr(fd, ATTRIBUTE_REAPED); /* so that a later one records it */
                (void)fd_close(fd);
                return;
        }
        run_init(invocation, &run);
        run.policy = &policy;
        run.outcome.cause = CAUSE_KILLED;
        run.outcome.signal = SIGKILL;
        run.outcome.killed_by_uid = geteuid();
        run.outcome.denials_unknown = true;
        run.outcome.counters = reaped->counters;
        run.outcome.message =
                str_format("uid %u ended the run with 'confine reap', its supervisor was gone",
                           (unsigned)geteuid());
        take_over(&run, reaped->sandbox, &policy);
        r = audit_store(&run, RECORD_REAPED, RECORD_TIMEOUT_USEC);
        if (r < 0)
                log_line("the end of '%s' could not be recorded: %s, ignoring", run.unit,
                         strerror(-r));
}
