/* SPDX-License-Identifier: MIT */
/* The limits of the scope, read back from its cgroup before the program may start. */
#include "supervisor/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "doctor/probe.h"
#include "policy/bandwidth.h"
#include "policy/capabilities.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/disk.h"

/* One limit to read back. cpu.max is "QUOTA PERIOD", io.weight "default WEIGHT", the others one
 * number; "max" is none. */
typedef struct LimitCheck {
        Key key;
        const char *file;
        uint64_t wanted; /* bytes, tasks, a weight, or microseconds of CPU per second */
        uint64_t *found; /* NULL: nobody else asks */
} LimitCheck;

/* What is checked, and where. */
typedef struct ScopeDir {
        int fd;
        const char *path;
        bool system;
        const Policy *policy;
        Outcome *outcome;
} ScopeDir;

uint64_t cgroup_parse_limit(const char *text) {
        uint64_t value, period;
        const char *end;

        if (!str_read_number(text + (strncmp(text, "default ", 8) == 0 ? 8 : 0), &end, &value))
                return UINT64_MAX; /* "max" */
        if (!str_read_number(end, NULL, &period) || period == 0)
                return value;
        return value * USEC_PER_SEC / period;
}

static int tolerate(const ScopeDir *scope, Key key) {
        scope->outcome->best_effort = true;
        scope->outcome->keys_missing |= UINT64_C(1) << key;
        return 0;
}

static int fail_missing(const ScopeDir *scope, Key key, const char *file) {
        const char *controller = capability_of(key)->controller;

        if (scope->policy->enforcement == ENFORCEMENT_BEST_EFFORT)
                return tolerate(scope, key);
        return outcome_fail(scope->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                            "cgroup controller '%s' is not available to the %s manager, so %s= "
                            "cannot be enforced ('%s' has no %s): %s, without "
                            "DisableControllers= on confine.slice" NO_SANDBOX_HINT,
                            controller, scope->system ? "system" : "user", key_info(key)->name,
                            scope->path, file,
                            scope->system                   ? "boot without cgroup_disable= for it"
                            : strcmp(controller, "io") == 0 ? PUT_DELEGATE("cpu io memory pids")
                                                            : PUT_DELEGATE("cpu memory pids"));
}

static int check_limit(const ScopeDir *scope, const LimitCheck *check) {
        const char *name = strrchr(scope->path, '/');
        char text[64];
        uint64_t found;
        ssize_t n;

        n = fd_read_file(scope->fd, check->file, text, sizeof(text));
        if (n == -ENOENT)
                return fail_missing(scope, check->key, check->file);
        if (n < 0)
                return outcome_fail(scope->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot read '%s' of '%s' back: %s", check->file, scope->path,
                                    strerror((int)-n));
        found = cgroup_parse_limit(text);
        if (check->found)
                *check->found = found;
        if (found <= check->wanted)
                return 0;
        return outcome_fail(scope->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                            "%s= is not in force: '%s' of '%s' reads '%s': look for a drop-in in "
                            "confine-.scope.d that raises it ('systemctl %scat %s')" DOCTOR_HINT,
                            key_info(check->key)->name, check->file, scope->path, text,
                            scope->system ? "" : "--user ", name ? name + 1 : scope->path);
}

static int check_io_weight(const ScopeDir *scope) {
        if (probe_io_weight())
                return 0;
        if (scope->policy->enforcement == ENFORCEMENT_BEST_EFFORT)
                return tolerate(scope, KEY_IOWeight);
        return outcome_fail(
                scope->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                "IOWeight= has no effect here, no block device has the BFQ scheduler "
                "or iocost: write bfq to /sys/block/DEVICE/queue/scheduler, use "
                "IOReadBandwidthMax= and IOWriteBandwidthMax=, or leave it out" DOCTOR_HINT);
}

/* systemd leaves out what it cannot find, and goes on. */
static int check_bandwidths(const ScopeDir *scope, Key key, char *const *bandwidths,
                            const char *word) {
        char text[8192], disk[DISK_SIZE];
        ssize_t n;

        if (!*bandwidths)
                return 0;
        n = fd_read_file(scope->fd, "io.max", text, sizeof(text));
        if (n == -ENOENT)
                return fail_missing(scope, key, "io.max");
        if (n < 0)
                return outcome_fail(scope->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot read 'io.max' of '%s' back: %s", scope->path,
                                    strerror((int)-n));
        for (; *bandwidths; bandwidths++) {
                _cleanup_free_ char *path = NULL;
                uint64_t bytes_per_sec;
                int r;

                r = bandwidth_split(*bandwidths, &path, &bytes_per_sec);
                if (r < 0)
                        return r;
                r = disk_find(path, disk);
                if (r == 0 && disk_limit(text, disk, word) <= bytes_per_sec)
                        continue;
                return outcome_fail(scope->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "%s= is not in force for '%s' (%s): name a disk such as "
                                    "/dev/sda, or what lies on one",
                                    key_info(key)->name, path,
                                    r == -ENODEV ? "it lies on no single disk"
                                    : r < 0      ? strerror(-r)
                                                 : "its disk has none, or more by another path");
        }
        return 0;
}

int cgroup_check_limits(int scope_fd, const char *path, bool system, const Policy *policy,
                        Outcome *outcome) {
        LimitsFound *found = &outcome->limits;
        const LimitCheck checks[] = {
                { KEY_MemoryMax, "memory.max", policy->memory_max_bytes, &found->memory_max_bytes },
                { KEY_MemorySwapMax, "memory.swap.max", policy->memory_swap_max_bytes,
                  &found->memory_swap_max_bytes },
                { KEY_TasksMax, "pids.max", policy->tasks_max + 1, &found->tasks_max },
                { KEY_CPUQuota, "cpu.max", policy->cpu_quota_usec_per_sec,
                  &found->cpu_quota_usec_per_sec },
                { KEY_CPUWeight, "cpu.weight", policy->cpu_weight, NULL },
                { KEY_IOWeight, "io.weight", policy->io_weight, NULL },
        };
        const ScopeDir scope = { scope_fd, path, system, policy, outcome };
        int r;

        for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
                if (checks[i].wanted == LIMIT_UNSET)
                        continue;
                r = check_limit(&scope, &checks[i]);
                if (r < 0)
                        return r;
        }
        if (policy->io_weight != LIMIT_UNSET) {
                r = check_io_weight(&scope);
                if (r < 0)
                        return r;
        }
        r = check_bandwidths(&scope, KEY_IOReadBandwidthMax, policy->io_read_bandwidth_max,
                             " rbps=");
        if (r < 0)
                return r;
        r = check_bandwidths(&scope, KEY_IOWriteBandwidthMax, policy->io_write_bandwidth_max,
                             " wbps=");
        if (r < 0)
                return r;
        if (found->tasks_max != COUNTER_UNKNOWN && found->tasks_max > 0)
                found->tasks_max--; /* one is for the keeper */
        return 0;
}
