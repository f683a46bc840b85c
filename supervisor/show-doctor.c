/* SPDX-License-Identifier: MIT */
/* What the doctor found as a report: a row for each check, then what each manager can enforce. */
#include "doctor/checks.h"
#include "policy/capabilities.h"
#include "supervisor/base/base.h"
#include "supervisor/report.h"
#include "supervisor/show.h"

static const ReportColumn check_columns[] = {
        { "check", "CHECK", false }, { "", "RESULT", false },         { "result", "", false },
        { "fatal", "", true },       { "found", "FOUND", false },     { "means", "", false },
        { "fix", "", false },        { "", "MEANS, AND FIX", false },
};

static const ReportColumn key_columns[] = {
        { "key", "KEY", false },
        { "system_manager", "SYSTEM MANAGER", false },
        { "user_manager", "USER MANAGER", false },
        { "by", "HELD BY", false },
};

static const ReportColumn verdict_columns[] = {
        { "enforceable", "", true },
        { "", "VERDICT", false },
};

static const char *word(bool value) {
        return value ? "true" : "false";
}

static void add_check(Report *report, const Check *check, const Host *host, size_t *n_fatal) {
        static const char results[][8] = {
                [CHECK_GOOD] = "ok",
                [CHECK_NOTE] = "note",
                [CHECK_FAILED] = "failed",
        };
        Finding finding;
        bool fatal = check_look(check, host, &finding), good = finding.result == CHECK_GOOD;

        *n_fatal += fatal;
        report_add(report, check->name);
        report_add(report, fatal ? "FATAL" : results[finding.result]);
        report_add(report, results[finding.result]);
        report_add(report, word(fatal));
        report_add(report, finding.found);
        report_add(report, good ? NULL : check->means);
        report_add(report, !good && finding.fix[0] ? finding.fix : NULL);
        if (good)
                report_add(report, NULL);
        else
                report_addf(report, "%s%s%s", check->means, finding.fix[0] ? "; fix: " : "",
                            finding.fix);
}

/* Whether runs of @manager could have the key, or why not. */
static void add_answer(Report *report, const Host *host, const Manager *manager, Key key) {
        const Capability *capability = capability_of(key);
        bool system = manager == &host->system;

        if (!key_info(key)->built)
                report_add(report, "a later version");
        else if (!manager->looked && !manager->told)
                report_add(report, "not looked at");
        else if (manager->looked && !manager->connected)
                report_add(report, "does not answer");
        else if (capability->system_only && !system)
                report_add(report, "system only");
        else if (capability->root && !system)
                report_add(report, "root only");
        else if (!manager_has_controller(manager, capability->controller))
                report_addf(report, "lacks %s", capability->controller);
        else if (host->facts.landlock_abi < capability->landlock_abi)
                report_addf(report, "Landlock ABI %d", capability->landlock_abi);
        else
                report_add(report, "yes");
}

static void add_key(Report *report, const Host *host, Key key) {
        report_add(report, key_info(key)->name);
        add_answer(report, host, &host->system, key);
        add_answer(report, host, &host->user, key);
        report_add(report, capability_of(key)->by);
}

int show_doctor(const Invocation *invocation) {
        bool system = invocation->manager == MANAGER_DEFAULT
                              ? geteuid() == 0
                              : invocation->manager == MANAGER_SYSTEM;
        _cleanup_(report_done) Report report = { 0 };
        size_t n_checks, n_fatal = 0;
        const Check *checks = checks_table(&n_checks);
        Host host;
        int r;

        checks_prepare(system, &host);
        report_begin(&report, "checks", check_columns, ARRAY_SIZE(check_columns), false);
        for (size_t i = 0; i < n_checks; i++)
                add_check(&report, &checks[i], &host, &n_fatal);
        report_begin(&report, "keys", key_columns, ARRAY_SIZE(key_columns), false);
        for (Key key = 0; key < _KEY_MAX; key++)
                add_key(&report, &host, key);
        report_begin(&report, "verdict", verdict_columns, ARRAY_SIZE(verdict_columns), true);
        report_add(&report, word(n_fatal == 0));
        report_addf(&report, "the default policy %s be enforced here by the %s manager",
                    n_fatal == 0 ? "can" : "cannot", system ? "system" : "user");
        r = report_print(&report, invocation->json);
        return r != 0 || n_fatal > 0;
}
