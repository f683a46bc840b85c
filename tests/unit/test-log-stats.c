/* SPDX-License-Identifier: MIT */
/* supervisor/log-stats.c, log-metrics.c: S19, the figures over runs that are known, each of them
 * exact. */
#include "supervisor/log-stats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/tap.h"

#define FIELDS_MAX 8

/* A record, authentic and of a run that ended unless it is said otherwise. */
typedef struct Row {
        LogState state;
        LogTrust trust;
        const char *fields[FIELDS_MAX];
} Row;

static void stats_freep(LogStats **stats) {
        *stats = log_stats_free(*stats);
}

static LogStats *new_stats(void) {
        LogStats *stats = log_stats_new();

        if (!stats)
                bail_out("out of memory");
        return stats;
}

static void add(LogStats *stats, const Row *row) {
        _cleanup_(log_entry_done) LogEntry entry = { 0 };

        for (size_t i = 0; i < FIELDS_MAX && row->fields[i]; i++)
                if (log_entry_add(&entry, row->fields[i], strlen(row->fields[i])) < 0)
                        bail_out("out of memory");
        if (log_stats_add(stats, &(LogRun){ &entry, row->trust, row->state }) < 0)
                bail_out("out of memory");
}

static void add_figures(LogStats *stats, unsigned seconds, unsigned cpu_msec, unsigned kib) {
        char duration[48], cpu[48], memory[48];

        (void)snprintf(duration, sizeof(duration), "CONFINE_DURATION_USEC=%u000000", seconds);
        (void)snprintf(cpu, sizeof(cpu), "CONFINE_CPU_USEC=%u000", cpu_msec);
        (void)snprintf(memory, sizeof(memory), "CONFINE_MEMORY_PEAK_BYTES=%u", 1024 * kib);
        add(stats, &(Row){ .fields = { "CONFINE_CAUSE=exit", "CONFINE_EXIT_STATUS=0", duration, cpu,
                                       memory } });
}

/* Runs of 1 to @n seconds, milliseconds of CPU and KiB, each figure in an order of its own. */
static LogStats *stats_of(unsigned n) {
        LogStats *stats = new_stats();

        for (unsigned i = 0; i < n; i++)
                add_figures(stats, i + 1, n - i, i * 7919 % n + 1);
        return stats;
}

/* @stats as JSON, or in the format of Prometheus. Owned by the caller. */
static char *printed(LogStats *stats, bool as_metrics) {
        char *text = NULL;
        size_t size_bytes = 0;
        FILE *stream = open_memstream(&text, &size_bytes), *saved = stdout;
        int status;

        if (!stream)
                bail_out("out of memory");
        stdout = stream; /* glibc and musl both let it be set */
        status = as_metrics ? log_metrics_print(stats, stream) : log_stats_print(stats, true);
        stdout = saved;
        (void)fclose(stream);
        is_int(status, 0, "they can be printed");
        return text;
}

/* confine(1): the smallest value that the percentage of the runs do not exceed. */
static void test_percentiles(void) {
        static const struct {
                unsigned n, p50, p95;
        } rows[] = {
                { 1, 1, 1 },    { 2, 1, 2 },    { 3, 2, 3 },    { 19, 10, 19 },  { 20, 10, 19 },
                { 21, 11, 20 }, { 40, 20, 38 }, { 41, 21, 39 }, { 100, 50, 95 }, { 1000, 500, 950 },
        };
        static const unsigned units[_LOG_SAMPLE_MAX] = { 1000000, 1000, 1024 };
        LogSamples none = { 0 };
        uint64_t value = 7;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(stats_freep) LogStats *stats = stats_of(rows[i].n);
                LogGroup *group = &stats->groups[0];

                log_stats_sort(group);
                for (LogSample j = 0; j < _LOG_SAMPLE_MAX; j++) {
                        const LogSamples *samples = &group->samples[j];
                        uint64_t p50 = 0, p95 = 0, max = 0;

                        (void)log_samples_percentile(samples, 50, &p50);
                        (void)log_samples_percentile(samples, 95, &p95);
                        (void)log_samples_percentile(samples, 100, &max);
                        is_uint(p50, rows[i].p50 * units[j], "figure %u of %u: p50", j, rows[i].n);
                        is_uint(p95, rows[i].p95 * units[j], "figure %u of %u: p95", j, rows[i].n);
                        is_uint(max, rows[i].n * units[j], "figure %u of %u: max", j, rows[i].n);
                }
        }
        ok(!log_samples_percentile(&none, 50, &value) && value == 7, "none have no percentile");
}

