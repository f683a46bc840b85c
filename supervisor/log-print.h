/* SPDX-License-Identifier: MIT */
/* What `confine log` shows: a line or a JSON object for each run. */
#pragma once

#include "supervisor/log-entry.h"

/* A run, as its last record tells it. */
typedef struct LogRun {
        const LogEntry *entry;
        LogTrust trust;
        LogState state;
} LogRun;

/* Prints the heading of the lines. */
void log_print_heading(void);

/* Prints a line for @run. @colour: what failed or is forged stands out. */
void log_print_line(const LogRun *run, bool colour);

/* Prints one JSON object for @run, on a line. Returns 0; -ENOPKG without its library; -ENOMEM. */
int log_print_json(const LogRun *run);
