/* SPDX-License-Identifier: MIT */
/* The table of checks, and what all of them share. */
#include "doctor/checks.h"

#include <stdarg.h>
#include <unistd.h>

#include "doctor/checks-internal.h"
#include "doctor/probe.h"
#include "supervisor/base/base.h"

static const Check checks[] = {
#define CHECK(name_, function_, need_, means_) { name_, check_##function_, NEED_##need_, means_ },
#include "doctor/checks.def"
};

static _printf_(4, 0) void say(Finding *finding, CheckResult result, const char *fix,
                               const char *format, va_list ap) {
        finding->result = result;
        (void)vsnprintf(finding->found, sizeof(finding->found), format, ap);
        (void)snprintf(finding->fix, sizeof(finding->fix), "%s", fix);
}

void finding_good(Finding *finding, const char *format, ...) {
        va_list ap;

        va_start(ap, format);
        say(finding, CHECK_GOOD, "", format, ap);
        va_end(ap);
}

void finding_note(Finding *finding, const char *fix, const char *format, ...) {
        va_list ap;

        va_start(ap, format);
        say(finding, CHECK_NOTE, fix, format, ap);
        va_end(ap);
}

void finding_failed(Finding *finding, const char *fix, const char *format, ...) {
        va_list ap;

        va_start(ap, format);
        say(finding, CHECK_FAILED, fix, format, ap);
        va_end(ap);
}

void checks_prepare(bool system, Host *ret) {
        *ret = (Host){ 0 };
        probe_facts(system, &ret->facts);
        manager_look(true, system, &ret->system);
        if (system)
                manager_look_below(&ret->system, &ret->user);
        else
                manager_look(false, true, &ret->user);
}

const Check *checks_table(size_t *ret_n) {
        *ret_n = ARRAY_SIZE(checks);
        return checks;
}

bool check_look(const Check *check, const Host *host, Finding *ret) {
        bool needed = check->need == NEED_ALWAYS ||
                      (check->need == NEED_SYSTEM && host->facts.system_manager) ||
                      (check->need == NEED_USER && !host->facts.system_manager);

        *ret = (Finding){ .result = CHECK_FAILED };
        check->look(host, ret);
        return needed && ret->result == CHECK_FAILED;
}

const Manager *host_manager(const Host *host) {
        return host->facts.system_manager ? &host->system : &host->user;
}
