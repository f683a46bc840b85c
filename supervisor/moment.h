/* SPDX-License-Identifier: MIT */
/* What happens to a run between its start and its end, told to the journal when it happens. The end
 * record says it again, so that nothing is waited for here, and nothing fails by it. */
#pragma once

#include "supervisor/run.h"

typedef enum Moment {
        MOMENT_MEMORY,  /* MemoryMax is reached */
        MOMENT_RUNTIME, /* RuntimeMaxSec is */
        MOMENT_TASKS,   /* TasksMax is, for the first time */
        MOMENT_DISK,    /* DiskMax was, at the end */
        MOMENT_ORPHAN,  /* processes survive their kill */
        MOMENT_KILLED,  /* somebody ended it by `confine kill` */
        _MOMENT_MAX,
} Moment;

/* Records @moment, once in a run. */
void moment_record(Run *run, Moment moment);

/* Records what is known of the outcome once the end has its name. */
void moment_record_outcome(Run *run);

/* Opens what tells by POLLPRI that TasksMax refused something, run->tasks_fd, if something counts
 * it. */
void moment_watch_tasks(Run *run);

/* Looks behind it when it polls so, and records that moment; closes it when it has no more to tell.
 */
void moment_read_tasks(Run *run);
