/* SPDX-License-Identifier: MIT */
/* Figures over runs: for all, and for each label. */
#include "supervisor/log-stats.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/report.h"

static const char fields[_LOG_SAMPLE_MAX][32] = {
        "CONFINE_DURATION_USEC",
        "CONFINE_CPU_USEC",
        "CONFINE_MEMORY_PEAK_BYTES",
};

LogStats *log_stats_free(LogStats *stats) {
        for (size_t i = 0; stats && i < stats->n_groups; i++) {
                free(stats->groups[i].label);
                for (size_t j = 0; j < _LOG_SAMPLE_MAX; j++)
                        free(stats->groups[i].samples[j].values);
        }
        free(stats);
        return NULL;
}

static int find_group(LogStats *stats, const char *label, LogGroup **ret) {
        for (size_t i = 0; i < stats->n_groups; i++)
                if (strcmp(stats->groups[i].label, label) == 0) {
                        *ret = &stats->groups[i];
                        return 0;
                }
        if (stats->n_groups == LOG_GROUPS_MAX) {
                *ret = &stats->groups[LOG_GROUPS_MAX - 1];
                return 0;
        }
        *ret = &stats->groups[stats->n_groups];
        (*ret)->label = strdup(stats->n_groups == LOG_GROUPS_MAX - 1 ? LOG_OTHERS : label);
        if (!(*ret)->label)
                return -ENOMEM;
        stats->n_groups++;
        return 0;
}

LogStats *log_stats_new(void) {
        LogStats *stats = calloc(1, sizeof(LogStats));
        LogGroup *all;

        if (stats && find_group(stats, "all", &all) < 0)
                return log_stats_free(stats);
        return stats;
}

static int add_sample(LogSamples *samples, uint64_t value) {
        /* Grown by doubling: at each power of two. */
        if ((samples->n_values & (samples->n_values - 1)) == 0) {
                size_t n = samples->n_values ? 2 * samples->n_values : 1;
                uint64_t *grown = reallocarray(samples->values, n, sizeof(uint64_t));

                if (!grown)
                        return -ENOMEM;
                samples->values = grown;
        }
        samples->values[samples->n_values++] = value;
        samples->sum += (double)value;
        return 0;
}

/* What a user asserts may be any word. */
static void count_cause(LogGroup *group, const char *cause) {
        char word[sizeof(group->causes[0].word)];

        (void)snprintf(word, sizeof(word), "%s", cause);
        str_make_printable(word);
        for (size_t i = 0; i < LOG_CAUSES_MAX; i++) {
                if (group->causes[i].n == 0)
                        memcpy(group->causes[i].word, word, sizeof(word));
                if (strcmp(group->causes[i].word, word) == 0) {
                        group->causes[i].n++;
                        return;
                }
        }
}

static int count(LogGroup *group, const LogRun *run) {
        const char *cause = log_entry_cause(run->entry, run->state);
        uint64_t number;

        if (run->trust == LOG_FORGED) {
                group->n_forged++;
                return 0;
        }
        group->n_runs++;
        if ((strcmp(cause, "exit") != 0 && strcmp(cause, "running") != 0 &&
             strcmp(cause, "no-sandbox") != 0) ||
            log_entry_get(run->entry, "CONFINE_EXIT_STATUS")[0] > '0')
                group->n_failed++;
        count_cause(group, cause);
        if (log_entry_denials(run->entry, &number))
                group->n_denials += number;
        for (size_t i = 0; i < _LOG_SAMPLE_MAX; i++)
                if (str_read_number(log_entry_get(run->entry, fields[i]), NULL, &number) &&
                    add_sample(&group->samples[i], number) < 0)
                        return -ENOMEM;
        return 0;
}

