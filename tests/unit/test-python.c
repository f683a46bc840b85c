/* SPDX-License-Identifier: MIT */
/* supervisor/python.c: what the forms execute and grant. */
#include "supervisor/python.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/resolve.h"
#include "supervisor/base/str.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

#define WORDS_MAX 16

typedef struct Fixture {
        Invocation invocation;
        Facts facts;
        Diag diag;
        Policy *policy;
        Python python;
        Program program;
        Outcome outcome;
        char *line;
        int r;
} Fixture;

static void fixture_done(Fixture *f) {
        invocation_done(&f->invocation);
        diag_done(&f->diag);
        (void)policy_free(f->policy);
        python_done(&f->python);
        program_done(&f->program);
        outcome_done(&f->outcome);
        free(f->line);
}

/* Takes the words of @line, split at blanks, as far as the grants. */
static void prepare(Fixture *f, const char *line) {
        char *words[WORDS_MAX + 1] = { NULL }, *rest;
        int argc = 1;

        *f = (Fixture){ .facts = { .uid = 1000, .landlock_abi = 6, .cwd = tree_root() } };
        f->line = tree_expand(line);
        f->outcome = outcome_init();
        words[0] = f->line;
        rest = f->line;
        while (rest && argc < WORDS_MAX)
                words[argc++] = strsep(&rest, " ");
        if (cli_parse(argc, words, &f->invocation, &f->diag) < 0 ||
            /* As layers.c does it. */
            (form_is_python(f->invocation.form) &&
             !settings_last(f->invocation.settings, KEY_Base) &&
             settings_set(f->invocation.settings, "Base", "python", "the form", &f->diag) < 0) ||
            policy_resolve(f->invocation.settings, &f->facts, &f->policy, &f->diag) < 0)
                bail_out("%s: %s", line, f->diag.messages[0].text);
        f->r = form_grant(&f->invocation, &f->facts, f->policy, &f->python, &f->diag);
}

/* "AllowRead=-/a AllowExec=/b": in their order, implicit ones alone. */
static char *implicit(const Policy *policy) {
        char *text = strdup("");

        for (size_t i = 0; text && i < policy->n_grants; i++) {
                const Grant *grant = &policy->grants[i];
                char *longer;

                if (!grant->implicit)
                        continue;
                longer = str_format("%s%s%s=%s%s", text, text[0] ? " " : "", grant->key,
                                    grant->optional ? "-" : "", grant->path);
                free(text);
                text = longer;
        }
        return text;
}

