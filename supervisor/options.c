/* SPDX-License-Identifier: MIT */
/* The options of the command line. options.def says which there are and what each one does; the
 * loop below only takes them apart. getopt_long(3) is not used: it takes abbreviations, which would
 * change their meaning with every new option. What a value means is decided by policy/resolve.c. */
#include "supervisor/options.h"

#include <errno.h>
#include <string.h>

#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/signal-name.h"

#define ORIGIN_MAX 96 /* bytes of an origin; longer words are cut in messages */

typedef enum ArgumentRule {
        ARGUMENT_NONE,
        ARGUMENT_REQUIRED,
        ARGUMENT_OPTIONAL,
} ArgumentRule;

typedef struct Option Option;

struct Option {
        char letter;
        const char *name;
        ArgumentRule rule;
        int (*action)(Parser *parser, const Option *option, const char *origin,
                      const char *argument);
        const char *key;
        const char *value;
        const char *metavar;
        const char *help;
};

static int refuse_unknown(Parser *parser, const char *word);

/* Stores @argument, once. */
static int set_log_text(Parser *parser, LogText which, const char *origin, const char *argument) {
        char **field = &parser->invocation->log.text[which];

        if (*field)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%s' is given twice: give it once", origin);
        *field = strdup(argument);
        return *field ? 0 : -ENOMEM;
}

static int on_log(Parser *parser, const Option *option, const char *origin, const char *argument) {
        static const char texts[_LOG_TEXT_MAX][12] = {
                [LOG_TEXT_SINCE] = "since",         [LOG_TEXT_UNTIL] = "until",
                [LOG_TEXT_CAUSE] = "cause",         [LOG_TEXT_ID] = "id",
                [LOG_TEXT_DIRECTORY] = "directory", [LOG_TEXT_UID] = "uid",
        };
        LogOptions *log = &parser->invocation->log;

        log->given = option->name;
        log->merge |= strcmp(option->name, "merge") == 0;
        log->follow |= strcmp(option->name, "follow") == 0;
        log->stats |= strcmp(option->name, "stats") == 0;
        log->metrics |= strcmp(option->name, "openmetrics") == 0;
        log->no_pager |= strcmp(option->name, "no-pager") == 0;
        for (LogText i = 0; i < _LOG_TEXT_MAX; i++)
                if (strcmp(option->name, texts[i]) == 0)
                        return set_log_text(parser, i, origin, argument);
        return 0;
}

static int on_manage(Parser *parser, const Option *option, const char *origin,
                     const char *argument) {
        ManageOptions *manage = &parser->invocation->manage;

        manage->watch |= strcmp(option->name, "watch") == 0;
        manage->all |= strcmp(option->name, "all") == 0;
        manage->kill |= strcmp(option->name, "kill") == 0;
        if (!argument)
                return 0;
        manage->signal = signal_parse(argument);
        return manage->signal > 0 ? 0
                                  : diag_add(parser->diag, ERROR_CONFIGURATION,
                                             "'%.64s' is no signal (%s): write a name as TERM, or "
                                             "a number",
                                             argument, origin);
}

/* --label and --uid say of a run what it gets, and elsewhere which runs are meant. */
static int set_filter(Parser *parser, const Option *option, const char *origin,
                      const char *argument) {
        ValueHint hint;

        if (strcmp(option->key, "User") == 0 && parser->invocation->verb == VERB_LOG)
                return on_log(parser, option, origin, argument);
        if (strcmp(option->key, "Label") != 0)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%s' is of a run, and this verb runs nothing: leave it out",
                                origin);
        if (value_check_label(argument, strcspn(argument, "="), &hint) < 0)
                return diag_add(parser->diag, ERROR_CONFIGURATION, "'%.128s' is no label (%s): %s",
                                argument, origin, hint.text);
        return strv_add(&parser->invocation->labels, argument);
}

static int on_set(Parser *parser, const Option *option, const char *origin, const char *argument) {
        if (parser->invocation->verb == VERB_LOG || verb_manages(parser->invocation->verb))
                return set_filter(parser, option, origin, argument);
        if (option->value && argument) /* would be less than the value: not to be taken for it */
                return diag_add(parser->diag, ERROR_CAPABILITY,
                                "'%s=%.128s' " LATER ", leave the argument out", origin, argument);
        return settings_set(parser->invocation->settings, option->key,
                            option->value ? option->value : argument, origin, parser->diag);
}

static int on_setenv(Parser *parser, const Option *option _unused_, const char *origin,
                     const char *argument) {
        const char *key = strchr(argument, '=') ? "Environment" : "PassEnvironment";

        return settings_set(parser->invocation->settings, key, argument, origin, parser->diag);
}

