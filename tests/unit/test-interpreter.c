/* SPDX-License-Identifier: MIT */
/* supervisor/interpreter.c, shim.c and homes.c: what is found without being run. */
#include "supervisor/interpreter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/base/str.h"
#include "supervisor/homes.h"
#include "supervisor/program.h"
#include "supervisor/shim.h"
#include "tests/unit/tap.h"
#include "tests/unit/tree.h"

static void test_homes(void) {
        static const struct {
                const char *path;
                Place place;
        } rows[] = {
                { "/", PLACE_ABOVE_HOMES },      { "/home", PLACE_ABOVE_HOMES },
                { "/home/x", PLACE_HOME },       { "/home/x/y", PLACE_ORDINARY },
                { "/homes", PLACE_ORDINARY },    { "/root", PLACE_HOME },
                { "/root/x", PLACE_ORDINARY },   { "/usr", PLACE_ORDINARY },
                { "/usr/sbin", PLACE_ORDINARY }, { "/tmp", PLACE_ABOVE_HOMES },
                { "@", PLACE_ABOVE_HOMES },      { "@/home", PLACE_HOME },
                { "@/hom", PLACE_ORDINARY },     { "@/home/x", PLACE_ORDINARY },
                { "@/homes", PLACE_ORDINARY },
        };

        tree_put("home/visible.py", "", 0644);
        tree_link("home", "link-to-home");
        for (size_t n = 0; n < 3; n++) {
                tree_home(n == 0 ? "@/home" : n == 1 ? "@/home//" : "@/link-to-home");
                for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                        _cleanup_free_ char *path = tree_expand(rows[i].path);

                        is_int(homes_place(path), rows[i].place, "P3: %s", rows[i].path);
                }
        }
        (void)unsetenv("HOME");
        is_int(homes_place("/root"), PLACE_HOME, "P3: the homes of others are known without HOME");
        tree_home("@/home");
}

static void is_interpreter(const char *path, const char *wanted, const char *what) {
        _cleanup_(strv_freep) char **files = NULL;
        _cleanup_free_ char *absolute = tree_expand(path), *text = NULL;

        if (!is_int(interpreter_files(absolute, &files), 0, "%s is looked at", what))
                return;
        text = tree_join(files);
        is_path(text, wanted, what);
}

static void test_interpreter(void) {
        _cleanup_free_ char *script = tree_expand("@/script.sh");
        _cleanup_free_ char *config = tree_expand("version = 3.99\r\n HOME =  @/opt/bin \r\n");

        tree_python("opt");
        tree_link("python3.99", "opt/bin/python3");
        is_interpreter("@/opt/bin/python3", "@/opt", "the prefix of an installation");
        tree_put("opt/lib64/x", "", 0644);
        tree_put("static/python3", "\177ELF", 0755);
        is_interpreter("@/static/python3", "@/static/python3", "no prefix: the executable alone");
        tree_link("../opt/bin/python3", "static/python");
        is_interpreter("@/static/python", "@/opt", "a link is followed to the prefix");
        is_interpreter("/usr/bin/env", "", "what the base set grants is not granted again");

        tree_put("venv/pyvenv.cfg", config, 0644);
        tree_put("venv/bin/x", "", 0755);
        tree_link("../../opt/bin/python3", "venv/bin/python");
        is_interpreter("@/venv/bin/python", "@/venv @/opt", "a virtualenv and its home");
        tree_put("copied/pyvenv.cfg", config, 0644);
        tree_put("copied/bin/python3", "\177ELF", 0755);
        is_interpreter("@/copied/bin/python3", "@/copied @/opt", "one made of copies too");
        tree_link("copied/bin", "bin");
        is_interpreter("@/bin/python3", "@/copied/bin/python3",
                       "a virtualenv is found by the path as it is called, as CPython does");
        tree_put("near/pyvenv.cfg", config, 0644);
        tree_put("near/python3", "\177ELF", 0755);
        is_interpreter("@/near/python3", "@/near @/opt", "pyvenv.cfg beside the executable");
        tree_put("evil/pyvenv.cfg", "home = /etc/ssl\n", 0644);
        tree_put("evil/bin/python3", "\177ELF", 0755);
        is_interpreter("@/evil/bin/python3", "@/evil",
                       "P2: what a virtualenv names is granted only if it is a Python");
        tree_put("plain/pyvenv.cfg", "homes = /opt\nhome /opt\n", 0644);
        tree_put("plain/bin/python3", "\177ELF", 0755);
        is_interpreter("@/plain/bin/python3", "@/plain/bin/python3",
                       "pyvenv.cfg without home is none");

        tree_python("home");
        is_interpreter("@/home/bin/python3.99", "@/home/bin @/home/lib",
                       "P3: of a home directory only what is Python's");
        tree_python("home/.local");
        tree_link("lib", "home/.local/lib64");
        tree_link("..", "home/.local/pyvenv.cfg");
        is_interpreter("@/home/.local/bin/python3.99", "@/home/.local/bin @/home/.local/lib",
                       "P3: of ~/.local too");

        tree_put("script.sh", "#!/bin/sh\n", 0755);
        ok(interpreter_is_script(script), "a script is told from an interpreter");
        ok(!interpreter_is_script("/usr/bin/env") && !interpreter_is_script("/nonesuch"),
           "what is none is none");
}

