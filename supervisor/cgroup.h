/* SPDX-License-Identifier: MIT */
/* The scope's cgroup and the leaf below it: finding, reading limits back, counters, kill, removal.
 * Everything goes through directory descriptors; a path is resolved once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/facts.h"
#include "policy/policy.h"
#include "policy/settings.h"
#include "supervisor/outcome.h"

#define CGROUP_ROOT "/sys/fs/cgroup"
#define CGROUP_LEAF "run" /* below the scope: where the program is */

/* Checks that cgroup v2 is mounted at /sys/fs/cgroup. Returns 0 or -EOPNOTSUPP. */
int cgroup_check_mount(void);

/* Opens the cgroup directory of @pid, which must end in /@unit.
 * Returns the descriptor, owned by the caller; -ESRCH if @pid is elsewhere (*@ret_path says where,
 * to be freed by the caller, also on success); another negative errno. */
int cgroup_open_scope(pid_t pid, const char *unit, char **ret_path);

/* Whether @pid is in the cgroup at @path, itself and not below it. */
bool cgroup_has_process(const char *path, pid_t pid);

/* Where @pid is, which has not been reaped, if that is not the leaf of the scope at @scope, be that
 * still there or removed; for messages, to be freed by the caller. NULL if it is there, or that
 * cannot be told. */
char *cgroup_find_moved(const char *scope, pid_t pid);

/* Reads the limits back from @scope_fd and compares them with @policy. Stricter is fine.
 * A looser limit or a missing controller is a failure in @outcome (CapabilityNotSupported naming
 * controller, value found and fix); under Enforcement=best-effort a missing controller only sets
 * outcome->best_effort. @path and @system are for the message.
 * Returns 0 or a negative errno with @outcome failed. */
int cgroup_check_limits(int scope_fd, const char *path, bool system, const Policy *policy,
                        Outcome *outcome);

/* Makes of @path, which begins with CGROUP_ROOT, the cgroup above it. Returns false once that is
 * the root, which has no limits. */
bool cgroup_climb(char *path);

/* Reads the number of a limit in the @text of its file, "max" as UINT64_MAX; of cpu.max the
 * microseconds per second. */
uint64_t cgroup_parse_limit(const char *text);

/* Checks that the scope at @path is right below policy->slice, and that no limit that @settings
 * asks for, which it was resolved from with @facts, is above that of a slice between that and
 * confine.slice. Returns 0; -ENOMEM; a negative errno with @outcome failed: CapabilityNotSupported,
 * or ConfigurationError naming the slice. */
int cgroup_check_slices(const char *path, const Settings *settings, const Facts *facts,
                        const Policy *policy, Outcome *outcome);

/* Divides the scope behind @scope_fd: @keeper moves to one cgroup below it, @worker to the other,
 * the leaf; controllers are handed down, the leaf is set to die as a whole when memory ends and to
 * refuse more than @tasks_max tasks. A controller that is missing is left to cgroup_check_limits().
 * @keeper and @worker are unreaped children of the caller, so the numbers are theirs.
 * Returns the leaf's directory, owned by the caller; a negative errno with *@reterr_what saying
 * what failed (static). Source: the kernel's cgroup-v2.rst, "No Internal Process Constraint". */
int cgroup_divide(int scope_fd, pid_t keeper, pid_t worker, uint64_t tasks_max,
                  const char **reterr_what);

/* Whether the leaf has a live process: 1, 0, or a negative errno (-ENODEV: it is gone). */
int cgroup_populated(int leaf_fd);

/* How many processes the leaf has now; 0 if that cannot be told. Zombies do not count. */
uint64_t cgroup_count(int leaf_fd);

/* How long a kill may take at least before what is left counts as an orphan, whatever the grace is:
 * a busy machine is no uninterruptible sleep. */
#define ORPHAN_MIN_USEC (5 * USEC_PER_SEC)

/* Kills every process of the leaf at once (cgroup.kill). Returns 0 or a negative errno. */
int cgroup_kill(int leaf_fd);

/* Waits until the leaf is empty. Returns 0; -ETIMEDOUT at @deadline_usec; a negative errno. */
int cgroup_wait_empty(int leaf_fd, uint64_t deadline_usec);

/* Reads the number of @key in the flat-keyed file @name below @dir_fd, or if @key is "" the one
 * that it consists of, into *@ret; what cannot be told, or is "max", stays as it is. */
void cgroup_read_value(int dir_fd, const char *name, const char *key, uint64_t *ret);

/* Reads whether and where memory ended into @counters. Also before the last process is gone: with
 * it systemd removes the scope, and the evidence. What cannot be told stays as it is. */
void cgroup_read_oom(int scope_fd, Counters *counters);

/* Reads what the run used into @counters, OOMs included; what cannot be told stays as it is. */
void cgroup_read_counters(int scope_fd, int leaf_fd, Counters *counters);

/* What a run uses and may use now; COUNTER_UNKNOWN: there is no such controller, or no limit. */
typedef struct CgroupUsage {
        uint64_t memory_bytes;
        uint64_t memory_max_bytes;
        uint64_t cpu_usec;
        uint64_t n_tasks;
        uint64_t tasks_max;
} CgroupUsage;

/* Reads what the run of @scope_fd uses. */
void cgroup_read_usage(int scope_fd, CgroupUsage *ret);

/* Removes the empty leaf below @scope_fd. Returns 0 or a negative errno. */
int cgroup_remove_leaf(int scope_fd);

/* Removes the empty scope @scope_fd at @path below the mount, with its leaf. Returns 0, also if it
 * is gone, or a negative errno. */
int cgroup_remove_scope(const char *path, int scope_fd);

/* Whether the leaf below @scope_fd still exists. */
bool cgroup_has_leaf(int scope_fd);
