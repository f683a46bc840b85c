/* SPDX-License-Identifier: MIT */
/* What the worker's report of a failed step means to the user. */
#include "supervisor/step-failure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/worker/steps.h"

/* What scratch has covered was not granted, and is not there at all. */
static bool is_covered(const Run *run) {
        for (size_t i = 0; i < ARRAY_SIZE(run->view.scratch); i++)
                if (run->view.scratch[i] && str_path_below(run->program.path, run->view.scratch[i]))
                        return true;
        return false;
}

static int fail_exec(Run *run, int error) {
        const char *path = run->program.path;
        _cleanup_free_ char *target = NULL;
        bool leads;

        if (error == ENOENT && is_covered(run))
                error = EACCES;
        if (error == EACCES)
                target = realpath(path, NULL); /* fails: the path alone is told */
        leads = target && strcmp(target, path) != 0;
        (void)outcome_fail(
                &run->outcome, CAUSE_EXEC, ERROR_NONE, "cannot execute '%s': %s: %s%s%s%s", path,
                strerror(error), leads ? "it leads to '" : "", leads ? target : "",
                leads ? "': " : "",
                error != EACCES ? "check that the file and its interpreter are there and fit this "
                                  "machine"
                : leads ? "grant that with --allow-exec= and check its permissions for the uid of "
                          "the run"
                        : "grant it with --allow-exec= and check its permissions for the uid of "
                          "the run");
        run->outcome.exit_status = error == ENOENT ? 127 : 126;
        return -ENOTRECOVERABLE;
}

static int fail_grant(Run *run, const Grant *grant, bool useless, const char *reason) {
        if (useless && grant->implicit)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "file permissions deny the script '%s' to uid %u (%s): change its mode or "
                        "owner, or those of its directories, or choose a uid with --uid=",
                        grant->path, (unsigned)run->identity.uid, reason);
        if (useless)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "%s= '%s' is useless: file permissions deny it to uid %u (%s): change "
                        "its owner or mode, or choose a uid with --uid=",
                        grant->key, grant->path, (unsigned)run->identity.uid, reason);
        return outcome_fail(
                &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                "%s= '%s' cannot be granted: %s: grant a file or directory on a file system "
                "that Landlock supports",
                grant->key, grant->path, reason);
}

static int fail_view(Run *run, const Grant *grant, const char *reason) {
        return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                            "%s= '%s' cannot be made writable in the private view: %s: grant a "
                            "path that stays what it is while the run starts",
                            grant->key, grant->path, reason);
}

int step_limit_failed(Run *run, int resource, const char *reason) {
        static const struct {
                int resource;
                const char *key;
        } keys[] = {
                { RLIMIT_FSIZE, "LimitFSIZE" },
                { RLIMIT_NOFILE, "LimitNOFILE" },
                { RLIMIT_CORE, "LimitCORE" },
                { RLIMIT_STACK, "LimitSTACK" },
        };
        struct rlimit own = { 0 };
        const char *key = "a limit";

        for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
                if (keys[i].resource == resource)
                        key = keys[i].key;
        (void)getrlimit((__rlimit_resource_t)resource, &own); /* unknown resource: 0 is printed */
        if (own.rlim_max == 0)                                /* which no run can have */
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "%s= is above the caller's own hard limit, which is 0 (%s): "
                                    "raise that limit, which only root may",
                                    key, reason);
        return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                            "%s= is above the caller's own hard limit (%s): ask for less with "
                            "-p %s=%llu, or raise that limit, which only root may",
                            key, reason, key, (unsigned long long)own.rlim_max);
}

/* There can be one listener in a chain of filters, and a container manager may have it. */
static int fail_listener(Run *run, int error) {
        return outcome_fail(
                &run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY, "%s",
                error == EBUSY
                        ? "a seccomp listener is in use above this process (a container "
                          "manager's), and there can be only one: run confine outside of it, or "
                          "say -p Enforcement=best-effort" NO_SANDBOX_HINT
                        : "a seccomp listener above this process (a container manager's) decides "
                          "execve itself, so Subprocess=deny cannot be enforced: run confine "
                          "outside of it, or allow processes with --allow-run" NO_SANDBOX_HINT);
}

int step_failed(Run *run, const Message *message) {
        size_t n_steps, step = (size_t)message->step, detail = (size_t)message->detail;
        const WorkerStep *steps = worker_steps(&n_steps);
        bool useless, grant;

        if (step == n_steps)
                return fail_exec(run, message->value);
        useless = step < n_steps && steps[step].apply == step_grants;
        grant = useless || (step < n_steps && steps[step].apply == step_ruleset);
        if (grant && message->detail >= 0 && detail < run->policy->n_grants)
                return fail_grant(run, &run->policy->grants[detail], useless,
                                  strerror(message->value));
        if (step < n_steps && steps[step].apply == step_view && detail < run->policy->n_grants)
                return fail_view(run, &run->policy->grants[detail], strerror(message->value));
        if (step < n_steps && steps[step].apply == step_secrets)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "Secrets= needs memory that is never swapped out, and a ramfs "
                                    "at '%s' is not to be had (%s): leave the secrets out, or run "
                                    "confine outside of the container that forbids it" DOCTOR_HINT,
                                    run->view.credentials, strerror(message->value));
        if (step < n_steps && steps[step].apply == step_limits && message->value == EPERM)
                return step_limit_failed(run, message->detail, strerror(message->value));
        if (step < n_steps && steps[step].apply == step_seccomp_outer &&
            (message->value == EBUSY || message->value == ENOTRECOVERABLE))
                return fail_listener(run, message->value);
        return outcome_fail(
                &run->outcome, CAUSE_ERROR, ERROR_CREATION,
                "step '%s' of the sandbox failed: %s: the kernel or a container around confine "
                "forbids it; see confine(1), DIAGNOSTICS" NO_SANDBOX_HINT,
                step < n_steps ? steps[step].name : "unknown", strerror(message->value));
}
