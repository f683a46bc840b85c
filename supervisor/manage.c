/* SPDX-License-Identifier: MIT */
/* What list and inspect tell. */
#include "supervisor/manage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include "policy/errors.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/report.h"
#include "supervisor/scope.h"

#define STATUS_WRONG       1
#define STATUS_USAGE       2
#define WATCH_MSEC         2000
#define QUERY_TIMEOUT_USEC (2 * USEC_PER_SEC)
#define CLEAR_SCREEN       "\033[H\033[2J"

static const ReportColumn list_columns[] = {
        { "id", "", false },
        { "", "ID", false },
        { "manager", "MANAGER", false },
        { "uid", "UID", true },
        { "state", "STATE", false },
        { "age_usec", "", true },
        { "", "AGE", false },
        { "left_usec", "", true },
        { "", "LEFT", false },
        { "memory_bytes", "", true },
        { "", "MEMORY", false },
        { "cpu_usec", "", true },
        { "", "CPU", false },
        { "tasks", "TASKS", true },
        { "labels", "", true },
        { "", "LABELS", false },
        { "command_sha256", "", false },
        { "", "COMMAND", false },
};

static const ReportColumn run_columns[] = {
        { "id", "id", false },
        { "unit", "unit", false },
        { "unit_state", "unit is", false },
        { "cgroup", "cgroup", false },
        { "owner", "owner's uid", true },
        { "supervisor_pid", "supervisor", true },
        { "main_pid", "main process", true },
        { "memory_max_bytes", "MemoryMax in bytes", true },
        { "tasks_max", "TasksMax", true },
        { "command_sha256", "command", false },
        { "policy_sha256", "policy", false },
};

static const ReportColumn process_columns[] = {
        { "pid", "PID", true },
        { "name", "NAME", false },
};

static void add_number(Report *report, uint64_t number) {
        if (number == COUNTER_UNKNOWN)
                report_add(report, NULL);
        else
                report_addf(report, "%" PRIu64, number);
}

/* In JSON as it is, then as text in whole seconds. */
static void add_span(Report *report, uint64_t usec) {
        char text[VALUE_FORMAT_SIZE];

        add_number(report, usec);
        if (usec == COUNTER_UNKNOWN) {
                report_add(report, NULL);
                return;
        }
        value_format_number(VALUE_SPAN, NULL, usec / USEC_PER_SEC * USEC_PER_SEC, text);
        report_add(report, text);
}

/* @unit: how many of what is counted are one of what is shown. */
static void add_scaled(Report *report, uint64_t number, uint64_t unit, const char *suffix) {
        add_number(report, number);
        if (number == COUNTER_UNKNOWN)
                report_add(report, NULL);
        else
                report_addf(report, "%.1f%s", (double)number / (double)unit, suffix);
}

/* Labels are UTF-8 without control characters: two characters are left to be escaped. */
static void add_labels(Report *report, char *const *labels) {
        _cleanup_free_ char *json = NULL, *text = NULL;
        size_t json_size = 0, text_size = 0;
        _cleanup_fclose_ FILE *j = open_memstream(&json, &json_size);
        _cleanup_fclose_ FILE *t = open_memstream(&text, &text_size);

        if (!j || !t) {
                report->failed = true;
                return;
        }
        (void)fputc('{', j);
        for (size_t i = 0; labels && labels[i]; i++) {
                const char *value = strchr(labels[i], '=') + 1;

                (void)fprintf(t, "%s%s", i ? " " : "", labels[i]);
                (void)fprintf(j, "%s\"%.*s\":\"", i ? "," : "", (int)(value - labels[i]) - 1,
                              labels[i]);
                for (; *value; value++)
                        (void)fprintf(j, "%s%c", *value == '"' || *value == '\\' ? "\\" : "",
                                      *value);
                (void)fputc('"', j);
        }
        (void)fputc('}', j);
        if (fflush(j) != 0 || fflush(t) != 0) {
                report->failed = true;
                return;
        }
        report_add(report, json);
        report_add(report, text);
}

static uint64_t difference(uint64_t later, uint64_t earlier) {
        if (later == COUNTER_UNKNOWN || earlier == COUNTER_UNKNOWN)
                return COUNTER_UNKNOWN;
        return later > earlier ? later - earlier : 0;
}

