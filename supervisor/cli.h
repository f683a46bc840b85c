/* SPDX-License-Identifier: MIT */
/* The command line: argv -> Invocation. Tables only; nothing is carried out here. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "policy/diag.h"
#include "policy/settings.h"

typedef enum Verb {
        VERB_RUN,
        VERB_NO_SANDBOX,
        VERB_HELP,
        VERB_VERSION,
        VERB_DOCTOR,
        VERB_POLICY_SHOW,
        VERB_POLICY_KEYS,
        VERB_POLICY_CHECK,
        VERB_POLICY_TRUST,
        VERB_LOG,
        VERB_LIST,
        VERB_INSPECT,
        VERB_KILL,
        VERB_REAP,
        _VERB_MAX,
        _VERB_INVALID = -22,
} Verb;

typedef enum Form {
        FORM_COMMAND, /* run COMMAND */
        FORM_PROGRAM, /* a file that says itself what it is run by */
        FORM_SCRIPT,  /* a file for Python */
        FORM_CODE,    /* -c */
        FORM_MODULE,  /* -m */
        FORM_STDIN,   /* - */
} Form;

typedef enum ManagerChoice {
        MANAGER_DEFAULT, /* system for root, user for everybody else */
        MANAGER_SYSTEM,
        MANAGER_USER,
} ManagerChoice;

typedef enum Guarded {
        GUARDED_PROJECT, /* the project's own file */
        GUARDED_USER,    /* the user's */
        GUARDED_NAMED,   /* the one of --policy, root's excepted */
        _GUARDED_MAX,
} Guarded;

typedef enum LogText {
        LOG_TEXT_SINCE,
        LOG_TEXT_UNTIL,
        LOG_TEXT_CAUSE,
        LOG_TEXT_ID,
        LOG_TEXT_DIRECTORY,
        LOG_TEXT_UID,
        _LOG_TEXT_MAX,
} LogText;

/* What VERB_LOG is to show; --policy, --system, --user and --json are where they always are. */
typedef struct LogOptions {
        char *text[_LOG_TEXT_MAX]; /* arguments of the options of that name, or NULL; owned */
        bool merge, follow, stats, metrics, no_pager;
        const char *given; /* one of the options that only VERB_LOG has, or NULL; static */
} LogOptions;

/* What VERB_LIST, VERB_INSPECT, VERB_KILL and VERB_REAP are to do. */
typedef struct ManageOptions {
        bool watch, all, kill;
        int signal; /* 0: not said */
} ManageOptions;

typedef struct Invocation {
        Verb verb;
        Form form;        /* of VERB_RUN */
        int error_status; /* after a failure: 125 for a refused run, 2 for wrong usage */
        bool show_usage;  /* after a failure: cli_print_usage() belongs before the messages */
        ManagerChoice manager;
        bool quiet;
        bool verbose;
        bool dry_run;   /* of VERB_RUN: report it, run nothing */
        bool json;      /* of what reports: as one JSON object */
        bool canonical; /* of VERB_POLICY_SHOW: the canonical text alone */
        char *result;   /* argument of --result (FILE or fd:N), or NULL; owned */
        char *policy;   /* argument of --policy, or NULL; owned */
        char *trusted;  /* the file of VERB_POLICY_TRUST, or NULL; owned */
        char **labels;  /* KEY=VALUE, which runs VERB_LOG and those that manage mean; owned */
        LogOptions log;
        ManageOptions manage;
        Settings *settings;          /* owned; after layers_read() those of all layers */
        char *guarded[_GUARDED_MAX]; /* policy files that a run must not be able to write, or NULL;
                                        owned */
        char **words;                /* all of argv after its first, NULL-terminated, not owned */
        char **command; /* what is run: the program or its form, -c CODE say, and the arguments;
                           NULL-terminated, owned; not empty for VERB_RUN; of VERB_POLICY_CHECK
                           files, of those that manage ids */
} Invocation;

/* Whether @verb looks at runs that go on, or ends them. */
bool verb_manages(Verb verb);

/* Whether Python runs what @form names. */
bool form_is_python(Form form);

/* Parses @argv. Returns 0; -EINVAL with messages in @reterr_diag (usage errors are
 * ConfigurationError); -ENOMEM. Free @ret_invocation's contents with invocation_done(), also after
 * a failure. Never prints. */
int cli_parse(int argc, char **argv, Invocation *ret_invocation, Diag *reterr_diag);

/* Prints the text of `confine --help`, made from the tables of options and keys, to stdout. */
void cli_print_help(void);

/* Prints the forms of the command line to @stream. */
void cli_print_usage(FILE *stream);

/* Frees what @invocation holds; the struct itself is the caller's. */
void invocation_done(Invocation *invocation);