static int on_property(Parser *parser, const Option *option _unused_, const char *origin,
                       const char *argument) {
        const char *equals = strchr(argument, '=');
        _cleanup_free_ char *key = NULL;
        char place[ORIGIN_MAX];

        if (!equals)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%.128s' (%s) has no '=': write KEY=VALUE", argument, origin);
        key = strndup(argument, (size_t)(equals - argument));
        if (!key)
                return -ENOMEM;
        (void)snprintf(place, sizeof(place), "%s %.64s", origin, key);
        return settings_set(parser->invocation->settings, key, equals + 1, place, parser->diag);
}

static int on_manager(Parser *parser, const Option *option, const char *origin,
                      const char *argument _unused_) {
        ManagerChoice choice = strcmp(option->value, "user") == 0 ? MANAGER_USER : MANAGER_SYSTEM;
        ManagerChoice *field = &parser->invocation->manager;

        if (*field != MANAGER_DEFAULT && *field != choice)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'--%s' and '%s' contradict each other: give one",
                                parser->manager_origin, origin);
        *field = choice;
        parser->manager_origin = option->name;
        return 0;
}

static int on_result(Parser *parser, const Option *option _unused_, const char *origin,
                     const char *argument) {
        char **field = &parser->invocation->result;
        ValueHint hint;
        uint64_t fd;

        if (*field)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%s' is given twice: give it once", origin);
        if (argument[0] == '\0' ||
            (strncmp(argument, "fd:", 3) == 0 &&
             (value_parse_number(VALUE_COUNT, NULL, argument + 3, &fd, &hint) < 0 ||
              fd > INT32_MAX)))
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%.256s' is no place for a result (%s): write a file name, or "
                                "fd: and the number of an open descriptor",
                                argument, origin);
        *field = strdup(argument);
        return *field ? 0 : -ENOMEM;
}

static int on_policy(Parser *parser, const Option *option _unused_, const char *origin,
                     const char *argument) {
        if (parser->invocation->policy)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%s' is given twice: give it once", origin);
        parser->invocation->policy = strdup(argument);
        return parser->invocation->policy ? 0 : -ENOMEM;
}

static int on_quiet(Parser *parser, const Option *option _unused_, const char *origin _unused_,
                    const char *argument _unused_) {
        parser->invocation->quiet = true;
        return 0;
}

static int on_verbose(Parser *parser, const Option *option _unused_, const char *origin _unused_,
                      const char *argument _unused_) {
        parser->invocation->verbose = true;
        return 0;
}

/* How, or that, something is reported: cli.c sees that there is something. */
static int on_report(Parser *parser, const Option *option, const char *origin _unused_,
                     const char *argument _unused_) {
        Invocation *invocation = parser->invocation;

        invocation->dry_run |= strcmp(option->value, "dry-run") == 0;
        invocation->json |= strcmp(option->value, "json") == 0;
        invocation->canonical |= strcmp(option->value, "canonical") == 0;
        return 0;
}

static int on_verb(Parser *parser, const Option *option, const char *origin _unused_,
                   const char *argument _unused_) {
        parser->invocation->verb = strcmp(option->value, "help") == 0 ? VERB_HELP : VERB_VERSION;
        parser->stop = true;
        return 0;
}

/* Another way to say what to run. What follows belongs to it. */
static int on_form(Parser *parser, const Option *option, const char *origin, const char *argument) {
        Invocation *invocation = parser->invocation;

        if (parser->verb_seen)
                return refuse_unknown(parser, origin);
        invocation->error_status = error_exit_status(ERROR_CONFIGURATION);
        invocation->form = option->letter == 'c' ? FORM_CODE : FORM_MODULE;
        parser->form_word = option->letter == 'c' ? "-c" : "-m";
        parser->form_argument = argument;
        parser->stop = true;
        return 0;
}

/* Everything after it is Python's: nothing else of ours can be meant. */
static int on_no_sandbox(Parser *parser, const Option *option _unused_, const char *origin,
                         const char *argument _unused_) {
        if (parser->index != 2) {
                parser->invocation->error_status = error_exit_status(ERROR_CONFIGURATION);
                return diag_add(
                        parser->diag, ERROR_CONFIGURATION,
                        "'%s' is the first word or none: write confine %s PYTHON-ARGUMENT..., "
                        "without options of confine",
                        origin, origin);
        }
        parser->invocation->verb = VERB_NO_SANDBOX;
        parser->stop = true;
        return 0;
}