static void is_shim(int wanted, const char *target, const char *what) {
        _cleanup_free_ char *path = tree_expand("@/pyenv/shims/python3"), *got = NULL;

        if (is_int(shim_resolve(path, &got), wanted, "%s", what) && wanted == 1)
                is_path(got, target, "to its target");
}

static void test_shim(void) {
        _cleanup_free_ char *other = tree_expand("@/script.sh"), *got = NULL;

        (void)unsetenv("PYENV_VERSION");
        tree_put("pyenv/shims/python3", "#!/usr/bin/env bash\n", 0755);
        is_shim(0, NULL, "without versions beside it it is a script like others");
        tree_put("pyenv/versions/3.9.18/bin/python3", "", 0755);
        tree_put("pyenv/versions/3.12.2/bin/python3", "", 0755);
        tree_put("pyenv/versions/3.12.10/bin/python3", "", 0755);
        is_shim(-ENXIO, NULL, "no version is chosen: what follows in PATH");
        tree_put("pyenv/version", "3.9.18\n", 0644);
        is_shim(1, "@/pyenv/versions/3.9.18/bin/python3", "the global version");
        tree_put(".python-version", "# 3.9.18:x\n\n  python-3.12.2  # why\n", 0644);
        is_shim(1, "@/pyenv/versions/3.12.2/bin/python3", "the local one comes before it");
        tree_put(".python-version", "3.11\n3.12\n", 0644);
        is_shim(1, "@/pyenv/versions/3.12.10/bin/python3", "the newest of a series");
        tree_put(".python-version", "../../evil\n..\n/opt\n", 0644);
        tree_put("evil/bin/python3", "", 0755);
        is_shim(-ENXIO, NULL, "P2: a path is no version");
        (void)setenv("PYENV_VERSION", "3.8:3.9.18:3.12.2", 1);
        is_shim(1, "@/pyenv/versions/3.9.18/bin/python3", "the environment comes first");
        (void)setenv("PYENV_VERSION", "system", 1);
        is_shim(-ENXIO, NULL, "system is what follows in PATH");
        (void)unlink(".python-version");
        (void)unsetenv("PYENV_VERSION");
        is_int(shim_resolve(other, &got), 0, "a script elsewhere is no shim");
        tree_put("pyenv/shims/python3", "\177ELF", 0755);
        is_shim(0, NULL, "nor is a program");
        tree_put("pyenv/shims/python3", "#!/bin/sh\n", 0755);
}

/* PATH leads to a shim first: it is passed through, or over. */
static void test_shim_in_path(void) {
        _cleanup_free_ char *path = tree_expand("@/pyenv/shims:@/static"), *got = NULL,
                            *shim = NULL;

        (void)setenv("PATH", path, 1);
        is_int(program_find("python3", true, &got), 1, "a shim in PATH");
        is_path(got, "@/pyenv/versions/3.9.18/bin/python3", "leads to its version");
        is_int(program_find("python3", false, &shim), 0, "or is executed itself");
        is_path(shim, "@/pyenv/shims/python3", "where it may start processes");
        free(got);
        got = NULL;
        (void)setenv("PYENV_VERSION", "system", 1);
        is_int(program_find("python3", true, &got), 0, "system");
        is_path(got, "@/static/python3", "is what follows in PATH");
        (void)unsetenv("PYENV_VERSION");
}

int main(void) {
        (void)umask(022);
        (void)tree_root();
        test_homes();
        test_interpreter();
        test_shim();
        test_shim_in_path();
        tree_remove();
        return done_testing();
}
