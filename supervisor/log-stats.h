/* SPDX-License-Identifier: MIT */
/* Figures over runs: for all of them, and for those with each label. */
#pragma once

#include <stdio.h>

#include "supervisor/log-print.h"

#define LOG_GROUPS_MAX 1024U /* different labels, and what all others share */
#define LOG_OTHERS     "others"
#define LOG_CAUSES_MAX 16U /* more words than there are, since a user can assert any */

typedef enum LogSample {
        LOG_SAMPLE_DURATION, /* microseconds */
        LOG_SAMPLE_CPU,      /* microseconds */
        LOG_SAMPLE_MEMORY,   /* bytes */
        _LOG_SAMPLE_MAX,
} LogSample;

typedef struct LogSamples {
        uint64_t *values; /* owned; sorted by log_stats_sort() */
        size_t n_values;
        double sum;
} LogSamples;

typedef struct LogGroup {
        char *label; /* KEY=VALUE, or "all"; owned */
        uint64_t n_runs, n_failed, n_denials, n_forged;
        LogSamples samples[_LOG_SAMPLE_MAX];
        struct {
                char word[16];
                uint64_t n;
        } causes[LOG_CAUSES_MAX];
} LogGroup;

typedef struct LogStats {
        LogGroup groups[LOG_GROUPS_MAX]; /* the first one is of all */
        size_t n_groups;
} LogStats;

/* Figures over no runs, or NULL when out of memory. Free with log_stats_free(). */
LogStats *log_stats_new(void);

/* Counts @run in, for all and for each of its labels; a forged one only as forged.
 * Those of too many different labels are counted together. Returns 0 or -ENOMEM. */
int log_stats_add(LogStats *stats, const LogRun *run);

/* Puts the samples of @group into order, as log_samples_percentile() wants them. */
void log_stats_sort(LogGroup *group);

/* The smallest value that @percent of all do not exceed. Returns false if there are no samples. */
bool log_samples_percentile(const LogSamples *samples, unsigned percent, uint64_t *ret);

/* Prints the figures, as JSON or as text. Returns the exit status of a verb. */
int log_stats_print(LogStats *stats, bool json);

/* Prints them in the text format of Prometheus, as the textfile collector of its node_exporter
 * reads it. Returns 0; -EIO if they could not be written. */
int log_metrics_print(LogStats *stats, FILE *stream);

/* Accepts NULL. Returns NULL. */
LogStats *log_stats_free(LogStats *stats);
