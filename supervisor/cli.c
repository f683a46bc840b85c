/* SPDX-License-Identifier: MIT */
/* The command line: argv -> Invocation. What stands where; the options are those of options.c. */
#include "supervisor/cli.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/options.h"

#define STATUS_USAGE 2

typedef struct VerbInfo {
        const char *name;
        bool built;
} VerbInfo;

static const VerbInfo verbs[] = {
        { "run", true },   { "doctor", false }, { "list", false }, { "inspect", false },
        { "kill", false }, { "reap", false },   { "log", false },  { "policy", false },
};

/* The word after the first options: a verb, or a form that is not built yet. */
static int parse_verb(Parser *parser, bool dashes) {
        Invocation *invocation = parser->invocation;
        const char *word;

        if (parser->index >= parser->argc) {
                invocation->show_usage = true;
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "no command given: write confine run [OPTIONS] -- COMMAND");
        }
        word = parser->argv[parser->index];
        for (size_t i = 0; i < ARRAY_SIZE(verbs) && !dashes; i++) {
                if (strcmp(verbs[i].name, word) != 0)
                        continue;
                if (!verbs[i].built)
                        return diag_add(parser->diag, ERROR_CAPABILITY,
                                        "the verb '%s' " LATER "; 'confine --help' lists what "
                                        "there is",
                                        word);
                parser->index++;
                parser->verb_seen = true;
                invocation->error_status = error_exit_status(ERROR_CONFIGURATION);
                return 0;
        }
        invocation->error_status = error_exit_status(ERROR_CAPABILITY);
        return diag_add(parser->diag, ERROR_CAPABILITY,
                        "running the script '%.256s' by its name " LATER
                        ", write confine run [OPTIONS] -- COMMAND",
                        word);
}

static int parse(Parser *parser) {
        bool dashes;
        int r;

        r = options_parse(parser, &dashes);
        if (r < 0 || parser->stop)
                return r;
        r = parse_verb(parser, dashes);
        if (r < 0)
                return r;
        r = options_parse(parser, &dashes);
        if (r < 0 || parser->stop)
                return r;
        if (parser->index >= parser->argc)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'run' needs a command: write confine run [OPTIONS] -- COMMAND");
        parser->invocation->command = parser->argv + parser->index;
        return 0;
}

int cli_parse(int argc, char **argv, Invocation *ret_invocation, Diag *reterr_diag) {
        size_t n_before = reterr_diag->n_messages + reterr_diag->n_dropped;
        Parser parser = {
                .argc = argc,
                .argv = argv,
                .index = 1,
                .invocation = ret_invocation,
                .diag = reterr_diag,
        };
        int r;

        *ret_invocation = (Invocation){
                .verb = VERB_RUN,
                .error_status = STATUS_USAGE,
                .words = argv + (argc > 0), /* a caller may leave argv empty */
        };
        ret_invocation->settings = settings_new();
        if (!ret_invocation->settings)
                return -ENOMEM;
        r = parse(&parser);
        if (r < 0)
                return r;
        return reterr_diag->n_messages + reterr_diag->n_dropped > n_before ? -EINVAL : 0;
}

void cli_print_usage(FILE *stream) {
        (void)fputs("usage: confine run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
                    "       confine --help | --version\n",
                    stream);
}

void cli_print_help(void) {
        cli_print_usage(stdout);
        (void)puts("\nRuns COMMAND in a sandbox: what is not granted is denied, and every limit is "
                   "finite.\n\nOptions, before or after 'run':");
        options_print_help();
        (void)puts("\nKeys for -p, with what is in force without it:");
        for (Key key = 0; key < _KEY_MAX; key++) {
                const KeyInfo *info = key_info(key);
                char left[64];

                if (!info->built)
                        continue;
                (void)snprintf(left, sizeof(left), "%s=%s", info->name,
                               info->preset ? info->preset : "");
                (void)printf("  %-30s %s\n", left, info->help);
        }
        (void)puts(
                "\nSizes are digits and K, M, G or T; spans are such as 300s or 1h 30min. A path "
                "is one per\noption, relative to the current directory, and may hold spaces.");
}

void invocation_done(Invocation *invocation) {
        invocation->settings = settings_free(invocation->settings);
        free(invocation->result);
        invocation->result = NULL;
}
