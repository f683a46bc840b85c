/* SPDX-License-Identifier: MIT */
/* --no-sandbox: without a record there is no run here either. */
#include "supervisor/no-sandbox.h"

#include <errno.h>
#include <string.h>

#include "policy/isolation.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/record.h"
#include "supervisor/refusal.h"
#include "supervisor/signals.h"

#define AUDIT_TIMEOUT_USEC (5 * USEC_PER_SEC)

static int become_python(char *const *words) {
        char name[] = "python3";
        char **argv = calloc(strv_length(words) + 2, sizeof(char *));

        if (!argv)
                return -ENOMEM;
        argv[0] = name;
        memcpy(argv + 1, words, strv_length(words) * sizeof(char *));
        (void)execvp(name, argv);
        free(argv);
        return -errno;
}

/* The site may say so, or may require of all runs what this one has not. */
static int check_site(Run *run, const Settings *settings) {
        const char *forbidden = settings_no_sandbox_forbidden(settings);
        const Setting *required = isolation_required(settings);

        if (forbidden)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "--no-sandbox is forbidden on this machine (%s): run it in a "
                                    "sandbox, or ask the administrator",
                                    forbidden);
        if (required)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "--no-sandbox has no isolation that is known, and "
                                    "'RequireIsolation=%s' (%s) requires some: run it in a "
                                    "sandbox, or ask the administrator",
                                    required->value, required->origin);
        return 0;
}

int no_sandbox(const Invocation *invocation, const Signals *signals) {
        _cleanup_(run_done) Run run;
        int r;

        run_init(invocation, &run);
        run.identity.uid = geteuid();
        if (check_site(&run, invocation->settings) < 0) {
                refusal_record(&run);
                log_line("%s [%s]", run.outcome.message, error_name(ERROR_CONFIGURATION));
                return error_exit_status(ERROR_CONFIGURATION);
        }
        /* journald notes the command line of who sends an entry; its first word says enough. */
        for (char **word = invocation->words + 1; *word; word++)
                explicit_bzero(*word, strlen(*word));
        r = audit_store(&run, RECORD_NO_SANDBOX, AUDIT_TIMEOUT_USEC);
        if (r < 0) {
                log_line("the record of a run without sandbox could not be stored (%s), and "
                         "without a "
                         "record there is no run: check 'systemctl status "
                         "systemd-journald'" DOCTOR_HINT " [%s]",
                         strerror(-r), error_name(ERROR_AUDIT));
                return error_exit_status(ERROR_AUDIT);
        }
        signals_restore(signals);
        r = become_python(invocation->command);
        log_line("cannot execute 'python3': %s: install it, or correct PATH", strerror(-r));
        return r == -ENOENT ? 127 : 126;
}