static void test_figures(void) {
        _cleanup_(stats_freep) LogStats *stats = stats_of(40);
        _cleanup_free_ char *json = printed(stats, false), *metrics = printed(stats, true);
        static const char lines[][88] = {
                "\nconfine_run_duration_seconds{label=\"all\",quantile=\"0.5\"} 20\n",
                "\nconfine_run_duration_seconds{label=\"all\",quantile=\"0.95\"} 38\n",
                "\nconfine_run_duration_seconds{label=\"all\",quantile=\"1\"} 40\n",
                "\nconfine_run_duration_seconds_sum{label=\"all\"} 820\n",
                "\nconfine_run_duration_seconds_count{label=\"all\"} 40\n",
                "\nconfine_run_cpu_seconds_sum{label=\"all\"} 0.81999999999999995\n",
                "\nconfine_run_memory_peak_bytes{label=\"all\",quantile=\"0.95\"} 38912\n",
                "\nconfine_run_memory_peak_bytes{label=\"all\",quantile=\"1\"} 40960\n",
                "\nconfine_run_memory_peak_bytes_sum{label=\"all\"} 839680\n",
        };

        is_str(json,
               "{\"stats\":[{\"label\":\"all\",\"runs\":40,\"failed\":0,\"forged\":0,"
               "\"causes\":\"exit=40\",\"denials\":0,"
               "\"duration_usec_p50\":20000000,\"duration_usec_p95\":38000000,"
               "\"duration_usec_max\":40000000,"
               "\"cpu_usec_p50\":20000,\"cpu_usec_p95\":38000,\"cpu_usec_max\":40000,"
               "\"memory_bytes_p50\":20480,\"memory_bytes_p95\":38912,"
               "\"memory_bytes_max\":40960}]}\n",
               "S19: the figures of 40 runs");
        for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
                has_str(metrics, lines[i], "S19: and in the format of Prometheus");
}

/* What each of them is counted as, for all and for its label. */
static void test_counts(void) {
        static const Row rows[] = {
                { .fields = { "CONFINE_CAUSE=exit", "CONFINE_EXIT_STATUS=0", "CONFINE_LABEL_T=a",
                              "CONFINE_DURATION_USEC=100", "CONFINE_CPU_USEC=10" } },
                { .fields = { "CONFINE_CAUSE=exit", "CONFINE_EXIT_STATUS=3", "CONFINE_LABEL_T=a",
                              "CONFINE_DURATION_USEC=300", "CONFINE_NETWORK_DENIALS=5" } },
                { .fields = { "CONFINE_CAUSE=limit", "CONFINE_LABEL_T=b", "CONFINE_EXEC_DENIALS=1",
                              "CONFINE_PROCESS_DENIALS=20", "CONFINE_LOCAL_DENIALS=300",
                              "CONFINE_INSPECT_DENIALS=4000", "CONFINE_MEMORY_PEAK_BYTES=7" } },
                { .state = LOG_NO_END, .fields = { "CONFINE_EVENT=start", "CONFINE_LABEL_T=b" } },
                { .state = LOG_RUNNING, .fields = { "CONFINE_EVENT=start" } },
                { .fields = { "CONFINE_EVENT=no-sandbox", "CONFINE_DURATION_USEC=200" } },
                { .fields = { "CONFINE_EVENT=refused", "CONFINE_CAUSE=refused" } },
                { .trust = LOG_FORGED,
                  .fields = { "CONFINE_CAUSE=exit", "CONFINE_EXIT_STATUS=0", "CONFINE_LABEL_T=a",
                              "CONFINE_DURATION_USEC=999", "CONFINE_NETWORK_DENIALS=99" } },
        };
        _cleanup_(stats_freep) LogStats *stats = new_stats();
        _cleanup_free_ char *json = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                add(stats, &rows[i]);
        json = printed(stats, false);
        is_str(json,
               "{\"stats\":[{\"label\":\"all\",\"runs\":7,\"failed\":4,\"forged\":1,"
               "\"causes\":\"exit=2 limit=1 no-end=1 running=1 no-sandbox=1 refused=1\","
               "\"denials\":4326,\"duration_usec_p50\":200,\"duration_usec_p95\":300,"
               "\"duration_usec_max\":300,\"cpu_usec_p50\":10,\"cpu_usec_p95\":10,"
               "\"cpu_usec_max\":10,\"memory_bytes_p50\":7,\"memory_bytes_p95\":7,"
               "\"memory_bytes_max\":7},"
               "{\"label\":\"t=a\",\"runs\":2,\"failed\":1,\"forged\":0,\"causes\":\"exit=2\","
               "\"denials\":5,\"duration_usec_p50\":100,\"duration_usec_p95\":300,"
               "\"duration_usec_max\":300,\"cpu_usec_p50\":10,\"cpu_usec_p95\":10,"
               "\"cpu_usec_max\":10},"
               "{\"label\":\"t=b\",\"runs\":2,\"failed\":2,\"forged\":0,"
               "\"causes\":\"limit=1 no-end=1\",\"denials\":4321,\"memory_bytes_p50\":7,"
               "\"memory_bytes_p95\":7,\"memory_bytes_max\":7}]}\n",
               "S19: what failed, was denied and was forged, by label");
}

