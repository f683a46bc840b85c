/* SPDX-License-Identifier: MIT */
/* supervisor/cli.c and options.c: the forms of product.md section 1, and what is refused by name
 * (S4). */
#include "supervisor/cli.h"

#include <errno.h>
#include <string.h>

#include "policy/resolve.h"
#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

#define WORDS_MAX 16

typedef struct Fixture {
        Invocation invocation;
        Diag diag;
        char *words[WORDS_MAX + 1];
        char *line;
        int r;
} Fixture;

static void fixture_done(Fixture *f) {
        invocation_done(&f->invocation);
        diag_done(&f->diag);
        free(f->line);
}

/* Parses @line, split at '|', after the program's name. */
static void parse(Fixture *f, const char *line) {
        int argc = 0;
        char *rest;

        f->line = strdup(line);
        if (!f->line)
                bail_out("out of memory");
        f->words[argc++] = f->line + strlen(line); /* argv[0]: "" */
        rest = line[0] == '\0' ? NULL : f->line;
        while (rest && argc < WORDS_MAX)
                f->words[argc++] = strsep(&rest, "|");
        f->r = cli_parse(argc, f->words, &f->invocation, &f->diag);
}

static void test_good(void) {
        static const struct {
                const char *line, *command;
                size_t n_settings;
        } rows[] = {
                { "run|true", "true", 0 },
                { "run|--|true", "true", 0 },
                { "run|--|--help", "--help", 0 },
                { "run|--|run", "run", 0 },
                { "run|run", "run", 0 },
                { "run|--|--|x", "--", 0 },
                { "run|-", "-", 0 },
                { "run||x", "", 0 },
                { "run|true|--memory=x", "true", 0 },
                { "--memory=1G|run|--|true", "true", 1 },
                { "--memory|1G|run|true", "true", 1 },
                { "-q|run|-v|--tasks=5|true", "true", 1 },
                { "run|-qvp|MemoryMax=1G|true", "true", 1 },
                { "run|-pMemoryMax=1G|-p|TasksMax=1|true", "true", 2 },
                { "run|--property=MemoryMax=1G|true", "true", 1 },
                { "run|-EA=1|-E|B|--setenv=C=x|--setenv|D|true", "true", 4 },
                { "run|--allow-run|--allow-read=/a|--allow-read|/b|true", "true", 3 },
                { "run|--allow-read=|x", "x", 1 }, /* refused by resolve.c */
                { "run|--user|--user|x", "x", 0 },
                { "run|-p|PrivateTmp=no|-p|Network=deny|x", "x", 2 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f = { 0 };

                parse(&f, rows[i].line);
                if (!is_int(f.r, 0, "P1: '%s'", rows[i].line)) {
                        diagnostic("%s", f.diag.messages[0].text);
                        continue;
                }
                is_int(f.invocation.verb, VERB_RUN, "'%s' is a run", rows[i].line);
                is_str(f.invocation.command[0], rows[i].command, "of the command");
                is_uint(settings_count(f.invocation.settings), rows[i].n_settings,
                        "with its settings");
        }
}

/* The words of @invocation's command, each after a '|'. */
static char *join(const Invocation *invocation) {
        char *text = strdup("");

        for (size_t i = 0; text && invocation->command && invocation->command[i]; i++) {
                char *longer = str_format("%s|%s", text, invocation->command[i]);

                free(text);
                text = longer;
        }
        return text;
}

/* P1: what is run is told by the first word that is no option. */
static void test_forms(void) {
        static const struct {
                const char *line;
                Form form;
                const char *command;
                size_t n_settings;
        } rows[] = {
                { "x.py", FORM_SCRIPT, "|x.py", 0 },
                { "a/b.py|-c|--memory=1", FORM_SCRIPT, "|a/b.py|-c|--memory=1", 0 },
                { "-q|--memory=1G|--|x.py|--", FORM_SCRIPT, "|x.py|--", 1 },
                { "--|-x.py", FORM_SCRIPT, "|-x.py", 0 },
                { ".py", FORM_SCRIPT, "|.py", 0 },
                { "-pBase=none|x.py", FORM_SCRIPT, "|x.py", 1 },
                { "-p|Base=system|-c|x", FORM_CODE, "|-c|x", 1 },
                { "x", FORM_PROGRAM, "|./x", 0 },
                { "x.pyc|x.py", FORM_PROGRAM, "|./x.pyc|x.py", 0 },
                { "X.PY", FORM_PROGRAM, "|./X.PY", 0 },
                { "./run|x", FORM_PROGRAM, "|./run|x", 0 },
                { "/a/b|x", FORM_PROGRAM, "|/a/b|x", 0 },
                { "--|run|x", FORM_PROGRAM, "|./run|x", 0 },
                { "--|-c|x", FORM_PROGRAM, "|./-c|x", 0 },
                { "-c|print(1)", FORM_CODE, "|-c|print(1)", 0 },
                { "-cprint(1)|-q|run", FORM_CODE, "|-c|print(1)|-q|run", 0 },
                { "-qc||x", FORM_CODE, "|-c||x", 0 },
                { "-c|-q", FORM_CODE, "|-c|-q", 0 },
                { "-m|http.server|--bogus", FORM_MODULE, "|-m|http.server|--bogus", 0 },
                { "-vqmhttp.server|--|x", FORM_MODULE, "|-m|http.server|--|x", 0 },
                { "-|a|-q", FORM_STDIN, "|-|a|-q", 0 },
                { "--allow-run|-", FORM_STDIN, "|-", 1 },
                { "run|x.py", FORM_COMMAND, "|x.py", 0 },
                { "run|-", FORM_COMMAND, "|-", 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f = { 0 };
                _cleanup_free_ char *command = NULL;

                parse(&f, rows[i].line);
                if (!is_int(f.r, 0, "P1: '%s'", rows[i].line)) {
                        diagnostic("%s", f.diag.messages[0].text);
                        continue;
                }
                command = join(&f.invocation);
                is_int(f.invocation.form, rows[i].form, "has its form");
                is_str(command, rows[i].command, "and its words");
                is_uint(settings_count(f.invocation.settings), rows[i].n_settings,
                        "and its settings");
        }
}

/* P4: everything after it is for Python. */
static void test_no_sandbox(void) {
        static const struct {
                const char *line, *command;
        } rows[] = {
                { "--no-sandbox", "" },
                { "--no-sandbox|-c|x", "|-c|x" },
                { "--no-sandbox|--no-sandbox|--help|run", "|--no-sandbox|--help|run" },
                { "--no-sandbox|--|x.py", "|--|x.py" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f = { 0 };
                _cleanup_free_ char *command = NULL;

                parse(&f, rows[i].line);
                is_int(f.r, 0, "P4: '%s'", rows[i].line);
                command = join(&f.invocation);
                is_int(f.invocation.verb, VERB_NO_SANDBOX, "is without sandbox");
                is_str(command, rows[i].command, "and the rest is as it was");
        }
}

/* P2: every short spelling is a key. */
static void test_spellings(void) {
        static const struct {
                const char *option;
                Key key;
                const char *value;
        } rows[] = {
                { "--allow-read=/a", KEY_AllowRead, "/a" },
                { "--allow-write=/a", KEY_AllowWrite, "/a" },
                { "--allow-exec=/a b", KEY_AllowExec, "/a b" },
                { "--allow-run", KEY_Subprocess, "allow" },
                { "--allow-env=A", KEY_PassEnvironment, "A" },
                { "--setenv=A", KEY_PassEnvironment, "A" },
                { "--setenv=A=1=2", KEY_Environment, "A=1=2" },
                { "-EA=", KEY_Environment, "A=" },
                { "--memory=1G", KEY_MemoryMax, "1G" },
                { "--cpu=50%", KEY_CPUQuota, "50%" },
                { "--tasks=5", KEY_TasksMax, "5" },
                { "--timeout=5s", KEY_RuntimeMaxSec, "5s" },
                { "--working-directory=/", KEY_WorkingDirectory, "/" },
                { "--uid=u", KEY_User, "u" },
                { "--gid=g", KEY_Group, "g" },
                { "-pLimitFSIZE=1M", KEY_LimitFSIZE, "1M" },
                { "-pEnvironment=A=1", KEY_Environment, "A=1" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f = { 0 };
                char line[128];

                (void)snprintf(line, sizeof(line), "run|%s|x", rows[i].option);
                parse(&f, line);
                if (!is_int(f.r, 0, "P2: %s", rows[i].option))
                        continue;
                is_int(settings_at(f.invocation.settings, 0)->key, rows[i].key, "sets %s",
                       key_info(rows[i].key)->name);
                is_str(settings_at(f.invocation.settings, 0)->value, rows[i].value, "to its value");
        }
}

static const struct {
        const char *line;
        int status;
        ErrorType type;
        const char *part;
} refused[] = {
        { "", 2, ERROR_CONFIGURATION, "nothing to run" },
        { "-q", 2, ERROR_CONFIGURATION, "nothing to run" },
        { "--", 2, ERROR_CONFIGURATION, "nothing to run" },
        { "--bogus", 2, ERROR_CONFIGURATION, "unknown option '--bogus'" },
        { "run", 125, ERROR_CONFIGURATION, "'run' needs a command" },
        { "run|--", 125, ERROR_CONFIGURATION, "'run' needs a command" },
        { "run|--bogus|x", 125, ERROR_CONFIGURATION, "unknown option '--bogus'" },
        { "--bogus|run|x", 125, ERROR_CONFIGURATION, "unknown option '--bogus'" },
        { "run|--mem=1G|x", 125, ERROR_CONFIGURATION, "write '--memory'" },
        { "run|--allow-reads=/a|x", 125, ERROR_CONFIGURATION, "write '--allow-read'" },
        { "run|---|x", 125, ERROR_CONFIGURATION, "unknown option '---'" },
        { "run|--=x|x", 125, ERROR_CONFIGURATION, "unknown option '--'" },
        { "run|-x|y", 125, ERROR_CONFIGURATION, "unknown option '-x'" },
        { "run|-qx|y", 125, ERROR_CONFIGURATION, "unknown option '-x'" },
        { "run|-c|y", 125, ERROR_CONFIGURATION, "unknown option '-c'" },
        { "run|--memory", 125, ERROR_CONFIGURATION, "write --memory SIZE" },
        { "run|--label", 125, ERROR_CONFIGURATION, "write --label KEY=VALUE" },
        { "run|-p", 125, ERROR_CONFIGURATION, "write -p KEY=VALUE" },
        { "run|--quiet=1|x", 125, ERROR_CONFIGURATION, "takes no argument" },
        { "run|--allow-run=yes|x", 125, ERROR_CONFIGURATION, "takes no argument" },
        { "run|-p|MemoryMax|x", 125, ERROR_CONFIGURATION, "has no '='" },
        { "run|-p|Memory=1|x", 125, ERROR_CONFIGURATION, "(-p Memory)" },
        { "run|--memory=1G|-p|MemoryMax=1G|x", 125, ERROR_CONFIGURATION,
          "given twice: --memory and -p MemoryMax" },
        { "--tasks=1|run|--tasks=1|x", 125, ERROR_CONFIGURATION, "given twice" },
        { "run|--user|--system|x", 125, ERROR_CONFIGURATION, "'--user' and '--system' contradict" },
        { "run|--system|--user|x", 125, ERROR_CONFIGURATION, "'--system' and '--user'" },
        { "run|--result=|x", 125, ERROR_CONFIGURATION, "no place for a result" },
        { "run|--result=fd:|x", 125, ERROR_CONFIGURATION, "no place for a result" },
        { "run|--result=fd:-1|x", 125, ERROR_CONFIGURATION, "no place for a result" },
        { "run|--result=fd:2147483648|x", 125, ERROR_CONFIGURATION, "no place" },
        { "run|--result=a|--result=b|x", 125, ERROR_CONFIGURATION, "given twice" },
        { "-c", 2, ERROR_CONFIGURATION, "write -c CODE" },
        { "-qm", 2, ERROR_CONFIGURATION, "write -m MODULE" },
        { "run|-m|x", 125, ERROR_CONFIGURATION, "unknown option '-m'" },
        { "--bogus|x.py", 125, ERROR_CONFIGURATION, "unknown option '--bogus'" },
        { "--bogus|-c|x", 125, ERROR_CONFIGURATION, "unknown option '--bogus'" },
        { "-q|--no-sandbox|-c|x", 125, ERROR_CONFIGURATION, "'--no-sandbox' is the first word" },
        { "run|--no-sandbox|x", 125, ERROR_CONFIGURATION, "'--no-sandbox' is the first word" },
        { "--no-sandbox=x", 2, ERROR_CONFIGURATION, "takes no argument" },
        { "run|--policy=a|--policy=b|x", 125, ERROR_CONFIGURATION, "'--policy' is given twice" },
        { "run|--slice=a|--slice=b|x", 125, ERROR_CONFIGURATION, "given twice" },
        { "run|--allow-net=a:1|x", 125, ERROR_CAPABILITY,
          "'--allow-net=a:1' is not supported yet" },
        { "run|--allow-net=|x", 125, ERROR_CAPABILITY, "leave the argument out" },
        { "run|--allow-net|-p|Network=allow|x", 125, ERROR_CONFIGURATION, "given twice" },
        { "run|-p|Network=learn|x", 125, ERROR_CAPABILITY, "'Network=learn'" },
};

static void test_refused(void) {
        for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
                _cleanup_(fixture_done) Fixture f = { 0 };

                parse(&f, refused[i].line);
                if (!is_int(f.r, -EINVAL, "S4: '%s' is refused", refused[i].line))
                        continue;
                is_int(f.invocation.error_status, refused[i].status, "with status %d",
                       refused[i].status);
                is_int(f.diag.messages[0].type, refused[i].type, "as %s",
                       error_name(refused[i].type));
                has_str(f.diag.messages[0].text, refused[i].part, "S20: and the reason");
        }
}

static void test_flags(void) {
        _cleanup_(fixture_done) Fixture f = { 0 }, g = { 0 }, h = { 0 };

        parse(&f, "run|-q|-v|--user|--result=fd:3|x|y");
        is_int(f.r, 0, "flags");
        ok(f.invocation.quiet && f.invocation.verbose, "quiet and verbose");
        is_int(f.invocation.manager, MANAGER_USER, "the user manager");
        is_str(f.invocation.result, "fd:3", "the place of the result");
        is_str(f.invocation.command[1], "y", "arguments follow the command");
        ok(f.invocation.command[2] == NULL, "and end");
        parse(&g, "run|x");
        is_int(g.invocation.manager, MANAGER_DEFAULT, "no manager is chosen by default");
        ok(!g.invocation.quiet && !g.invocation.verbose && !g.invocation.result, "nor anything");
        parse(&h, "run|--system|x");
        is_int(h.invocation.manager, MANAGER_SYSTEM, "the system manager");
}

static void test_usage(void) {
        static const struct {
                const char *line;
                int r;
                Verb verb;
        } rows[] = {
                { "--help", 0, VERB_HELP },         { "-h", 0, VERB_HELP },
                { "run|--help", 0, VERB_HELP },     { "run|-qh|--bogus", 0, VERB_HELP },
                { "--version", 0, VERB_VERSION },   { "run|--version", 0, VERB_VERSION },
                { "--help|--bogus", 0, VERB_HELP }, { "--bogus|--help", -EINVAL, VERB_HELP },
        };
        _cleanup_(fixture_done) Fixture bare = { 0 }, nothing = { 0 };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f = { 0 };

                parse(&f, rows[i].line);
                is_int(f.r, rows[i].r, "'%s'", rows[i].line);
                is_int(f.invocation.verb, rows[i].verb, "is asked for");
        }
        parse(&bare, "");
        ok(bare.invocation.show_usage, "bare confine shows the usage");
        nothing.r = cli_parse(0, nothing.words, &nothing.invocation, &nothing.diag);
        is_int(nothing.r, -EINVAL, "an empty argv is bare too");
}

/* All faults of a command line are said at once. */
static void test_all_faults(void) {
        _cleanup_(fixture_done) Fixture f = { 0 };

        parse(&f, "--bogus|run|--slice=x|-pSlice=y|--allow-net=1|-z|--memory");
        is_int(f.r, -EINVAL, "many faults");
        is_uint(f.diag.n_messages, 6, "are all said");
}

static void test_help(void) {
        _cleanup_free_ char *text = NULL;
        size_t size_bytes = 0;
        FILE *stream = open_memstream(&text, &size_bytes), *saved = stdout;

        if (!stream)
                bail_out("out of memory");
        stdout = stream; /* glibc and musl both let it be set */
        cli_print_help();
        stdout = saved;
        (void)fclose(stream);
        has_str(text, "       confine run [OPTIONS]", "help has the usage");
        has_str(text, "-p, --property=KEY=VALUE", "and the options");
        has_str(text, "-c CODE", "and the forms");
        has_str(text, "--memory=SIZE", "with their arguments");
        has_str(text, "RuntimeMaxSec=300s", "and the keys with their defaults");
        ok(text && !strstr(text, "Domains"), "but nothing that is not built");
}

int main(void) {
        test_good();
        test_forms();
        test_no_sandbox();
        test_spellings();
        test_refused();
        test_flags();
        test_usage();
        test_all_faults();
        test_help();
        return done_testing();
}
