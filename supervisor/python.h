/* SPDX-License-Identifier: MIT */
/* The forms of the command line: what each executes, and what it grants without being asked. */
#pragma once

#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/policy.h"
#include "supervisor/cli.h"
#include "supervisor/outcome.h"
#include "supervisor/program.h"

typedef struct Python {
        char *interpreter;     /* absolute path; owned; NULL: none is needed, or it was not found */
        int interpreter_error; /* why it was not found, a negative errno */
        int script_error;      /* why the file of a form was not found, a negative errno */
        bool unlisted;         /* the directory that the form grants is a home directory, which is
                                  granted without its hidden entries: it cannot be listed */
} Python;

/* Finds the interpreter and the file of the form of @invocation, and adds to @policy what they
 * need: the file and the directory that Python puts into sys.path first; with Base=python what the
 * interpreter itself consists of. What is not found is left to form_program() to tell.
 * Returns 0 with *ret, to be freed with python_done(); -EINVAL with a message in @reterr_diag for a
 * directory that is not granted like that; -ENOMEM. Executes nothing. */
int form_grant(const Invocation *invocation, const Facts *facts, Policy *policy, Python *ret,
               Diag *reterr_diag);

/* Finds what is to be executed for @invocation, as program_resolve() does for a command; for
 * Python, the interpreter in UTF-8 mode, told not to write bytecode where it could not. Returns 0
 * with *ret, to be freed with program_done(); a negative errno with @outcome failed. */
int form_program(const Invocation *invocation, const Facts *facts, const Policy *policy,
                 const Python *python, Program *ret, Outcome *outcome);

/* Frees what @python holds; the struct itself is the caller's. Accepts a zeroed one. */
void python_done(Python *python);
