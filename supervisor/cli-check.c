/* SPDX-License-Identifier: MIT */
/* Which options go with which verb: nothing is accepted and ignored. */
#include "supervisor/options.h"

/* The doctor takes no policy: it looks at the machine. */
static int check_doctor(const Parser *parser) {
        const Invocation *invocation = parser->invocation;

        if (settings_count(invocation->settings) > 0 || invocation->policy)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'doctor' looks at this machine, whatever a run asks for: leave "
                                "the options of one out");
        if (parser->index < parser->argc)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%.128s' is not an option, and 'doctor' runs nothing: write "
                                "confine doctor [--json] [--system | --user]",
                                parser->argv[parser->index]);
        return 0;
}

int cli_check(const Parser *parser) {
        const Invocation *invocation = parser->invocation;
        bool is_run = invocation->verb == VERB_RUN;

        if (invocation->json && is_run && !invocation->dry_run)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--json' is how a report is shown, and a run shows none: add "
                                "--dry-run, or write --result=FILE for what became of it");
        if (invocation->dry_run && !is_run)
                return diag_add(
                        parser->diag, ERROR_CONFIGURATION,
                        "'--dry-run' is of a run, and this verb runs nothing: leave it out");
        if (invocation->canonical && invocation->verb != VERB_POLICY_SHOW)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--canonical' is of 'policy show': leave it out");
        if (invocation->canonical && invocation->json)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--canonical' is text: leave --json out");
        if (invocation->result && (invocation->dry_run || !is_run))
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--result' has nothing to tell, since nothing is run: leave it "
                                "out");
        if (invocation->verb == VERB_DOCTOR)
                return check_doctor(parser);
        if (!is_run && invocation->verb != VERB_POLICY_SHOW &&
            (invocation->manager != MANAGER_DEFAULT || settings_count(invocation->settings) > 0 ||
             invocation->policy))
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'policy keys', 'policy check' and 'policy trust' are the same for "
                                "every run: leave the options of one out");
        if (invocation->verb == VERB_POLICY_TRUST && invocation->json)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--json' is how a report is shown, and 'policy trust' has none: "
                                "leave it out");
        if (!is_run && parser->index < parser->argc)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%.128s' is not an option, and 'policy' runs nothing: write "
                                "confine --dry-run and what to run",
                                parser->argv[parser->index]);
        return 0;
}
