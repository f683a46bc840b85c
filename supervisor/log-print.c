/* SPDX-License-Identifier: MIT */
/* A run of the journal as a line and as JSON. */
#include "supervisor/log-print.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "policy/json-library.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define CELL_MAX      48
#define ID_SHOWN      "12" /* digits: the others rarely tell runs apart, and --id takes these */
#define COLOUR_RED    "\033[31m"
#define COLOUR_YELLOW "\033[33m"
#define COLOUR_OFF    "\033[0m"

static const char trusts[_LOG_TRUST_MAX][12] = { "authentic", "asserted", "forged" };
static const char states[_LOG_STATE_MAX][12] = { "ended", "running", "no-end", "no-start" };

void log_print_heading(void) {
        (void)printf("%-19s %-12s %-15s %-10s %-6s %9s %9s %8s %6s %s\n", "TIME", "ID", "SENT BY",
                     "CAUSE", "STATUS", "DURATION", "CPU", "MEMORY", "DENIED", "LABELS");
}

/* "1.250s", or "-" for what is not known. */
static void format_seconds(const LogEntry *entry, const char *name, char ret[static CELL_MAX]) {
        uint64_t usec;

        (void)snprintf(ret, CELL_MAX, "-");
        if (str_read_number(log_entry_get(entry, name), NULL, &usec))
                (void)snprintf(ret, CELL_MAX, "%" PRIu64 ".%03" PRIu64 "s", usec / USEC_PER_SEC,
                               usec % USEC_PER_SEC / USEC_PER_MSEC);
}

static void format_memory(const LogEntry *entry, char ret[static CELL_MAX]) {
        uint64_t bytes;

        (void)snprintf(ret, CELL_MAX, "-");
        if (str_read_number(log_entry_get(entry, "CONFINE_MEMORY_PEAK_BYTES"), NULL, &bytes))
                (void)snprintf(ret, CELL_MAX, "%.1fM", (double)bytes / (1 << 20));
}

static void format_denied(const LogEntry *entry, char ret[static CELL_MAX]) {
        uint64_t sum;

        (void)snprintf(ret, CELL_MAX, "-");
        if (log_entry_denials(entry, &sum))
                (void)snprintf(ret, CELL_MAX, "%" PRIu64, sum);
}

static void format_status(const LogEntry *entry, char ret[static CELL_MAX]) {
        const char *status = log_entry_get(entry, "CONFINE_EXIT_STATUS");
        const char *signal = log_entry_get(entry, "CONFINE_SIGNAL");

        (void)snprintf(ret, CELL_MAX, "%s%.8s", signal[0] ? "sig " : "",
                       signal[0]   ? signal
                       : status[0] ? status
                                   : "-");
        str_make_printable(ret);
}

static void format_sender(const LogRun *run, char ret[static CELL_MAX]) {
        const char *uid = log_entry_get(run->entry, "_UID");

        if (run->trust == LOG_AUTHENTIC)
                (void)snprintf(ret, CELL_MAX, "root");
        else
                (void)snprintf(ret, CELL_MAX, "%s%.10s",
                               run->trust == LOG_FORGED ? "FORGED by " : "uid ",
                               uid[0] ? uid : "?");
        str_make_printable(ret); /* a file of the journal may come from anybody */
}

static void format_time(uint64_t realtime_usec, char ret[static CELL_MAX]) {
        time_t seconds = (time_t)(realtime_usec / USEC_PER_SEC);
        struct tm tm;

        if (!localtime_r(&seconds, &tm) || strftime(ret, CELL_MAX, "%Y-%m-%d %H:%M:%S", &tm) == 0)
                (void)snprintf(ret, CELL_MAX, "-");
}

static void print_labels(const LogRun *run) {
        for (size_t i = 0; i < run->entry->n_fields; i++) {
                const LogField *field = &run->entry->fields[i];
                char label[2 * CELL_MAX], *end;

                if (strncmp(field->name, LOG_LABEL, strlen(LOG_LABEL)) != 0)
                        continue;
                (void)snprintf(label, sizeof(label), " %.40s=%.40s",
                               field->name + strlen(LOG_LABEL), field->value);
                end = strchr(label, '=');
                for (char *at = label; at < end; at++)
                        *at = (char)tolower((unsigned char)*at);
                str_make_printable(label);
                (void)fputs(label, stdout);
        }
        if (run->state == LOG_NO_START)
                (void)fputs(" (its start is missing)", stdout);
        if (run->state == LOG_NO_END)
                (void)fputs(" (its end is missing)", stdout);
}

