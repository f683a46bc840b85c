/* SPDX-License-Identifier: MIT */
/* Without memory nothing crashes, leaks (VARIANT=asan) or half succeeds: every allocation on the
 * way from a command line to the text of its policy fails once. The linker redirects the calls of
 * our own objects here (--wrap in the Makefile); those within libc do not fail. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "policy/policy-file.h"
#include "policy/profile.h"
#include "policy/resolve.h"
#include "policy/wire.h"
#include "supervisor/cli.h"
#include "tests/unit/tap.h"

#define ALLOCATIONS_MAX 10000 /* a run makes a few hundred */

static size_t n_left = SIZE_MAX; /* allocations that still succeed */
static bool failed;

static bool fails(void) {
        if (n_left == SIZE_MAX || n_left-- > 0)
                return false;
        n_left = SIZE_MAX; /* one at a time */
        failed = true;
        errno = ENOMEM;
        return true;
}

/* clang-format off */
#define WRAP(type, name, parameters, arguments)                                                    \
        type __real_##name parameters;                                                             \
        type __wrap_##name parameters;                                                             \
        type __wrap_##name parameters {                                                            \
                return fails() ? NULL : __real_##name arguments;                                   \
        }
WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, reallocarray, (void *p, size_t n, size_t size), (p, n, size))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t n), (s, n))
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size))
/* clang-format on */

/* With _FORTIFY_SOURCE asprintf() is another name. */
int __wrap_asprintf(char **ret, const char *format, ...) _printf_(2, 3);
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...) _printf_(3, 4);

int __wrap_asprintf(char **ret, const char *format, ...) {
        va_list args;
        int n;

        if (fails())
                return -1;
        va_start(args, format);
        n = vasprintf(ret, format, args);
        va_end(args);
        return n;
}

int __wrap___asprintf_chk(char **ret, int flag _unused_, const char *format, ...) {
        va_list args;
        int n;

        if (fails())
                return -1;
        va_start(args, format);
        n = vasprintf(ret, format, args);
        va_end(args);
        return n;
}

typedef struct Subject {
        const char *const *words; /* of a command line, */
        const char *profile;      /* or the text of a seccomp profile */
        const char *file;         /* or that of a policy file of the site */
} Subject;

static int read_profile(const char *text, Diag *diag) {
        _cleanup_(profile_done) Profile profile = { 0 };

        return profile_parse(&profile, text, strlen(text), "test.json", diag);
}

static int read_file(const char *text, Diag *diag) {
        static const PolicyFile file = { .name = "/etc/confine/confine.conf",
                                         .directory = "/etc/confine",
                                         .layer = LAYER_SITE,
                                         .home = "/root" };
        _cleanup_(settings_freep) Settings *settings = settings_new(), *all = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        int r;

        if (!settings || !all)
                return -ENOMEM;
        r = policy_file_parse(&file, text, strlen(text), settings, diag);
        if (r == 0)
                r = settings_add_all(all, settings, diag);
        return r < 0 ? r : policy_resolve(settings, &facts_of_any_machine, &policy, diag);
}

/* The whole way of a command line. Returns what the first function that failed returned. */
static int read_command(char **argv, int argc, Diag *diag) {
        static const Facts facts = { .uid = 0, .landlock_abi = 4, .cwd = "/home/u" };
        _cleanup_(invocation_done) Invocation invocation = { 0 };
        _cleanup_(policy_freep) Policy *policy = NULL, *again = NULL;
        _cleanup_free_ char *text = NULL;
        int r;

        r = cli_parse(argc, argv, &invocation, diag);
        if (r < 0)
                return r;
        r = policy_resolve(invocation.settings, &facts, &policy, diag);
        if (r < 0)
                return r;
        r = wire_format(policy, &text);
        if (r < 0)
                return r;
        return wire_parse(text, &again, diag);
}