static void test_many_labels(void) {
        _cleanup_(stats_freep) LogStats *stats = new_stats();
        char label[48];

        for (unsigned i = 0; i < LOG_GROUPS_MAX - 2; i++) {
                (void)snprintf(label, sizeof(label), "CONFINE_LABEL_N=%u", i);
                add(stats, &(Row){ .fields = { "CONFINE_CAUSE=exit", label } });
        }
        is_uint(stats->n_groups, LOG_GROUPS_MAX - 1, "1022 labels stand for themselves");
        for (unsigned i = 0; i < 3; i++) {
                (void)snprintf(label, sizeof(label), "CONFINE_LABEL_M=%u", i);
                add(stats, &(Row){ .fields = { "CONFINE_CAUSE=exit", label, "CONFINE_LABEL_X=y",
                                               "CONFINE_LABEL_N=0" } });
        }
        is_uint(stats->n_groups, LOG_GROUPS_MAX, "there is an end to them");
        is_str(stats->groups[LOG_GROUPS_MAX - 1].label, LOG_OTHERS, "those from there on");
        is_uint(stats->groups[LOG_GROUPS_MAX - 1].n_runs, 3, "are counted together, a run once");
        is_uint(stats->groups[1].n_runs, 4, "an earlier one still for itself");
        is_uint(stats->groups[0].n_runs, LOG_GROUPS_MAX + 1, "and all of them");
}

/* What a user asserts may be any word. */
static void test_words(void) {
        _cleanup_(stats_freep) LogStats *stats = new_stats();
        _cleanup_free_ char *json = NULL;
        char cause[48];

        add(stats, &(Row){ .trust = LOG_ASSERTED, .fields = { "CONFINE_CAUSE=a\x1b[2Jb" } });
        for (unsigned i = 0; i < 2 * LOG_CAUSES_MAX; i++) {
                (void)snprintf(cause, sizeof(cause), "CONFINE_CAUSE=%u-a-word-that-is-long", i);
                add(stats, &(Row){ .trust = LOG_ASSERTED, .fields = { cause } });
        }
        json = printed(stats, false);
        has_str(json, "\"causes\":\"a?[2Jb=1 0-a-word-that-i=1 ", "B56: a word that may be shown");
        is_uint(stats->groups[0].n_runs, 2 * LOG_CAUSES_MAX + 1, "each run counts");
        ok(!strstr(json, "15-a"), "and there is an end to words");
}

int main(void) {
        test_percentiles();
        test_figures();
        test_counts();
        test_many_labels();
        test_words();
        return done_testing();
}
