/* SPDX-License-Identifier: MIT */
/* Events between start and end. */
#include "supervisor/moment.h"

#include <fcntl.h>
#include <string.h>

#include "supervisor/audit.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/str.h"
#include "supervisor/cgroup.h"
#include "supervisor/record.h"

static const struct {
        RecordEvent event;
        const char *limit;
} moments[_MOMENT_MAX] = {
        [MOMENT_MEMORY] = { RECORD_LIMIT, "MemoryMax" },
        [MOMENT_RUNTIME] = { RECORD_LIMIT, "RuntimeMaxSec" },
        [MOMENT_TASKS] = { RECORD_LIMIT, "TasksMax" },
        [MOMENT_DISK] = { RECORD_LIMIT, "DiskMax" },
        [MOMENT_ORPHAN] = { RECORD_ORPHAN, NULL },
        [MOMENT_KILLED] = { RECORD_KILLED_BY, NULL },
};

void moment_record(Run *run, Moment moment) {
        _cleanup_(audit_entry_done) AuditEntry entry = { 0 };
        _cleanup_(record_done) Record record = { 0 };
        int r;

        if (run->moments_told & 1U << moment || run->audit_fd < 0 || !run->start_recorded)
                return;
        run->moments_told |= 1U << moment;
        run->limit_reached = moments[moment].limit;
        r = record_build(run, moments[moment].event, &record);
        if (r == 0)
                r = audit_format(&record, run->unit, run->facts.system_manager, &entry);
        if (r == 0)
                (void)audit_send(run->audit_fd, &entry, clock_now_usec()); /* full: see above */
}

void moment_record_outcome(Run *run) {
        const Outcome *o = &run->outcome;

        for (Moment i = MOMENT_MEMORY; i <= MOMENT_RUNTIME; i++)
                if (o->limit && strcmp(o->limit, moments[i].limit) == 0)
                        moment_record(run, i);
        if (o->counters.n_tasks_refused != COUNTER_UNKNOWN && o->counters.n_tasks_refused > 0)
                moment_record(run, MOMENT_TASKS);
        if (o->counters.disk_is_full == 1)
                moment_record(run, MOMENT_DISK);
        if (o->killed_by_uid != COUNTER_UNKNOWN)
                moment_record(run, MOMENT_KILLED);
        if (o->orphaned)
                moment_record(run, MOMENT_ORPHAN);
}

void moment_read_tasks(Run *run) {
        static const char key[] = "max ";
        uint64_t peak = COUNTER_UNKNOWN, n;
        char text[64] = "";

        /* Each reading makes poll(2) wait for the next change: kernfs_generic_poll() of the kernel.
         * If the cgroup is gone it would be polled for ever. */
        if (pread(run->tasks_fd, text, sizeof(text) - 1, 0) > 0 &&
            strncmp(text, key, strlen(key)) == 0 && str_read_number(text + strlen(key), NULL, &n) &&
            n == 0)
                return;
        /* Before Linux 6.11 what a slice refused counts here too; the end tells it then. */
        cgroup_read_value(run->leaf_fd, "pids.peak", "", &peak);
        if (strncmp(text, key, strlen(key)) == 0 && peak >= run_tasks_max(run))
                moment_record(run, MOMENT_TASKS);
        run->tasks_fd = fd_close(run->tasks_fd);
}

void moment_watch_tasks(Run *run) {
        run->tasks_fd = openat(run->leaf_fd, "pids.events", O_RDONLY | O_CLOEXEC);
        if (run->tasks_fd >= 0)
                moment_read_tasks(run);
}
