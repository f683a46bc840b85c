/* SPDX-License-Identifier: MIT */
/* The options of the command line, one after the other: what cli.c and options.c share. */
#pragma once

#include "supervisor/cli.h"

#define LATER "is not supported yet: a later version builds it"

/* Where the parsing of a command line is. */
typedef struct Parser {
        int argc;
        char **argv;
        int index;      /* of the word to be looked at next */
        bool verb_seen; /* "run" was read */
        bool stop;      /* the rest is not ours, or there is nothing more to do */
        const char *manager_origin;
        const char *form_word; /* -c or -m, after it was read, and its argument */
        const char *form_argument;
        Invocation *invocation;
        Diag *diag;
} Parser;

/* Takes options up to the first word that is none, and acts on each.
 * Returns 0, also after faults, which are in the parser's diag; -ENOMEM. *ret_dashes: "--" ended
 * them. */
int options_parse(Parser *parser, bool *ret_dashes);

/* Whether the options and words that were given go with the verb: what only a report has is no part
 * of another verb, and the other way round. Returns 0; a negative errno with a message in the
 * parser's diag. */
int cli_check(const Parser *parser);

/* Prints the options of this version to stdout, a line each. */
void options_print_help(void);
