/* SPDX-License-Identifier: MIT */
/* supervisor/cli.c: P4, the command lines that report instead of running. */
#include <errno.h>
#include <string.h>

#include "supervisor/cli.h"
#include "tests/unit/tap.h"

#define WORDS_MAX 6

static int parse(const char *const words[static WORDS_MAX], Invocation *ret, Diag *diag) {
        char name[] = "confine", *argv[WORDS_MAX + 2] = { name };
        int argc = 1;

        while (argc <= WORDS_MAX && words[argc - 1]) {
                argv[argc] = strdup(words[argc - 1]);
                if (!argv[argc++])
                        bail_out("out of memory");
        }
        argc = cli_parse(argc, argv, ret, diag);
        for (char **word = argv + 1; *word; word++)
                free(*word);
        return argc;
}

static void test_good(void) {
        static const struct {
                const char *words[WORDS_MAX];
                Verb verb;
                bool dry_run, json, canonical;
        } rows[] = {
                { { "doctor" }, VERB_DOCTOR, false, false, false },
                { { "--user", "doctor", "--json" }, VERB_DOCTOR, false, true, false },
                { { "policy", "keys" }, VERB_POLICY_KEYS, false, false, false },
                { { "policy", "keys", "--json" }, VERB_POLICY_KEYS, false, true, false },
                { { "--tasks=1", "policy", "show", "--canonical" },
                  VERB_POLICY_SHOW,
                  false,
                  false,
                  true },
                { { "--json", "policy", "show", "-pTasksMax=1" },
                  VERB_POLICY_SHOW,
                  false,
                  true,
                  false },
                { { "--dry-run", "x.py", "--json" }, VERB_RUN, true, false, false },
                { { "run", "--json", "--dry-run", "--", "x" }, VERB_RUN, true, true, false },
                { { "policy", "check", "--json", "a", "b" },
                  VERB_POLICY_CHECK,
                  false,
                  true,
                  false },
                { { "log", "--json", "--user", "--policy=x", "--since=today" },
                  VERB_LOG,
                  false,
                  true,
                  false },
                { { "list" }, VERB_LIST, false, false, false },
                { { "list", "--watch", "--json", "--label=a=b", "--user" },
                  VERB_LIST,
                  false,
                  true,
                  false },
                { { "inspect", "12ab", "--json" }, VERB_INSPECT, false, true, false },
                { { "kill", "12", "--signal=sigterm", "34" }, VERB_KILL, false, false, false },
                { { "kill", "--all", "--label=a=b" }, VERB_KILL, false, false, false },
                { { "reap", "--kill", "--json" }, VERB_REAP, false, true, false },
                { { "./policy", "show" }, VERB_RUN, false, false, false },
                { { "--", "policy", "show" }, VERB_RUN, false, false, false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(invocation_done) Invocation invocation = { 0 };
                _cleanup_(diag_done) Diag diag = { 0 };

                is_int(parse(rows[i].words, &invocation, &diag), 0, "P4: row %zu", i);
                is_int(invocation.verb, rows[i].verb, "row %zu: its verb", i);
                ok(invocation.dry_run == rows[i].dry_run && invocation.json == rows[i].json &&
                           invocation.canonical == rows[i].canonical,
                   "row %zu: and how it is told", i);
        }
}

typedef struct Refused {
        const char *words[WORDS_MAX];
        int status;
        const char *part;
} Refused;

static void check_refused(const Refused *rows, size_t n) {
        for (size_t i = 0; i < n; i++) {
                _cleanup_(invocation_done) Invocation invocation = { 0 };
                _cleanup_(diag_done) Diag diag = { 0 };

                is_int(parse(rows[i].words, &invocation, &diag), -EINVAL, "S4: %s: row %zu",
                       rows[0].words[0], i);
                is_int(invocation.error_status, rows[i].status, "row %zu: the status", i);
                has_str(diag.n_messages ? diag.messages[0].text : NULL, rows[i].part,
                        "S20: row %zu: the reason", i);
        }
}

/* Nothing is accepted and ignored. */
static void test_refused(void) {
        static const Refused rows[] = {
                { { "policy" }, 2, "write confine policy show" },
                { { "policy", "shew" }, 2, "write confine policy show" },
                { { "policy", "show", "x" }, 2, "'x' is not an option" },
                { { "policy", "show", "-c", "x" }, 2, "unknown option '-c'" },
                { { "policy", "show", "--dry-run" }, 2, "runs nothing" },
                { { "policy", "show", "--result=x" }, 2, "nothing is run" },
                { { "policy", "show", "--json", "--canonical" }, 2, "is text" },
                { { "policy", "keys", "x" }, 2, "'x' is not an option" },
                { { "policy", "keys", "--memory=1G" }, 2, "leave the options of one out" },
                { { "policy", "keys", "--user" }, 2, "leave the options of one out" },
                { { "policy", "trust", "--policy=x" }, 2, "leave the options of one out" },
                { { "policy", "check" }, 2, "needs a file" },
                { { "policy", "check", "--user", "x" }, 2, "leave the options of one out" },
                { { "policy", "trust", "--json" }, 2, "'policy trust' has none" },
                { { "policy", "trust", "a", "b" }, 2, "'b' is not an option" },
                { { "policy", "keys", "--canonical" }, 2, "is of 'policy show'" },
                { { "log", "x" }, 2, "'log' runs nothing: write confine log --label=KEY=VALUE" },
                { { "log", "--memory=1G" }, 2, "is of a run" },
                { { "log", "-pTasksMax=1" }, 2, "leave the options of a run out" },
                { { "log", "--label=x" }, 2, "write KEY=VALUE" },
                { { "log", "--label=Tenant=x" }, 2, "lower case" },
                { { "list", "--label=a=" }, 2, "1 to 128 bytes" },
                { { "log", "--follow", "--stats" }, 2, "has no end" },
                { { "log", "--openmetrics" }, 2, "is a form of --stats" },
                { { "log", "--stats", "--openmetrics", "--json" }, 2, "beside --json" },
                { { "log", "--merge", "--directory=x" }, 2, "leave --merge out" },
                { { "log", "--id=a", "--id=b" }, 2, "is given twice" },
                { { "run", "--since=today", "x" }, 125, "is of 'log'" },
                { { "run", "--dry-run", "--result=a", "x" }, 125, "nothing is run" },
                { { "run", "--json", "x" }, 125, "add --dry-run" },
                { { "--json", "-c", "x" }, 125, "add --dry-run" },
                { { "--canonical", "x.py" }, 125, "is of 'policy show'" },
        };

        check_refused(rows, ARRAY_SIZE(rows));
}

static void test_refused_manage(void) {
        static const Refused rows[] = {
                { { "list", "x" }, 2, "takes no words" },
                { { "list", "--memory=1G" }, 2, "is of a run" },
                { { "list", "-pTasksMax=1" }, 2, "leave the options of a run out" },
                { { "--label=a=b", "list" }, 2, "write --label= after it" },
                { { "list", "--label=x" }, 2, "write KEY=VALUE" },
                { { "list", "--since=today" }, 2, "is of 'log'" },
                { { "list", "--kill" }, 2, "write confine reap --kill" },
                { { "list", "--result=x" }, 2, "nothing is run" },
                { { "inspect" }, 2, "write confine inspect ID" },
                { { "inspect", "a", "b" }, 2, "write confine inspect ID" },
                { { "inspect", "a", "--label=a=b" }, 2, "leave --label= out" },
                { { "kill" }, 2, "write confine kill ID" },
                { { "kill", "--all", "a" }, 2, "write confine kill ID" },
                { { "kill", "a", "--label=a=b" }, 2, "leave --label= out" },
                { { "kill", "a", "--json" }, 2, "leave --json out" },
                { { "kill", "a", "--signal=NONE" }, 2, "is no signal" },
                { { "kill", "a", "--signal=0" }, 2, "is no signal" },
                { { "kill", "a", "--signal=65" }, 2, "is no signal" },
                { { "reap", "x" }, 2, "takes no words" },
                { { "run", "--watch", "x" }, 125, "write confine list --watch" },
                { { "log", "--all" }, 2, "write confine kill --all" },
        };

        check_refused(rows, ARRAY_SIZE(rows));
}

int main(void) {
        test_good();
        test_refused();
        test_refused_manage();
        return done_testing();
}