static const Option options[] = {
#define OPTION(letter_, name_, rule_, action_, key_, value_, metavar_, help_) \
        { letter_, name_, ARGUMENT_##rule_, on_##action_, key_, value_, metavar_, help_ },
#include "supervisor/options.def"
};

static int refuse_unknown(Parser *parser, const char *word) {
        size_t nearest = SIZE_MAX, length = strlen(word);
        const char *near = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(options) && word[1] == '-'; i++) {
                const char *name = options[i].name;
                size_t distance;

                if (!name)
                        continue;
                distance = length > 3 && strncmp(name, word + 2, length - 2) == 0
                                   ? 1 /* an abbreviation */
                                   : str_distance(name, word + 2);
                if (distance < nearest && str_is_near(name, distance)) {
                        nearest = distance;
                        near = name;
                }
        }
        if (near)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "unknown option '%.64s': write '--%s' if that is meant", word,
                                near);
        return diag_add(parser->diag, ERROR_CONFIGURATION,
                        "unknown option '%.64s': 'confine --help' lists the options", word);
}

static int refuse_argument(Parser *parser, const Option *option, const char *origin) {
        if (option->rule == ARGUMENT_NONE)
                return diag_add(parser->diag, ERROR_CONFIGURATION,
                                "'%s' takes no argument: write it alone", origin);
        return diag_add(parser->diag, ERROR_CONFIGURATION, "'%s' needs an argument: write %s %s",
                        origin, origin, option->metavar ? option->metavar : "VALUE");
}

/* Finds the argument of @option in @attached (NULL: none there) or the next word, and acts. */
static int act(Parser *parser, const Option *option, const char *origin, const char *attached) {
        if (attached && option->rule == ARGUMENT_NONE)
                return refuse_argument(parser, option, origin);
        if (!attached && option->rule == ARGUMENT_REQUIRED) {
                if (parser->index == parser->argc)
                        return refuse_argument(parser, option, origin);
                attached = parser->argv[parser->index++];
        }
        return option->action(parser, option, origin, attached);
}

static int parse_long(Parser *parser, const char *word) {
        size_t length = strcspn(word, "=");
        char origin[ORIGIN_MAX];

        (void)snprintf(origin, sizeof(origin), "%.*s", (int)MIN(length, sizeof(origin) - 1), word);
        for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
                const char *name = options[i].name;

                if (name && strlen(name) == length - 2 && memcmp(name, word + 2, length - 2) == 0)
                        return act(parser, &options[i], origin,
                                   word[length] == '=' ? word + length + 1 : NULL);
        }
        return refuse_unknown(parser, origin);
}

/* "-qv", "-pKEY=VALUE", "-p" "KEY=VALUE". */
static int parse_short(Parser *parser, const char *word) {
        int worst = 0;

        for (const char *letter = word + 1; *letter != '\0' && !parser->stop; letter++) {
                char origin[] = { '-', *letter, '\0' };
                const Option *option = NULL;
                bool takes;
                int r;

                for (size_t i = 0; i < ARRAY_SIZE(options) && !option; i++)
                        if (options[i].letter == *letter)
                                option = &options[i];
                takes = option && option->rule == ARGUMENT_REQUIRED;
                if (!option)
                        r = refuse_unknown(parser, origin);
                else
                        r = act(parser, option, origin,
                                takes && letter[1] != '\0' ? letter + 1 : NULL);
                if (r == -ENOMEM)
                        return r;
                worst = MIN(worst, r);
                if (takes || !option)
                        break;
        }
        return worst;
}

int options_parse(Parser *parser, bool *ret_dashes) {
        *ret_dashes = false;
        while (parser->index < parser->argc && !parser->stop) {
                const char *word = parser->argv[parser->index];
                int r;

                if (word[0] != '-' || word[1] == '\0')
                        break;
                parser->index++;
                if (strcmp(word, "--") == 0) {
                        *ret_dashes = true;
                        break;
                }
                r = word[1] == '-' ? parse_long(parser, word) : parse_short(parser, word);
                if (r == -ENOMEM)
                        return r;
        }
        return 0;
}

void options_print_help(void) {
        for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
                const Option *option = &options[i];
                char left[64], letter[] = { '-', option->letter, ',', ' ', '\0' };

                if (option->name)
                        (void)snprintf(left, sizeof(left), "%s--%s%s%s",
                                       option->letter ? letter : "    ", option->name,
                                       option->metavar ? "=" : "",
                                       option->metavar ? option->metavar : "");
                else
                        (void)snprintf(left, sizeof(left), "-%c %s", option->letter,
                                       option->metavar);
                (void)printf("  %-30s %s\n", left, option->help);
        }
}