static void add_row(Report *report, const Sandbox *sandbox) {
        uint64_t now = clock_now_usec();

        report_add(report, sandbox->id);
        report_addf(report, "%.12s", sandbox->id);
        report_add(report, sandbox->system ? "system" : "user");
        add_number(report, sandbox->system ? sandbox->uid : sandbox->owner);
        report_add(report, sandbox_state_name(sandbox->state));
        add_span(report, difference(now, sandbox->started_usec));
        add_span(report, difference(sandbox->deadline_usec, now));
        add_scaled(report, sandbox->usage.memory_bytes, 1 << 20, "M");
        add_scaled(report, sandbox->usage.cpu_usec, USEC_PER_SEC, "s");
        add_number(report, sandbox->usage.n_tasks);
        add_labels(report, sandbox->labels);
        report_add(report, sandbox->command_sha256[0] ? sandbox->command_sha256 : NULL);
        report_addf(report, "%.12s", sandbox->command_sha256);
}

int manage_find(const Invocation *invocation, Sandboxes *ret) {
        static const SandboxRealm realms[] = {
                [MANAGER_DEFAULT] = REALM_OWN,
                [MANAGER_SYSTEM] = REALM_SYSTEM,
                [MANAGER_USER] = REALM_USER,
        };
        int r = cgroup_check_mount();

        if (r == 0)
                r = sandboxes_find(realms[invocation->manager], invocation->labels, ret);
        if (r < 0)
                log_line("the runs below '" CGROUP_ROOT "' cannot be read: %s: see whether cgroup "
                         "v2 is mounted there" DOCTOR_HINT " [%s]",
                         strerror(-r), error_name(ERROR_CAPABILITY));
        return r;
}

int manage_match(const Sandboxes *sandboxes, const char *id, Sandbox **ret) {
        static const char prefix[] = "confine-", suffix[] = ".scope";
        const char *start = strncmp(id, prefix, strlen(prefix)) == 0 ? id + strlen(prefix) : id;
        size_t length = strspn(start, "0123456789abcdef"), n = 0;
        Sandbox *systems = NULL;

        if (length == 0 || length >= RUN_ID_SIZE ||
            (start[length] != '\0' &&
             (length != RUN_ID_SIZE - 1 || strcmp(start + length, suffix) != 0))) {
                log_line("'%.64s' is no id: write the first of its hexadecimal digits, as 'confine "
                         "list' shows them [%s]",
                         id, error_name(ERROR_CONFIGURATION));
                return -EINVAL;
        }
        for (size_t i = 0; i < sandboxes->n; i++)
                if (strncmp(sandboxes->items[i].id, start, length) == 0) {
                        *ret = &sandboxes->items[i];
                        systems = sandboxes->items[i].system ? &sandboxes->items[i] : systems;
                        n++;
                }
        /* A user can give a cgroup the whole id of a run of the system manager, not the reverse. */
        if (n > 1 && length == RUN_ID_SIZE - 1 && systems) {
                *ret = systems;
                return 1;
        }
        if (n <= 1)
                return (int)n;
        log_line("%zu runs have an id that begins with '%s': write more of its digits, or choose "
                 "among their managers with --system or --user [%s]",
                 n, start, error_name(ERROR_CONFIGURATION));
        return -ENOTUNIQ;
}

int manage_print(const Sandboxes *sandboxes, bool orphaned, bool json) {
        _cleanup_(report_done) Report report = { 0 };

        report_begin(&report, "runs", list_columns, ARRAY_SIZE(list_columns), false);
        for (size_t i = 0; i < sandboxes->n; i++)
                if (!orphaned || sandboxes->items[i].state == SANDBOX_ORPHANED)
                        add_row(&report, &sandboxes->items[i]);
        return report_print(&report, json);
}

/* How many lines the terminal has for runs, or SIZE_MAX if that is not known. */
static size_t room(void) {
        struct winsize size;

        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
                return SIZE_MAX;
        return MAX(size.ws_row, 3) - 2U; /* the heading, and where the cursor stays */
}

