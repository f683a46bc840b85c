/* SPDX-License-Identifier: MIT */
/* TasksMax= and MemoryMax= of the slices above a run. */
#include "supervisor/slice-counts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/cgroup.h"

#define CGROUP_PATH_MAX 4096

static uint64_t read_at(const char *path, const char *name, const char *key) {
        char file[CGROUP_PATH_MAX + 32];
        uint64_t number = COUNTER_UNKNOWN;

        (void)snprintf(file, sizeof(file), "%s/%s", path, name);
        cgroup_read_value(AT_FDCWD, file, key, &number);
        return number;
}

static uint64_t read_tasks_refused(const char *path) {
        return read_at(path, "pids.events.local", "max"); /* unknown before Linux 6.11 */
}

static uint64_t read_ooms(const char *path) {
        return read_at(path, "memory.events.local", "oom");
}

void slice_counts_note(Run *run) {
        char path[CGROUP_PATH_MAX];

        (void)snprintf(path, sizeof(path), CGROUP_ROOT "%s", run->cgroup);
        while (run->n_slices < SLICES_MAX && cgroup_climb(path))
                run->slices[run->n_slices++] =
                        (SliceCounts){ read_tasks_refused(path), read_ooms(path) };
}

/* How many were counted meanwhile; what cannot be told is none. */
static uint64_t count_since(uint64_t before, uint64_t now) {
        return before == COUNTER_UNKNOWN || now == COUNTER_UNKNOWN || now < before ? 0
                                                                                   : now - before;
}

static bool was_at_limit(const char *path) {
        uint64_t max = read_at(path, "pids.max", ""), peak = read_at(path, "pids.peak", "");

        return max != COUNTER_UNKNOWN && peak != COUNTER_UNKNOWN && peak >= max;
}

void slice_counts_explain_tasks(Run *run) {
        Counters *c = &run->outcome.counters;
        bool elsewhere = c->n_tasks_refused != COUNTER_UNKNOWN && c->n_tasks_refused > 0 &&
                         c->tasks_peak < run_tasks_max(run);
        char path[CGROUP_PATH_MAX];

        (void)snprintf(path, sizeof(path), CGROUP_ROOT "%s", run->cgroup);
        for (size_t i = 0; cgroup_climb(path) && (i < run->n_slices || elsewhere); i++) {
                uint64_t n = i < run->n_slices ? count_since(run->slices[i].n_tasks_refused,
                                                             read_tasks_refused(path))
                                               : 0;

                if (n == 0 && elsewhere && was_at_limit(path))
                        n = c->n_tasks_refused;
                if (n == 0)
                        continue;
                c->n_slice_tasks_refused = n;
                run->outcome.slice_limit = str_format("%s TasksMax", strrchr(path, '/') + 1);
                break;
        }
        if (!elsewhere)
                return;
        c->n_slice_tasks_refused = c->n_tasks_refused;
        c->n_tasks_refused = 0;
}

char *slice_counts_out_of_memory(const Run *run) {
        char path[CGROUP_PATH_MAX];

        (void)snprintf(path, sizeof(path), CGROUP_ROOT "%s", run->cgroup);
        for (size_t i = 0; i < run->n_slices && cgroup_climb(path); i++)
                if (count_since(run->slices[i].n_ooms, read_ooms(path)) > 0)
                        return strdup(strrchr(path, '/') + 1);
        return NULL;
}