static int run(const Subject *subject, Diag *diag) {
        char *argv[32] = { NULL };
        int argc = 0;

        if (subject->profile)
                return read_profile(subject->profile, diag);
        if (subject->file)
                return read_file(subject->file, diag);
        /* Nobody writes to them. */
        for (; subject->words[argc]; argc++)
                memcpy(&argv[argc], &subject->words[argc], sizeof(argv[0]));
        return read_command(argv, argc, diag);
}

static void fail_each(Subject subject, int wanted, const char *what) {
        int n_wrong = 0;
        size_t n;

        for (n = 0; n < ALLOCATIONS_MAX; n++) {
                Diag diag = { 0 };
                int r;

                failed = false;
                n_left = n;
                r = run(&subject, &diag);
                n_left = SIZE_MAX;
                if (!failed) {
                        is_int(r, wanted, "%s: as expected with memory", what);
                        diag_done(&diag);
                        break;
                }
                /* A message that was lost is still an error. */
                if (r != -ENOMEM && !(r == -EINVAL && (diag.n_dropped > 0 || wanted == -EINVAL))) {
                        diagnostic("allocation %zu: %d", n, r);
                        n_wrong++;
                }
                diag_done(&diag);
        }
        ok(n > 5 && n < ALLOCATIONS_MAX, "%s: %zu allocations failed in turn", what, n);
        is_int(n_wrong, 0, "P5 S4: %s: each failure is one", what);
}

static void fail_files(void) {
        static const char good[] =
                "[Limits]\nMemoryMax=1G\n[Files]\nAllowRead=~/a\nAllowWrite=-/b\n[Process]\n"
                "SeccompProfile=x\n[Ceiling]\nMemoryMax=2G\nAllowRead=/\nNoSandbox=no\n";
        static const char bad[] =
                "[Limits]\nMemoryMax=1.5G\nTask=1\n[Files]\nAllowRead=${X}\nAllowRead=\n x\n";

        fail_each((Subject){ .file = good }, 0, "a policy file");
        fail_each((Subject){ .file = bad }, -EINVAL, "a refused policy file");
}

int main(void) {
        static const char profile[] =
                "{\"version\":1,\"groups\":[{\"name\":\"g\",\"reason\":\"r\",\"calls\":["
                "\"read\",{\"name\":\"ioctl\",\"arguments\":[{\"index\":1,\"in\":[\"TCGETS\",2]}]},"
                "{\"name\":\"clone\",\"arguments\":[{\"index\":0,\"without\":1},{\"index\":1,"
                "\"only\":3}]},"
                "{\"name\":\"prlimit64\",\"arguments\":[{\"index\":2,\"null\":true}]}]}]}";
        static const char *const good[] = {
                "confine", "run", "--allow-read=a", "--allow-write=/b",      "--result=x", "-EA=1",
                "-EA=2",   "-EB", "--uid=u",        "--working-directory=.", "-pGroup=g",  "true",
                NULL
        };
        static const char *const bad_value[] = { "confine",
                                                 "run",
                                                 "--allow-read=/",
                                                 "-EA=1",
                                                 "--uid=",
                                                 "--memory=1.5G",
                                                 "--working-directory=",
                                                 "-E1=",
                                                 "--allow-write=x",
                                                 "true",
                                                 NULL };
        static const char *const bad_option[] = {
                "confine",  "run",          "-pUsers=a",   "--slice=a",
                "--mem=1G", "-pX",          "--allow-net", "--allow-read=/a",
                "-EA",      "-EB=1",        "--result=a",  "--result=b",
                "-v",       "-pTasksMax=1", "true",        NULL
        };

        fail_each((Subject){ .words = good }, 0, "a policy");
        fail_each((Subject){ .words = bad_value }, -EINVAL, "refused values");
        fail_each((Subject){ .words = bad_option }, -EINVAL, "refused options");
        fail_each((Subject){ .profile = profile }, 0, "a profile");
        fail_files();
        return done_testing();
}
