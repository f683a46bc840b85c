/* SPDX-License-Identifier: MIT */
/* The command line: argv -> Invocation. What stands where; the options are those of options.c. */
#include "supervisor/cli.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/options.h"

#define STATUS_USAGE 2

typedef struct VerbInfo {
        const char *name;
        Verb verb; /* VERB_RUN: told by the options that follow */
} VerbInfo;

static const VerbInfo verbs[] = {
        { "run", VERB_RUN },         { "doctor", VERB_DOCTOR },      { "list", VERB_LIST },
        { "inspect", VERB_INSPECT }, { "kill", VERB_KILL },          { "reap", VERB_REAP },
        { "log", VERB_LOG },         { "policy", VERB_POLICY_SHOW },
};

static const struct {
        const char *name;
        Verb verb;
} policy_verbs[] = {
        { "show", VERB_POLICY_SHOW },
        { "keys", VERB_POLICY_KEYS },
        { "check", VERB_POLICY_CHECK },
        { "trust", VERB_POLICY_TRUST },
};

bool verb_manages(Verb verb) {
        return verb == VERB_LIST || verb == VERB_INSPECT || verb == VERB_KILL || verb == VERB_REAP;
}

bool form_is_python(Form form) {
        return form == FORM_SCRIPT || form == FORM_CODE || form == FORM_MODULE ||
               form == FORM_STDIN;
}

/* Copies what is to be run, from the current word on. */
static int take_command(Parser *parser) {
        Invocation *invocation = parser->invocation;
        char *const *rest = parser->argv + parser->index;
        const char *const head[] = { parser->form_word, parser->form_argument };
        bool bare = invocation->form == FORM_PROGRAM && !strchr(rest[0], '/');
        size_t n = 0;

        invocation->command = calloc(strv_length(rest) + ARRAY_SIZE(head) + 1, sizeof(char *));
        if (!invocation->command)
                return -ENOMEM;
        for (size_t i = 0; i < ARRAY_SIZE(head) && head[i]; i++)
                if (!(invocation->command[n++] = strdup(head[i])))
                        return -ENOMEM;
        for (; *rest; rest++, bare = false)
                /* Not by PATH: it is a file that was named. */
                if (!(invocation->command[n++] = str_format("%s%s", bare ? "./" : "", *rest)))
                        return -ENOMEM;
        return 0;
}

static bool has_suffix(const char *word, const char *suffix) {
        size_t length = strlen(word), n = strlen(suffix);

        return length >= n && strcmp(word + length - n, suffix) == 0;
}

/* The word after "policy". */
static int parse_policy_word(Parser *parser) {
        const char *word = parser->argv[parser->index]; /* NULL at the end */

        parser->invocation->error_status = STATUS_USAGE;
        for (size_t i = 0; word && i < ARRAY_SIZE(policy_verbs); i++) {
                if (strcmp(policy_verbs[i].name, word) != 0)
                        continue;
                parser->invocation->verb = policy_verbs[i].verb;
                parser->index++;
                return 1;
        }
        return diag_add(parser->diag, ERROR_CONFIGURATION,
                        "'policy' is followed by what to do: write confine policy show, policy "
                        "keys, policy check or policy trust");
}

/* The word after the first options. Returns 1 for a verb whose options follow, 0 for a form. */
static int parse_word(Parser *parser, bool dashes) {
        Invocation *invocation = parser->invocation;
        const char *word;

        if (parser->index >= parser->argc) {
                invocation->show_usage = true;
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "nothing to run: write confine SCRIPT, or confine run -- COMMAND");
        }
        invocation->error_status = error_exit_status(ERROR_CONFIGURATION);
        word = parser->argv[parser->index];
        for (size_t i = 0; i < ARRAY_SIZE(verbs) && !dashes; i++) {
                if (strcmp(verbs[i].name, word) != 0)
                        continue;
                parser->verb_seen = true;
                parser->index++;
                if (strcmp(word, "policy") == 0)
                        return parse_policy_word(parser);
                if (verbs[i].verb != VERB_RUN) {
                        invocation->verb = verbs[i].verb;
                        invocation->error_status = STATUS_USAGE;
                }
                return 1;
        }
        invocation->form = strcmp(word, "-") == 0    ? FORM_STDIN
                           : has_suffix(word, ".py") ? FORM_SCRIPT
                                                     : FORM_PROGRAM;
        return 0;
}

