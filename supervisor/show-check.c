/* SPDX-License-Identifier: MIT */
/* The linter of policy files: every fault of each, without asking this machine. */
#include "supervisor/show.h"

#include <errno.h>

#include "policy/resolve.h"
#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/layers.h"
#include "supervisor/report.h"

static const ReportColumn file_columns[] = {
        { "file", "FILE", false },
        { "faults", "FAULTS", true },
};
static const ReportColumn fault_columns[] = {
        { "file", "", false },
        { "type", "TYPE", false },
        { "message", "MESSAGE", false },
};

/* Adds the faults of the file @name to @diag. Returns 0 or -ENOMEM. */
static int check(const char *name, Diag *diag) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        int r;

        if (!settings)
                return -ENOMEM;
        r = layers_read_file(name, settings, diag);
        if (r != -ENOMEM) /* with all that is wrong, the values too */
                r = policy_resolve(settings, &facts_of_any_machine, &policy, diag);
        return r == -ENOMEM ? r : 0;
}

static void report_files(char *const *names, const Diag *diags, size_t n, Report *report) {
        report_begin(report, "files", file_columns, ARRAY_SIZE(file_columns), false);
        for (size_t i = 0; i < n; i++) {
                report_add(report, names[i]);
                report_addf(report, "%zu", diags[i].n_messages + diags[i].n_dropped);
        }
        report_begin(report, "faults", fault_columns, ARRAY_SIZE(fault_columns), false);
        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < diags[i].n_messages; j++) {
                        report_add(report, names[i]);
                        report_add(report, error_name(diags[i].messages[j].type));
                        report_add(report, diags[i].messages[j].text);
                }
}

int show_check(const Invocation *invocation) {
        size_t n = strv_length(invocation->command), n_faults = 0;
        Diag *diags = calloc(n, sizeof(*diags));
        _cleanup_(report_done) Report report = { 0 };
        int r = diags ? 0 : -ENOMEM, status = 1;

        for (size_t i = 0; r == 0 && i < n; i++) {
                r = check(invocation->command[i], &diags[i]);
                n_faults += diags[i].n_messages + diags[i].n_dropped;
        }
        if (r == 0) {
                report_files(invocation->command, diags, n, &report);
                status = report_print(&report, invocation->json);
        } else
                log_line("out of memory");
        for (size_t i = 0; diags && i < n; i++)
                diag_done(&diags[i]);
        free(diags);
        return n_faults > 0 ? 1 : status;
}
