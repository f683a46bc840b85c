/* SPDX-License-Identifier: MIT */
/* A process by number and start time: numbers are used again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct ProcessMark {
        pid_t pid;      /* 0: nobody knows */
        uint64_t start; /* clock ticks since the boot, as in /proc/PID/stat */
} ProcessMark;

/* Marks the process @pid. Returns 0 and *ret, or a negative errno: -ENOENT, -ESRCH if it has ended,
 * also if nobody has waited for it yet.
 * Source: proc_pid_stat(5). */
int process_mark(pid_t pid, ProcessMark *ret);

/* Whether the process that @mark is of has not ended. Where its start time cannot be read, whoever
 * has its number is taken for it: what is called dead is killed. */
bool process_mark_alive(const ProcessMark *mark);