static void test_grants(void) {
        static const struct {
                const char *line, *wanted;
        } rows[] = {
                { "proj/x.py", "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "@/proj/x.py a", "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "./proj/../proj/x.py", "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "proj/link.py", "AllowRead=-@/lib AllowRead=@/lib/real.py" },
                { "linked/x.py", "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "proj/tool", "AllowRead=-@/proj AllowExec=@/proj/tool" },
                { "--working-directory=@/lib proj/x.py",
                  "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "--allow-read=@/proj proj/x.py", "AllowRead=@/proj/x.py" },
                { "--allow-read=@/pro proj/x.py", "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "--allow-write=@ proj/x.py", "AllowRead=@/proj/x.py" },
                { "--allow-read=@/x.py x.py", "" },
                { "--allow-read=/ x.py", "AllowRead=@/x.py" },
                { "--allow-read=/ proj/x.py", "AllowRead=-@/proj AllowRead=@/proj/x.py" },
                { "--allow-read=/ home/visible.py", "AllowRead=@/home/visible.py" },
                { "--allow-exec=@/tool tool", "" },
                { "-c pass", "" },
                { "-", "" },
                { "run proj/x.py", "" },
                { "--working-directory=@/proj -m json.tool", "AllowRead=-@/proj" },
                { "--working-directory=@/linked -m json.tool", "AllowRead=-@/proj" },
                { "--allow-read=@ --working-directory=@/proj -m json.tool", "" },
                { "proj/missing.py", "" },
                { "-p Interpreter=@/venv/bin/python -c pass",
                  "AllowExec=-@/opt AllowExec=-@/venv" },
                { "-p Interpreter=venv/bin/python -p Base=system -c pass", "" },
                { "-p Interpreter=@/venv/bin/python -p Base=python run true",
                  "AllowExec=-@/opt AllowExec=-@/venv" },
        };

        tree_put("proj/x.py", "", 0644);
        tree_put("proj/tool", "#!/bin/sh\n", 0755);
        tree_put("lib/real.py", "", 0644);
        tree_put("x.py", "", 0644);
        tree_put("tool", "#!/bin/sh\n", 0755);
        tree_link("../lib/real.py", "proj/link.py");
        tree_link("proj", "linked");
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f;
                _cleanup_free_ char *got = NULL;

                prepare(&f, rows[i].line);
                if (!is_int(f.r, 0, "P3: '%s'", rows[i].line)) {
                        diagnostic("%s", f.diag.messages[0].text);
                        continue;
                }
                got = implicit(f.policy);
                is_path(got, rows[i].wanted, "P3: has its grants and no other");
                ok(!f.python.unlisted, "P3: a whole directory");
        }
}

static void test_home_grants(void) {
        _cleanup_(fixture_done) Fixture f;
        _cleanup_free_ char *got = NULL;

        tree_put("home/.secret/key", "", 0644);
        tree_put("home/.hidden.py", "", 0644);
        tree_put("home/docs/a", "", 0644);
        tree_link(".secret", "home/harmless");
        tree_link("docs", "home/also");
        if (mkfifo("home/fifo", 0644) < 0)
                bail_out("fifo: %m");
        prepare(&f, "home/visible.py");
        is_int(f.r, 0, "P3: a script in a home directory");
        got = implicit(f.policy);
        is_path(got,
                "AllowRead=-@/home/bin AllowRead=-@/home/docs AllowRead=-@/home/lib "
                "AllowRead=@/home/visible.py",
                "P3: grants all of it but hidden entries and what leads elsewhere");
        ok(f.python.unlisted, "P3: entry by entry");
}

static void test_refused(void) {
        static const struct {
                const char *line, *part;
        } rows[] = {
                { "x.py", "'@' is not granted just because Python runs there" },
                { "x.py", "--allow-read='@/x.py'" },
                { "tool", "--allow-read='@/tool'" },
                { "-m json.tool", "--working-directory=" },
                { "--working-directory=/ -m json.tool", "'/' is not granted" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f;
                _cleanup_free_ char *part = tree_expand(rows[i].part);

                prepare(&f, rows[i].line);
                is_int(f.r, -EINVAL, "P3: '%s' above home directories is refused", rows[i].line);
                has_str(f.diag.messages[0].text, part, "P3: by name, with the way out");
        }
}

static void test_many_entries(void) {
        for (int i = 0; i < 513; i++) {
                char name[32];

                (void)snprintf(name, sizeof(name), "many/file-%d", i);
                tree_put(name, "", 0644);
                if (i < 511)
                        continue;
                _cleanup_(fixture_done) Fixture f;
                tree_home("@/many");
                prepare(&f, "many/file-0");
                is_int(f.r, i == 511 ? 0 : -EINVAL, "P3: a home directory of %d entries", i + 1);
                if (i == 512)
                        has_str(f.diag.messages[0].text, "more than 512 entries", "is too large");
        }
        tree_home("@/home");
}

static void test_programs(void) {
        static const struct {
                const char *line, *path, *argv;
        } rows[] = {
                { "proj/x.py a -b", "@/static/python3",
                  "@/static/python3 -X utf8 -B proj/x.py a -b" },
                { "-c pass", "@/static/python3", "@/static/python3 -X utf8 -B -c pass" },
                { "-mjson.tool --help", "@/static/python3",
                  "@/static/python3 -X utf8 -B -m json.tool --help" },
                { "- x", "@/static/python3", "@/static/python3 -X utf8 -B - x" },
                { "--allow-write=@/proj -c pass", "@/static/python3",
                  "@/static/python3 -X utf8 -c pass" },
                { "-- -x.py", "@/static/python3", "@/static/python3 -X utf8 -B -- -x.py" },
                { "--working-directory=/usr proj/x.py", "@/static/python3",
                  "@/static/python3 -X utf8 -B @/proj/x.py" },
                { "--working-directory=/usr @/proj/x.py", "@/static/python3",
                  "@/static/python3 -X utf8 -B @/proj/x.py" },
                { "-p Interpreter=venv/bin/python -c pass", "@/venv/bin/python",
                  "@/venv/bin/python -X utf8 -B -c pass" },
                { "-p Interpreter=python -c pass", "@/static/python",
                  "@/static/python -X utf8 -B -c pass" },
                { "proj/tool x", "@/proj/tool", "proj/tool x" },
                { "run python3 x", "@/static/python3", "python3 x" },
        };
        _cleanup_free_ char *path = tree_expand("@/static:/usr/bin:/bin");

        tree_home("/nonexistent"); /* so that the current directory is an ordinary one */
        tree_put("-x.py", "", 0644);
        (void)setenv("PATH", path, 1);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f;
                _cleanup_free_ char *got = NULL;

                prepare(&f, rows[i].line);
                if (f.r == 0)
                        f.r = form_program(&f.invocation, &f.facts, f.policy, &f.python, &f.program,
                                           &f.outcome);
                if (!is_int(f.r, 0, "P1 P10: '%s'", rows[i].line)) {
                        diagnostic("%s", f.outcome.message);
                        continue;
                }
                got = tree_join(f.program.argv);
                is_path(f.program.path, rows[i].path, "P1: has its executable");
                is_path(got, rows[i].argv, "P1 P10: and its arguments");
        }
}

static void test_not_found(void) {
        static const struct {
                const char *line, *part;
                int status;
        } rows[] = {
                { "missing.py", "cannot execute 'missing.py': No such file", 127 },
                { "missing.py", "'confine run -- missing.py'", 127 },
                { "missing", "cannot execute './missing': No such file", 127 },
                { "missing", "'confine run -- missing'", 127 },
                { "proj/x.py/y.py", "Not a directory", 127 },
                { "lib/real", "No such file", 127 },
                { "proj/data", "Permission denied: give it the x permission", 126 },
                { "-p Interpreter=python9 -c pass", "cannot execute 'python9': No such file", 127 },
                { "-p Interpreter=proj/tool -c pass", "it is a script", 126 },
                { "-p Interpreter=python9 -p Base=python run true", "'python9'", 127 },
        };

        tree_put("proj/data", "", 0644);
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(fixture_done) Fixture f;

                prepare(&f, rows[i].line);
                is_int(f.r, 0, "'%s' is found out later", rows[i].line);
                is_int(form_program(&f.invocation, &f.facts, f.policy, &f.python, &f.program,
                                    &f.outcome),
                       -ENOTRECOVERABLE, "'%s' is not executed", rows[i].line);
                is_int(f.outcome.exit_status, rows[i].status, "with its status");
                has_str(f.outcome.message, rows[i].part, "S20: and the reason");
        }
}

static void make_files(void) {
        _cleanup_free_ char *config = tree_expand("home = @/opt/bin\n");

        tree_home("@/home");
        tree_python("opt");
        tree_python("home");
        tree_link("python3.99", "opt/bin/python3");
        tree_put("venv/pyvenv.cfg", config, 0644);
        tree_put("venv/bin/x", "", 0755);
        tree_link("../../opt/bin/python3", "venv/bin/python");
        tree_put("static/python3", "\177ELF", 0755);
        tree_link("../opt/bin/python3", "static/python");
        tree_put("home/visible.py", "", 0644);
        tree_put("lib/real.py", "", 0644);
}

int main(void) {
        (void)umask(022);
        (void)setenv("PATH", "/usr/bin:/bin", 1);
        make_files();
        test_grants();
        test_home_grants();
        test_refused();
        test_many_entries();
        test_programs();
        test_not_found();
        tree_remove();
        return done_testing();
}
