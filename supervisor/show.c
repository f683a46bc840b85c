/* SPDX-License-Identifier: MIT */
/* A policy, or a run that is not made, as a report: what would be in force, and who said so. */
#include "supervisor/show.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "policy/digest.h"
#include "policy/origin.h"
#include "policy/resolve.h"
#include "policy/value.h"
#include "policy/wire.h"
#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/filters.h"
#include "supervisor/finish.h"
#include "supervisor/prepare.h"
#include "supervisor/record.h"
#include "supervisor/report.h"
#include "supervisor/run.h"
#include "supervisor/scope.h"
#include "supervisor/spawn.h"

#define STATUS_WRONG 1 /* of a verb that found something wrong */

static const ReportColumn policy_columns[] = {
        { "key", "KEY", false }, { "value", "VALUE", false }, { "number", "", true },
        { "unit", "", false },   { "", "PARSED", false },     { "origin", "ORIGIN", false },
};

static const ReportColumn run_columns[] = {
        { "command", "command", false },
        { "interpreter", "interpreter", false },
        { "manager", "manager", false },
        { "uid", "", true },
        { "", "uid", false },
        { "isolation", "isolation", false },
        { "metadata", "", false },
        { "", "metadata", false },
        { "scratch", "scratch", false },
        { "landlock_abi", "Landlock ABI", true },
        { "seccomp_profile", "seccomp profile", false },
};

static const ReportColumn hash_columns[] = {
        { "policy_sha256", "policy SHA-256", false },
};

static const ReportColumn unit_columns[] = {
        { "property", "PROPERTY", false },
        { "number", "", true },
        { "text", "", false },
        { "", "VALUE", false },
};

static const char *unit_of(ValueType type) {
        return type == VALUE_SIZE      ? "bytes"
               : type == VALUE_SPAN    ? "usec"
               : type == VALUE_PERCENT ? "usec per sec"
               : type == VALUE_COUNT   ? ""
                                       : NULL;
}

/* The line @line, "Key=value", of the canonical text. */
static void add_line(Report *report, const Run *run, const Policy *policy, char *line) {
        char *value = strchr(line, '=');
        const char *near, *unit;
        const KeyInfo *info;
        ValueHint hint;
        uint64_t number;
        Key key;

        assert(value);
        *value++ = '\0';
        key = key_find(line, &near);
        info = key_info(key);
        unit = unit_of(info->type);
        report_add(report, line);
        report_add(report, value);
        if (unit && value_parse_number(info->type, info->choices, value, &number, &hint) == 0) {
                report_addf(report, "%" PRIu64, number);
                report_add(report, unit[0] ? unit : NULL);
                report_addf(report, "%" PRIu64 "%s%s", number, unit[0] ? " " : "", unit);
        } else
                for (int i = 0; i < 3; i++)
                        report_add(report, NULL);
        (void)wire_unescape(value); /* it is canonical */
        report_add(report, origin_find(run->invocation->settings, &run->facts, policy, key, value));
}

static int add_policy(Report *report, const Run *run, const Policy *policy) {
        _cleanup_free_ char *text = NULL;
        char hex[DIGEST_HEX_SIZE], *rest;
        int r;

        r = wire_format(policy, &text);
        if (r < 0)
                return r;
        digest_sha256_hex(text, strlen(text), hex);
        report_begin(report, "policy", policy_columns, ARRAY_SIZE(policy_columns), false);
        for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
                add_line(report, run, policy, line);
        report_begin(report, "record", hash_columns, ARRAY_SIZE(hash_columns), true);
        report_add(report, hex);
        return 0;
}

static int add_command(Report *report, const Program *program) {
        _cleanup_free_ char *text = NULL;
        size_t size = STR_QUOTED_SIZE(strlen(program->path)) + 1;
        char *end;

        for (char *const *word = program->argv + 1; *word; word++)
                size += STR_QUOTED_SIZE(strlen(*word)) + 1;
        text = malloc(size);
        if (!text)
                return -ENOMEM;
        end = str_quote(program->path, text);
        for (char *const *word = program->argv + 1; *word; word++)
                end = str_quote(*word, stpcpy(end, " "));
        report_add(report, text);
        return 0;
}