/* Options may stand between ids and after them: no command follows that they could belong to. */
static int take_ids(Parser *parser) {
        bool dashes;
        int r = 0;

        while (r == 0 && parser->index < parser->argc) {
                r = strv_add(&parser->invocation->command, parser->argv[parser->index++]);
                if (r == 0)
                        r = options_parse(parser, &dashes);
        }
        return r;
}

/* The file of policy trust, which may be left out, those of policy check, which may not, and the
 * ids of runs. */
static int take_words(Parser *parser) {
        Invocation *invocation = parser->invocation;
        int r;

        if (invocation->verb == VERB_INSPECT || invocation->verb == VERB_KILL)
                return take_ids(parser);
        if (invocation->verb == VERB_POLICY_CHECK) {
                if (parser->index >= parser->argc)
                        return diag_add(parser->diag, ERROR_CONFIGURATION,
                                        "'policy check' needs a file: write confine policy check "
                                        "FILE...");
                r = take_command(parser);
                parser->index = parser->argc;
                return r;
        }
        if (invocation->verb != VERB_POLICY_TRUST || parser->index >= parser->argc)
                return 0;
        invocation->trusted = strdup(parser->argv[parser->index++]);
        return invocation->trusted ? 0 : -ENOMEM;
}

static int parse(Parser *parser) {
        bool dashes;
        int r;

        r = options_parse(parser, &dashes);
        if (r < 0)
                return r;
        if (!parser->stop) {
                r = parse_word(parser, dashes);
                if (r < 0)
                        return r;
                if (r > 0)
                        r = options_parse(parser, &dashes);
                if (r < 0)
                        return r;
        }
        if (parser->invocation->verb == VERB_HELP || parser->invocation->verb == VERB_VERSION)
                return 0;
        if (parser->invocation->verb != VERB_NO_SANDBOX) {
                r = take_words(parser);
                if (r == 0)
                        r = cli_check(parser);
                if (r < 0 || parser->invocation->verb != VERB_RUN)
                        return r;
        }
        if (parser->verb_seen && parser->index >= parser->argc)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'run' needs a command: write confine run [OPTIONS] -- COMMAND");
        return take_command(parser);
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
        (void)fputs("usage: confine [OPTIONS] [--] SCRIPT [ARGUMENT...]\n"
                    "       confine [OPTIONS] -c CODE | -m MODULE | - [ARGUMENT...]\n"
                    "       confine run [OPTIONS] [--] COMMAND [ARGUMENT...]\n"
                    "       confine --no-sandbox [PYTHON-ARGUMENT...]\n"
                    "       confine doctor [--json]\n"
                    "       confine policy show [OPTIONS] | policy keys\n"
                    "       confine policy check FILE... | policy trust [FILE]\n"
                    "       confine list [OPTIONS] | inspect ID | kill ID... | reap [--kill]\n"
                    "       confine log [OPTIONS]\n"
                    "       confine --help | --version\n",
                    stream);
}

void cli_print_help(void) {
        cli_print_usage(stdout);
        (void)puts(
                "\nRuns code in a sandbox: what is not granted is denied, and every limit is "
                "finite. A SCRIPT\nwhose name ends in .py, CODE, a MODULE and standard input (-) "
                "are run by Python, any other\nSCRIPT by its own #! or ELF header; its directory, "
                "for -m the current one, is readable.\n\nOptions, before or after 'run':");
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
        free(invocation->policy);
        invocation->policy = NULL;
        for (LogText i = 0; i < _LOG_TEXT_MAX; i++) {
                free(invocation->log.text[i]);
                invocation->log.text[i] = NULL;
        }
        invocation->labels = strv_free(invocation->labels);
        free(invocation->trusted);
        invocation->trusted = NULL;
        for (size_t i = 0; i < _GUARDED_MAX; i++) {
                free(invocation->guarded[i]);
                invocation->guarded[i] = NULL;
        }
        invocation->command = strv_free(invocation->command);
}