/* @in_place: no more of them than the terminal has room for, else the top would be lost. */
static int list_once(const Invocation *invocation, bool in_place) {
        _cleanup_(sandboxes_done) Sandboxes sandboxes = { 0 };
        Sandboxes shown;

        if (manage_find(invocation, &sandboxes) < 0)
                return STATUS_WRONG;
        shown = sandboxes;
        if (in_place) {
                (void)fputs(CLEAR_SCREEN, stdout); /* report_print() looks */
                shown.n = MIN(shown.n, room());
        }
        return manage_print(&shown, false, invocation->json);
}

int manage_list(const Invocation *invocation) {
        bool in_place = invocation->manage.watch && !invocation->json && isatty(STDOUT_FILENO);

        for (;;) {
                int status = list_once(invocation, in_place);

                if (status != 0 || !invocation->manage.watch)
                        return status;
                (void)poll(NULL, 0, WATCH_MSEC);
        }
}

static void add_run(Report *report, const Sandbox *sandbox) {
        _cleanup_free_ char *unit = str_format("confine-%s.scope", sandbox->id);
        _cleanup_free_ char *state = NULL;

        /* Another user's manager is not asked: it talks to its user only. */
        if (unit && (sandbox->system || sandbox->owner == geteuid()))
                (void)scope_query_state(sandbox->system, unit, QUERY_TIMEOUT_USEC, &state);
        report_begin(report, "run", run_columns, ARRAY_SIZE(run_columns), true);
        report_add(report, sandbox->id);
        report_add(report, unit);
        report_add(report, state);
        report_add(report, sandbox->cgroup);
        add_number(report, sandbox->owner);
        add_number(report, sandbox->supervisor.pid > 0 ? (uint64_t)sandbox->supervisor.pid
                                                       : COUNTER_UNKNOWN);
        add_number(report, sandbox->main.pid > 0 ? (uint64_t)sandbox->main.pid : COUNTER_UNKNOWN);
        add_number(report, sandbox->usage.memory_max_bytes);
        add_number(report, sandbox->usage.tasks_max);
        report_add(report, sandbox->command_sha256[0] ? sandbox->command_sha256 : NULL);
        report_add(report, sandbox->policy_sha256[0] ? sandbox->policy_sha256 : NULL);
}

/* What ends meanwhile has no name any more. */
static void add_processes(Report *report, const Sandbox *sandbox) {
        _cleanup_free_ char *procs =
                str_format("%s%s/" CGROUP_LEAF "/cgroup.procs", CGROUP_ROOT, sandbox->cgroup);
        _cleanup_fclose_ FILE *f = procs ? fopen(procs, "re") : NULL;
        char line[32];

        report_begin(report, "processes", process_columns, ARRAY_SIZE(process_columns), false);
        report->failed |= !procs;
        while (f && fgets(line, sizeof(line), f)) {
                char path[64], name[64] = "";

                line[strcspn(line, "\n")] = '\0';
                (void)snprintf(path, sizeof(path), "/proc/%.16s/comm", line);
                (void)fd_read_file(AT_FDCWD, path, name, sizeof(name)); /* gone: "" */
                report_add(report, line);
                report_add(report, name);
        }
}

int manage_inspect(const Invocation *invocation) {
        _cleanup_(sandboxes_done) Sandboxes sandboxes = { 0 };
        _cleanup_(report_done) Report report = { 0 };
        const char *id = invocation->command[0];
        Sandbox *sandbox;
        int r;

        if (manage_find(invocation, &sandboxes) < 0)
                return STATUS_WRONG;
        r = manage_match(&sandboxes, id, &sandbox);
        if (r == 0)
                log_line("there is no run '%s' here: 'confine list' shows those that go on, "
                         "'confine log --id=%s' what became of it [%s]",
                         id, id, error_name(ERROR_SANDBOX_GONE));
        if (r <= 0)
                return r == -EINVAL ? STATUS_USAGE : STATUS_WRONG;
        report_begin(&report, "runs", list_columns, ARRAY_SIZE(list_columns), false);
        add_row(&report, sandbox);
        add_run(&report, sandbox);
        add_processes(&report, sandbox);
        return report_print(&report, invocation->json);
}