static const char *colour_of(const LogRun *run, const char *cause) {
        if (run->trust == LOG_FORGED || run->state == LOG_NO_END || run->state == LOG_NO_START)
                return COLOUR_RED;
        if (strcmp(cause, "exit") == 0 || strcmp(cause, "running") == 0)
                return log_entry_get(run->entry, "CONFINE_EXIT_STATUS")[0] > '0' ? COLOUR_YELLOW
                                                                                 : "";
        return COLOUR_YELLOW;
}

void log_print_line(const LogRun *run, bool colour) {
        char at[CELL_MAX], id[CELL_MAX], sender[CELL_MAX], cause[CELL_MAX], status[CELL_MAX],
                duration[CELL_MAX], cpu[CELL_MAX], memory[CELL_MAX], denied[CELL_MAX];
        const char *begin;

        format_time(run->entry->realtime_usec, at);
        (void)snprintf(id, sizeof(id), "%." ID_SHOWN "s", log_entry_get(run->entry, "CONFINE_ID"));
        str_make_printable(id);
        format_sender(run, sender);
        (void)snprintf(cause, sizeof(cause), "%.12s", log_entry_cause(run->entry, run->state));
        str_make_printable(cause);
        format_status(run->entry, status);
        format_seconds(run->entry, "CONFINE_DURATION_USEC", duration);
        format_seconds(run->entry, "CONFINE_CPU_USEC", cpu);
        format_memory(run->entry, memory);
        format_denied(run->entry, denied);
        begin = colour ? colour_of(run, cause) : "";
        (void)printf("%s%-19s %-12s %-15s %-10s %-6s %9s %9s %8s %6s", begin, at, id[0] ? id : "-",
                     sender, cause, status, duration, cpu, memory, denied);
        print_labels(run);
        (void)printf("%s\n", begin[0] ? COLOUR_OFF : "");
}

/* A forged field need not be the number that its name says: then it is left out. */
static bool is_number(const char *text) {
        size_t digits = strspn(text, "0123456789");

        return digits > 0 && digits <= 19 && !text[digits] && !(text[0] == '0' && digits > 1);
}

/* What journald says of the sender, as far as it does. */
static bool add_sender(const JsonLibrary *json, cJSON *object, const LogEntry *entry) {
        static const struct {
                char name[12], field[12];
                bool raw;
        } rows[] = {
                { "sender_uid", "_UID", true },
                { "sender_exe", "_EXE", false },
                { "hostname", "_HOSTNAME", false },
                { "machine_id", "_MACHINE_ID", false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const char *value = log_entry_get(entry, rows[i].field);
                _cleanup_free_ char *copy = strdup(value);

                if (!copy)
                        return false;
                if (value[0] && !json_add(json, object, rows[i].name, copy, rows[i].raw))
                        return false;
        }
        return true;
}

static bool add_field(const JsonLibrary *json, cJSON *object, const LogField *field) {
        char name[64];
        size_t i;

        if (strncmp(field->name, "CONFINE_", 8) != 0 ||
            (field->is_number && !is_number(field->value)))
                return true;
        for (i = 0; i < sizeof(name) - 1 && field->name[8 + i]; i++)
                name[i] = (char)tolower((unsigned char)field->name[8 + i]);
        name[i] = '\0';
        return json_add(json, object, name, field->value, field->is_number);
}

static bool add_run(const JsonLibrary *json, cJSON *object, const void *of) {
        char number[24], trust[12], state[12];
        const LogRun *run = of;

        (void)snprintf(number, sizeof(number), "%" PRIu64, run->entry->realtime_usec);
        (void)snprintf(trust, sizeof(trust), "%s", trusts[run->trust]);
        (void)snprintf(state, sizeof(state), "%s", states[run->state]);
        if (!json_add(json, object, "realtime_usec", number, true) ||
            !json_add(json, object, "trust", trust, false) ||
            !json_add(json, object, "state", state, false) || !add_sender(json, object, run->entry))
                return false;
        for (size_t i = 0; i < run->entry->n_fields; i++)
                if (!add_field(json, object, &run->entry->fields[i]))
                        return false;
        return true;
}

int log_print_json(const LogRun *run) {
        _cleanup_free_ char *text = NULL;
        int r;

        r = json_format(add_run, run, &text);
        if (r < 0)
                return r;
        (void)puts(text);
        return 0;
}
