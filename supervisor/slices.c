/* SPDX-License-Identifier: MIT */
/* The slice that a run has named, and those between it and confine.slice. What an admin fixed there
 * is what its runs may have; who asks for more is refused. A default is no request: there the
 * slice's limit simply comes first. confine.slice, and what is above it, bounds a sum. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "policy/bandwidth.h"
#include "policy/origin.h"
#include "policy/slice.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/cgroup.h"
#include "supervisor/disk.h"

typedef struct Request {
        Key key;
        const char *file;
        uint64_t value; /* bytes, tasks, or microseconds of CPU per second; what is kept for us
                           included */
        uint64_t ours;
        const char *text; /* of a bandwidth, its disk, and its word in the file; else NULL */
        const char *disk;
        const char *word;
} Request;

typedef struct Above {
        const char *path; /* of the scope's cgroup */
        const Settings *settings;
        const Facts *facts;
        const Policy *policy;
        Outcome *outcome;
} Above;

static int refuse(const Above *above, const Request *request, const char *slice, uint64_t found) {
        const KeyInfo *info = key_info(request->key);
        const char *text =
                request->text ? request->text : settings_last(above->settings, request->key)->value;
        char most[VALUE_FORMAT_SIZE];

        value_format_number(request->disk ? VALUE_SIZE : info->type, NULL,
                            found > request->ours ? found - request->ours : 0, most);
        return outcome_fail(
                above->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                "'%s=%.256s' (%s) is more than '%s', which the run is in, has for all "
                "of its runs: ask for %s or less, name another slice, or let an admin "
                "raise it there",
                info->name, text,
                origin_find(above->settings, above->facts, above->policy, request->key, text),
                slice, most);
}

/* Compares @request with every slice of the run's own. */
static int check(const Above *above, const Request *request) {
        _cleanup_free_ char *full = str_format("%s%s", CGROUP_ROOT, above->path);
        char text[8192];

        if (!full)
                return -ENOMEM;
        while (cgroup_climb(full) && strcmp(strrchr(full, '/') + 1, SLICE_TOP) != 0) {
                _cleanup_free_ char *file = str_format("%s/%s", full, request->file);
                uint64_t found;
                ssize_t n;

                if (!file)
                        return -ENOMEM;
                n = fd_read_file(AT_FDCWD, file, text, sizeof(text));
                if (n == -ENOENT)
                        continue; /* the controller ends above: the scope's own limit fails */
                if (n < 0)
                        return outcome_fail(above->outcome, CAUSE_ERROR, ERROR_CREATION,
                                            "cannot read '%s': %s", file, strerror((int)-n));
                found = request->disk ? disk_limit(text, request->disk, request->word)
                                      : cgroup_parse_limit(text);
                if (found < request->value)
                        return refuse(above, request, strrchr(full, '/') + 1, found);
        }
        return 0;
}

static int check_bandwidths(const Above *above, Key key, char *const *bandwidths,
                            const char *word) {
        for (; *bandwidths; bandwidths++) {
                Request request = {
                        .key = key, .file = "io.max", .text = *bandwidths, .word = word
                };
                _cleanup_free_ char *path = NULL;
                char disk[DISK_SIZE];
                int r;

                r = bandwidth_split(*bandwidths, &path, &request.value);
                if (r < 0)
                        return r;
                if (disk_find(path, disk) < 0)
                        continue; /* cgroup_check_limits() has tolerated that */
                request.disk = disk;
                r = check(above, &request);
                if (r < 0)
                        return r;
        }
        return 0;
}

int cgroup_check_slices(const char *path, const Settings *settings, const Facts *facts,
                        const Policy *policy, Outcome *outcome) {
        const Above above = { path, settings, facts, policy, outcome };
        const Request requests[] = {
                { .key = KEY_MemoryMax, "memory.max", policy->memory_max_bytes },
                { .key = KEY_MemorySwapMax, "memory.swap.max", policy->memory_swap_max_bytes },
                { .key = KEY_CPUQuota, "cpu.max", policy->cpu_quota_usec_per_sec },
                { .key = KEY_TasksMax, "pids.max", policy->tasks_max + 1, .ours = 1 },
        };
        const char *end = strrchr(path, '/');
        size_t length = strlen(policy->slice);
        int r = 0;

        if (!end || (size_t)(end - path) <= length || end[-(ptrdiff_t)length - 1] != '/' ||
            memcmp(end - length, policy->slice, length) != 0)
                return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "Slice=%s is not in force, the scope is in '%s': look for a "
                                    "drop-in in confine-.scope.d that moves it" DOCTOR_HINT,
                                    policy->slice, path);
        if (strcmp(policy->slice, SLICE_TOP) == 0)
                return 0;
        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(requests); i++)
                if (settings_last(settings, requests[i].key))
                        r = check(&above, &requests[i]);
        if (r == 0)
                r = check_bandwidths(&above, KEY_IOReadBandwidthMax, policy->io_read_bandwidth_max,
                                     " rbps=");
        if (r == 0)
                r = check_bandwidths(&above, KEY_IOWriteBandwidthMax,
                                     policy->io_write_bandwidth_max, " wbps=");
        return r;
}
