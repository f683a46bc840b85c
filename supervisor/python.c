/* SPDX-License-Identifier: MIT */
/* The forms of the command line. CPython decides by its own command line what sys.argv,
 * sys.path[0],
 * __file__ and __name__ are, so it gets what the caller wrote, word by word. */
#include "supervisor/python.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/grant.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/homes.h"
#include "supervisor/interpreter.h"

#define HOME_ENTRIES_MAX 512 /* each is a descriptor until the worker has its rules */

typedef struct Context {
        const Facts *facts;
        Policy *policy;
        Python *python;
        Diag *diag;
} Context;

void python_done(Python *python) {
        free(python->interpreter);
        python->interpreter = NULL;
}

/* Adds the canonical @path. What is @optional may be missing, or useless for the uid of the run. */
static int add(const Context *context, Key key, const char *path, bool optional) {
        Policy *policy = context->policy;
        int r;

        r = grant_add(policy, key, path, "the form", context->facts, context->diag);
        if (r < 0)
                return r;
        policy->grants[policy->n_grants - 1].optional = optional;
        policy->grants[policy->n_grants - 1].implicit = true;
        return 0;
}

/* Whether a grant that somebody wrote covers @path, as text: across a link rather not. One of / has
 * no part in it, since it leaves directories out. */
static bool is_granted(const Policy *policy, const char *path) {
        for (size_t i = 0; i < policy->n_grants; i++) {
                const Grant *grant = &policy->grants[i];

                if (!grant->implicit && str_path_below(path, grant->path) &&
                    (grant->path[1] != '\0' || path[1] == '\0'))
                        return true;
        }
        return false;
}

/* Everything in the home directory @home but hidden entries. A link leads elsewhere: what it leads
 * to is an entry of its own, or not in @home. */