static int add_run(Report *report, const Run *run) {
        const char *profile = filters_sha256(run), *const *scratch = run->view.scratch;
        int r;

        report_begin(report, "run", run_columns, ARRAY_SIZE(run_columns), true);
        r = add_command(report, &run->program);
        report_add(report, run->python.interpreter);
        report_add(report, run->facts.system_manager ? "system" : "user");
        if (run->identity.uid == UID_FROM_RANGE) {
                report_add(report, NULL);
                report_addf(report, "one of its own, from %u to %u", run->policy->uids.first,
                            run->policy->uids.last);
        } else {
                report_addf(report, "%u", (unsigned)run->identity.uid);
                report_addf(report, "%u", (unsigned)run->identity.uid);
        }
        report_add(report, record_isolation(run));
        report_add(report, run->view.made ? "view" : "seccomp");
        report_add(report, run->view.made ? "read-only outside the write grants, by a private view"
                                          : "chmod, chown and utime are denied, by seccomp");
        if (scratch[0])
                report_addf(report, "%s%s%s", scratch[0], scratch[1] ? " " : "",
                            scratch[1] ? scratch[1] : "");
        else
                report_add(report, NULL);
        report_addf(report, "%d", run->facts.landlock_abi);
        report_add(report, profile ? profile : "shipped");
        return r;
}

static void add_bandwidths(Report *report, char *const *bandwidths) {
        _cleanup_free_ char *text = strv_join(bandwidths, ", ");

        if (text)
                report_add(report, text);
        else
                report->failed = true;
}

static void add_unit(Report *report, const Run *run) {
        ScopeProperty properties[SCOPE_PROPERTIES_MAX];
        _cleanup_free_ char *description = NULL;
        size_t n;

        report_begin(report, "unit", unit_columns, ARRAY_SIZE(unit_columns), false);
        if (scope_describe("confine-ID.scope", run->policy, &description) < 0) {
                report->failed = true;
                return;
        }
        n = scope_properties(run->policy, description, properties);
        for (size_t i = 0; i < n; i++) {
                const ScopeProperty *p = &properties[i];
                bool is_number = p->signature[0] == 't';

                report_add(report, p->name);
                for (int shown = 0; shown < 3; shown++)
                        if ((shown == 0 && !is_number) || (shown == 1 && is_number))
                                report_add(report, NULL);
                        else if (is_number)
                                report_addf(report, "%" PRIu64, p->number);
                        else if (p->text)
                                report_add(report, p->text);
                        else if (p->bandwidths)
                                add_bandwidths(report, p->bandwidths);
                        else
                                report_addf(report, "%s %s %s", p->words[0], p->words[1],
                                            p->words[2]);
        }
}

static int fail_memory(void) {
        log_line("out of memory");
        return STATUS_WRONG;
}

int show_policy(const Invocation *invocation) {
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(report_done) Report report = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_free_ char *text = NULL;
        _cleanup_(run_done) Run run;

        run_init(invocation, &run);
        if (policy_resolve(invocation->settings, &run.facts, &policy, &diag) < 0)
                return run_refused(invocation, &diag, STATUS_WRONG);
        if (!invocation->canonical)
                return add_policy(&report, &run, policy) < 0
                               ? fail_memory()
                               : report_print(&report, invocation->json);
        if (wire_format(policy, &text) < 0)
                return fail_memory();
        return fputs(text, stdout) < 0 || fflush(stdout) != 0 ? STATUS_WRONG : 0;
}

int show_run(const Invocation *invocation) {
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(report_done) Report report = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_(run_done) Run run;
        int r, signal;

        run_init(invocation, &run);
        r = policy_resolve(invocation->settings, &run.facts, &policy, &diag);
        if (r == 0)
                r = form_grant(invocation, &run.facts, policy, &run.python, &diag);
        if (r < 0)
                return run_refused(invocation, &diag, error_exit_status(ERROR_CONFIGURATION));
        run.policy = policy;
        if (prepare_sandbox(&run) < 0 || spawn_try_view(&run) < 0) {
                finish_report(&run);
                return outcome_status(&run.outcome, &signal);
        }
        if (add_policy(&report, &run, policy) < 0 || add_run(&report, &run) < 0)
                return fail_memory();
        add_unit(&report, &run);
        return report_print(&report, invocation->json);
}
