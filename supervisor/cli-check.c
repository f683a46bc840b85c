/* SPDX-License-Identifier: MIT */
/* Which options go with which verb: nothing is accepted and ignored. */
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/options.h"

/* What only the log has, and what it has not. */
static int check_log(const Parser *parser) {
        const Invocation *invocation = parser->invocation;
        const LogOptions *log = &invocation->log;

        if (invocation->verb != VERB_LOG) {
                if (!log->given)
                        return 0;
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--%s' is of 'log': write confine log --%s, or leave it out",
                                log->given, log->given);
        }
        if (settings_count(invocation->settings) > 0)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'log' runs nothing: leave the options of a run out, and write "
                                "--label=, --uid= and --policy= after 'log' to choose runs");
        if (log->metrics && (!log->stats || parser->invocation->json))
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--openmetrics' is a form of --stats beside --json: write --stats "
                                "--openmetrics");
        if (log->follow && (log->stats || log->text[LOG_TEXT_UNTIL]))
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--follow' has no end: leave it or --stats and --until out");
        if (log->merge && log->text[LOG_TEXT_DIRECTORY])
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--directory' reads all of its files: leave --merge out");
        return 0;
}

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
        return check_log(parser);
}

/* What only the verbs that manage have. */
static int check_manage_options(const Parser *parser) {
        const ManageOptions *manage = &parser->invocation->manage;
        const struct {
                bool given;
                Verb of;
                const char *name, *verb;
        } rows[] = {
                { manage->watch, VERB_LIST, "watch", "list" },
                { manage->signal != 0, VERB_KILL, "signal", "kill" },
                { manage->all, VERB_KILL, "all", "kill" },
                { manage->kill, VERB_REAP, "kill", "reap" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                if (rows[i].given && parser->invocation->verb != rows[i].of)
                        return diag_add(parser->diag, ERROR_CONFIGURATION,
                                        "'--%s' is of '%s': write confine %s --%s, or leave it out",
                                        rows[i].name, rows[i].verb, rows[i].verb, rows[i].name);
        return 0;
}

/* What each of the verbs that manage has not. */
static int check_manage(const Parser *parser) {
        const Invocation *invocation = parser->invocation;
        Verb verb = invocation->verb;
        size_t n_ids = strv_length(invocation->command);

        if (settings_count(invocation->settings) > 0 || invocation->policy)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "this verb runs nothing: leave the options of a run out, and write "
                                "--label= after it to choose runs");
        if (verb == VERB_KILL && invocation->json)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'kill' reports nothing: leave --json out");
        if (verb == VERB_KILL && invocation->manage.all == (n_ids > 0))
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'kill' needs to know which runs: write confine kill ID..., or "
                                "kill --all [--label=KEY=VALUE]");
        if (verb == VERB_INSPECT && n_ids != 1)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'inspect' looks at one run: write confine inspect ID");
        if (invocation->labels && n_ids > 0)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "an id says which run is meant: leave --label= out, or write kill "
                                "--all --label=");
        if (parser->index < parser->argc)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%.128s' is not an option, and this verb takes no words: write "
                                "confine list --label=KEY=VALUE to choose runs",
                                parser->argv[parser->index]);
        return check_log(parser);
}

int cli_check(const Parser *parser) {
        const Invocation *invocation = parser->invocation;
        bool is_run = invocation->verb == VERB_RUN, is_log = invocation->verb == VERB_LOG;
        int r;

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
        r = check_manage_options(parser);
        if (r < 0)
                return r;
        if (verb_manages(invocation->verb))
                return check_manage(parser);
        if (invocation->verb == VERB_DOCTOR)
                return check_doctor(parser);
        if (!is_run && !is_log && invocation->verb != VERB_POLICY_SHOW &&
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
                                "'%.128s' is not an option, and '%s' runs nothing: write %s",
                                parser->argv[parser->index], is_log ? "log" : "policy",
                                is_log ? "confine log --label=KEY=VALUE, --id= or --cause= to "
                                         "choose runs"
                                       : "confine --dry-run and what to run");
        return check_log(parser);
}