/* @is_other: the run was counted among the others, once is enough. */
static int count_label(LogStats *stats, const LogRun *run, const LogField *field, bool *is_other) {
        const char *key = field->name + strlen(LOG_LABEL);
        _cleanup_free_ char *label = str_format("%s=%s", key, field->value);
        const LogGroup *others = &stats->groups[LOG_GROUPS_MAX - 1];
        LogGroup *group;
        int r;

        if (!label)
                return -ENOMEM;
        for (char *at = label; *at != '='; at++)
                if (*at >= 'A' && *at <= 'Z')
                        *at = (char)(*at - 'A' + 'a');
        str_make_printable(label);
        r = find_group(stats, label, &group);
        if (r < 0 || (group == others && *is_other))
                return r;
        *is_other |= group == others;
        return count(group, run);
}

int log_stats_add(LogStats *stats, const LogRun *run) {
        bool is_other = false;
        int r = count(&stats->groups[0], run);

        for (size_t i = 0; r == 0 && run->trust != LOG_FORGED && i < run->entry->n_fields; i++)
                if (strncmp(run->entry->fields[i].name, LOG_LABEL, strlen(LOG_LABEL)) == 0)
                        r = count_label(stats, run, &run->entry->fields[i], &is_other);
        return r;
}

static int compare(const void *a, const void *b) {
        const uint64_t *left = a, *right = b;

        return (*left > *right) - (*left < *right);
}

void log_stats_sort(LogGroup *group) {
        for (size_t i = 0; i < _LOG_SAMPLE_MAX; i++)
                if (group->samples[i].n_values)
                        qsort(group->samples[i].values, group->samples[i].n_values,
                              sizeof(uint64_t), compare);
}

/* By the nearest rank. */
bool log_samples_percentile(const LogSamples *samples, unsigned percent, uint64_t *ret) {
        size_t rank = (samples->n_values * percent + 99) / 100;

        if (rank > 0)
                *ret = samples->values[rank - 1];
        return rank > 0;
}

static void add_percentile(Report *report, const LogSamples *samples, unsigned percent) {
        uint64_t value;

        if (log_samples_percentile(samples, percent, &value))
                report_addf(report, "%" PRIu64, value);
        else
                report_add(report, NULL);
}

static void add_causes(Report *report, const LogGroup *group) {
        char text[LOG_CAUSES_MAX * 40] = "";
        size_t length = 0;

        for (size_t i = 0; i < LOG_CAUSES_MAX && group->causes[i].n; i++)
                length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s=%" PRIu64,
                                           i ? " " : "", group->causes[i].word, group->causes[i].n);
        report_add(report, text);
}

int log_stats_print(LogStats *stats, bool json) {
        static const ReportColumn columns[] = {
                { "label", "LABEL", false },
                { "runs", "RUNS", true },
                { "failed", "FAILED", true },
                { "forged", "FORGED", true },
                { "causes", "CAUSES", false },
                { "denials", "DENIED", true },
                { "duration_usec_p50", "USEC P50", true },
                { "duration_usec_p95", "P95", true },
                { "duration_usec_max", "MAX", true },
                { "cpu_usec_p50", "CPU USEC P50", true },
                { "cpu_usec_p95", "P95", true },
                { "cpu_usec_max", "MAX", true },
                { "memory_bytes_p50", "MEMORY BYTES P50", true },
                { "memory_bytes_p95", "P95", true },
                { "memory_bytes_max", "MAX", true },
        };
        _cleanup_(report_done) Report report = { 0 };

        report_begin(&report, "stats", columns, ARRAY_SIZE(columns), false);
        for (size_t i = 0; i < stats->n_groups; i++) {
                LogGroup *group = &stats->groups[i];

                report_add(&report, group->label);
                report_addf(&report, "%" PRIu64, group->n_runs);
                report_addf(&report, "%" PRIu64, group->n_failed);
                report_addf(&report, "%" PRIu64, group->n_forged);
                add_causes(&report, group);
                report_addf(&report, "%" PRIu64, group->n_denials);
                log_stats_sort(group);
                for (size_t j = 0; j < _LOG_SAMPLE_MAX; j++) {
                        add_percentile(&report, &group->samples[j], 50);
                        add_percentile(&report, &group->samples[j], 95);
                        add_percentile(&report, &group->samples[j], 100);
                }
        }
        return report_print(&report, json);
}