static int add_home(const Context *context, const char *home) {
        _cleanup_closedir_ DIR *dir = opendir(home);
        const struct dirent *entry;
        size_t n = 0;

        context->python->unlisted = true;
        while (dir && (entry = readdir(dir))) {
                _cleanup_free_ char *path = str_format("%s/%s", home, entry->d_name),
                                    *printable = NULL;
                struct stat st;
                int r;

                printable = strdup(entry->d_name);
                if (!path || !printable)
                        return -ENOMEM;
                str_make_printable(printable);
                if (entry->d_name[0] == '.' || strcmp(printable, entry->d_name) != 0 ||
                    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
                    !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
                        continue;
                if (++n > HOME_ENTRIES_MAX)
                        return diag_add(context->diag, ERROR_CONFIGURATION,
                                        "the home directory '%s' has more than %d entries to be "
                                        "granted: put the script into a directory of its own",
                                        home, HOME_ENTRIES_MAX);
                r = add(context, KEY_AllowRead, path, true);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* The directory that comes first in sys.path. */
static int add_directory(const Context *context, const char *directory, const char *fix) {
        Place place = homes_place(directory);

        if (is_granted(context->policy, directory) ||
            (place != PLACE_ORDINARY && is_granted(context->policy, "/")))
                return 0;
        switch (place) {
        case PLACE_ORDINARY:
                return add(context, KEY_AllowRead, directory, true);
        case PLACE_HOME:
                return add_home(context, directory);
        case PLACE_ABOVE_HOMES:
                break;
        }
        return diag_add(context->diag, ERROR_CONFIGURATION,
                        "'%.512s' is not granted just because Python runs there, since home "
                        "directories are below it: %s",
                        directory, fix);
}

static int add_script(const Context *context, Form form, const char *name) {
        _cleanup_free_ char *path = realpath(name, NULL), *directory = NULL, *fix = NULL;
        int r;

        if (!path) {
                context->python->script_error = -errno;
                return 0;
        }
        directory = strndup(path, MAX((size_t)(strrchr(path, '/') - path), (size_t)1));
        fix = str_format("move the script into a directory of its own, or grant what it needs with "
                         "--allow-read='%s'",
                         path);
        if (!directory || !fix)
                return -ENOMEM;
        /* A grant of the file alone is the way out of a directory that is refused. */
        if (!is_granted(context->policy, path) || homes_place(directory) != PLACE_ABOVE_HOMES) {
                r = add_directory(context, directory, fix);
                if (r < 0)
                        return r;
        }
        return add(context, form == FORM_PROGRAM ? KEY_AllowExec : KEY_AllowRead, path, false);
}

static int add_module(const Context *context) {
        const char *name = context->policy->working_directory ? context->policy->working_directory
                                                              : context->facts->cwd;
        _cleanup_free_ char *path = name ? realpath(name, NULL) : NULL;

        if (!path)
                return 0; /* Python finds no module there either, or the worker says so */
        return add_directory(context, path,
                             "call confine in the directory of the module, or name it with "
                             "--working-directory=");
}

static int add_interpreter(const Context *context) {
        _cleanup_(strv_freep) char **files = NULL;
        int r;

        r = interpreter_files(context->python->interpreter, &files);
        for (size_t i = 0; r >= 0 && files && files[i]; i++)
                r = add(context, KEY_AllowExec, files[i], true);
        return r;
}

static int find_interpreter(const Context *context) {
        Policy *policy = context->policy;
        Python *python = context->python;
        int r;

        r = program_find(policy->interpreter, true, &python->interpreter);
        if (r >= 0 && !policy->subprocess && interpreter_is_script(python->interpreter))
                r = -ENOEXEC;
        if (r >= 0 && policy->base == BASE_PYTHON)
                r = add_interpreter(context);
        if (r == -ENOMEM || r == -EINVAL)
                return r;
        python->interpreter_error = MIN(r, 0);
        return 0;
}

int form_grant(const Invocation *invocation, const Facts *facts, Policy *policy, Python *ret,
               Diag *reterr_diag) {
        const Context context = { facts, policy, ret, reterr_diag };
        int r = 0;

        *ret = (Python){ 0 };
        if (form_is_python(invocation->form) || policy->base == BASE_PYTHON)
                r = find_interpreter(&context);
        if (r < 0)
                return r;
        switch (invocation->form) {
        case FORM_SCRIPT:
        case FORM_PROGRAM:
                r = add_script(&context, invocation->form, invocation->command[0]);
                break;
        case FORM_MODULE:
                r = add_module(&context);
                break;
        case FORM_COMMAND:
        case FORM_CODE:
        case FORM_STDIN:
                break;
        }
        if (r < 0)
                return r;
        grants_normalize(policy);
        return 0;
}

static bool has_write_grant(const Policy *policy) {
        for (size_t i = 0; i < policy->n_grants; i++)
                if (policy->grants[i].access & GRANT_WRITE)
                        return true;
        return false;
}

static int fail_interpreter(const Policy *policy, int error, Outcome *outcome) {
        return program_fail(policy->interpreter, error,
                            error == -ENOEXEC
                                    ? "it is a script that would execute another program: name the "
                                      "interpreter with -p Interpreter=PATH"
                                    : "install it, or name another with -p Interpreter=PATH",
                            outcome);
}

static int fail_script(const char *name, int error, Outcome *outcome) {
        _cleanup_free_ char *fix = NULL;
        const char *bare;

        if (error != -ENOENT && error != -ENOTDIR)
                return program_fail(name, error, "check the permissions of its directories",
                                    outcome);
        /* A name without a slash got "./" from the command line. */
        bare = strncmp(name, "./", 2) == 0 ? name + 2 : name;
        if (!strchr(bare, '/'))
                fix = str_format("check the name; 'confine run -- %.256s' runs the command of that "
                                 "name",
                                 bare);
        return program_fail(name, error, fix ? fix : "check the path", outcome);
}

/* python3 -X utf8 [-B] WORD... : with -X rather than PYTHONUTF8, which a program would see in its
 * environment and hand on. */
static int python_program(const Python *python, Form form, char **command, const Facts *facts,
                          const Policy *policy, Program *ret) {
        size_t n = strv_length(command), at = 0;
        char *rest;

        ret->path = strdup(python->interpreter);
        /* A name is relative to the directory of the call, not to that of the run. */
        if (form == FORM_SCRIPT && policy->working_directory && command[0][0] != '/' && facts->cwd)
                ret->script = str_format("%s/%s", facts->cwd, command[0]);
        ret->words = str_format("-X utf8%s%s", has_write_grant(policy) ? "" : " -B",
                                form == FORM_SCRIPT && command[0][0] == '-' ? " --" : "");
        ret->argv = calloc(n + 6, sizeof(char *));
        if (!ret->path || !ret->words || !ret->argv)
                return -ENOMEM;
        /* CPython finds itself, and its virtualenv, by this. */
        ret->argv[at++] = ret->path;
        for (char *word = strtok_r(ret->words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
                ret->argv[at++] = word;
        memcpy(ret->argv + at, command, n * sizeof(char *));
        if (ret->script)
                ret->argv[at] = ret->script;
        return 0;
}

int form_program(const Invocation *invocation, const Facts *facts, const Policy *policy,
                 const Python *python, Program *ret, Outcome *outcome) {
        char **command = invocation->command;
        int r;

        if (python->interpreter_error < 0)
                return fail_interpreter(policy, python->interpreter_error, outcome);
        if (python->script_error < 0)
                return fail_script(command[0], python->script_error, outcome);
        if (!form_is_python(invocation->form))
                return program_resolve(command, policy, ret, outcome);
        r = python_program(python, invocation->form, command, facts, policy, ret);
        return r < 0 ? program_fail(command[0], r, NULL, outcome) : 0;
}
