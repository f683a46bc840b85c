/* SPDX-License-Identifier: MIT */
/* Figures over runs in the text format of Prometheus. They are gauges: what the journal forgets,
 * they forget. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/log-stats.h"

static const struct {
        const char *name, *help;
        size_t offset; /* in LogGroup, of a uint64_t */
} counts[] = {
        { "confine_runs", "Runs that the journal has.", offsetof(LogGroup, n_runs) },
        { "confine_failed_runs", "Runs that did not exit with status 0.",
          offsetof(LogGroup, n_failed) },
        { "confine_denied_calls", "System calls that the runs were denied.",
          offsetof(LogGroup, n_denials) },
        { "confine_forged_records", "Records that something else than confine sent.",
          offsetof(LogGroup, n_forged) },
};

static const struct {
        const char *name, *help;
        double unit;
} samples[_LOG_SAMPLE_MAX] = {
        [LOG_SAMPLE_DURATION] = { "confine_run_duration_seconds", "How long the runs took.", 1e6 },
        [LOG_SAMPLE_CPU] = { "confine_run_cpu_seconds", "CPU time of the runs.", 1e6 },
        [LOG_SAMPLE_MEMORY] = { "confine_run_memory_peak_bytes", "Most memory of a run at a time.",
                                1 },
};

static void print_head(FILE *stream, const char *name, const char *help, const char *type) {
        (void)fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* NAME{label="TEXT" and no '}' yet. @text is printable: a line, and UTF-8. */
static void print_name(FILE *stream, const char *name, const char *suffix, const char *member,
                       const char *text) {
        (void)fprintf(stream, "%s%s%s\"", name, suffix, member);
        for (; *text; text++)
                (void)fprintf(stream, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
        (void)fputc('"', stream);
}

static void print_samples(FILE *stream, const LogGroup *group, LogSample which) {
        static const unsigned percents[] = { 50, 95, 100 };
        const LogSamples *of = &group->samples[which];
        uint64_t value;

        for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
                if (!log_samples_percentile(of, percents[i], &value))
                        continue;
                print_name(stream, samples[which].name, "", "{label=", group->label);
                (void)fprintf(stream, ",quantile=\"%g\"} %.17g\n", percents[i] / 100.0,
                              (double)value / samples[which].unit);
        }
        print_name(stream, samples[which].name, "_sum", "{label=", group->label);
        (void)fprintf(stream, "} %.17g\n", of->sum / samples[which].unit);
        print_name(stream, samples[which].name, "_count", "{label=", group->label);
        (void)fprintf(stream, "} %zu\n", of->n_values);
}

static void print_causes(FILE *stream, const LogGroup *group) {
        for (size_t i = 0; i < LOG_CAUSES_MAX && group->causes[i].n; i++) {
                print_name(stream, "confine_ended_runs", "", "{label=", group->label);
                print_name(stream, "", "", ",cause=", group->causes[i].word);
                (void)fprintf(stream, "} %" PRIu64 "\n", group->causes[i].n);
        }
}

int log_metrics_print(LogStats *stats, FILE *stream) {
        for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
                print_head(stream, counts[i].name, counts[i].help, "gauge");
                for (size_t j = 0; j < stats->n_groups; j++) {
                        const char *group = (const char *)&stats->groups[j];
                        uint64_t value;

                        memcpy(&value, group + counts[i].offset, sizeof(value));
                        print_name(stream, counts[i].name, "", "{label=", stats->groups[j].label);
                        (void)fprintf(stream, "} %" PRIu64 "\n", value);
                }
        }
        print_head(stream, "confine_ended_runs", "Runs by how they ended.", "gauge");
        for (size_t j = 0; j < stats->n_groups; j++)
                print_causes(stream, &stats->groups[j]);
        for (LogSample i = 0; i < _LOG_SAMPLE_MAX; i++) {
                print_head(stream, samples[i].name, samples[i].help, "summary");
                for (size_t j = 0; j < stats->n_groups; j++) {
                        log_stats_sort(&stats->groups[j]);
                        print_samples(stream, &stats->groups[j], i);
                }
        }
        return fflush(stream) != 0 || ferror(stream) ? -EIO : 0;
}
