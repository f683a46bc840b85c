/* SPDX-License-Identifier: MIT */
/* The Python behind a path, found as CPython finds itself: a virtualenv by pyvenv.cfg at the
 * executable as it was called, the prefix by lib/pythonX.Y/os.py above the real one. A virtualenv
 * may come with foreign code: what it names is granted only where that is a Python. */
#include "supervisor/interpreter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "policy/baseset.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/homes.h"

#define CONFIG_MAX 8192 /* bytes of a pyvenv.cfg that are looked at */

bool interpreter_is_script(const char *path) {
        char start[3];

        /* One that cannot be read may be executed nevertheless, but is no script: those are read.
         */
        return fd_read_start(path, start, sizeof(start)) == 2 && strcmp(start, "#!") == 0;
}

/* Whether the base set grants @path, read and execute. */
static bool is_in_base(const char *path) {
        size_t n;
        const BaseEntry *entries = baseset_entries(BASE_PYTHON, &n);

        for (size_t i = 0; i < n; i++)
                if ((entries[i].access & GRANT_EXEC) && str_path_below(path, entries[i].path))
                        return true;
        return false;
}

static bool is_covered(char *const *files, const char *path) {
        for (; files && *files; files++)
                if (str_path_below(path, *files))
                        return true;
        return is_in_base(path);
}

/* The directory that @path, absolute, names as text: across a link it is another one than where the
 * file is. NULL when out of memory. */
static char *parent_of(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* Directories that hold more than a Python although one is installed there. */
static bool is_shared(const char *prefix) {
        const char *name = strrchr(prefix, '/');
        _cleanup_free_ char *above = NULL;

        if (homes_place(prefix) != PLACE_ORDINARY)
                return true;
        /* ~/.local has programs of the user and their data, keyrings among them. */
        above = parent_of(prefix);
        return strcmp(name, "/.local") == 0 && above && homes_place(above) == PLACE_HOME;
}

static int add_prefix(const char *prefix, char ***files) {
        static const char *const own[] = { "bin", "lib", "lib64", "pyvenv.cfg" };

        if (is_covered(*files, prefix))
                return 0;
        if (!is_shared(prefix))
                return strv_add(files, prefix);
        for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
                _cleanup_free_ char *path = str_format("%s/%s", prefix, own[i]);
                _cleanup_free_ char *real = path ? realpath(path, NULL) : NULL;
                int r;

                if (!path)
                        return -ENOMEM;
                if (!real || homes_place(real) != PLACE_ORDINARY || is_covered(*files, real))
                        continue;
                r = strv_add(files, real);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Whether @prefix/@lib/pythonX.Y has the standard library. */
static bool has_library_in(const char *prefix, const char *lib) {
        _cleanup_free_ char *path = str_format("%s/%s", prefix, lib);
        _cleanup_closedir_ DIR *dir = path ? opendir(path) : NULL;
        const struct dirent *entry;

        while (dir && (entry = readdir(dir))) {
                _cleanup_free_ char *landmark = NULL;

                if (strncmp(entry->d_name, "python3", strlen("python3")) != 0 &&
                    strncmp(entry->d_name, "pypy3", strlen("pypy3")) != 0)
                        continue;
                landmark = str_format("%s/os.py", entry->d_name);
                if (landmark && faccessat(dirfd(dir), landmark, F_OK, 0) == 0)
                        return true;
        }
        return false;
}

/* The prefix is the nearest directory at or above @directory with a standard library. */
static int add_installation(const char *directory, char ***files) {
        _cleanup_free_ char *prefix = strdup(directory);

        if (!prefix)
                return -ENOMEM;
        for (char *end; !is_covered(*files, prefix); *end = '\0') {
                if (has_library_in(prefix, "lib") || has_library_in(prefix, "lib64"))
                        return add_prefix(prefix, files);
                end = strrchr(prefix, '/');
                if (!end || end == prefix)
                        break;
        }
        return 0;
}

/* The value of `home` in the text of a pyvenv.cfg, in place; NULL if there is none. */
static char *find_home(char *text) {
        char *rest;

        for (char *line = strtok_r(text, "\r\n", &rest); line;
             line = strtok_r(NULL, "\r\n", &rest)) {
                char *value = strchr(line, '='), *end;

                line += strspn(line, " \t");
                if (!value || strncasecmp(line, "home", strlen("home")) != 0 ||
                    line + strlen("home") + strspn(line + strlen("home"), " \t") != value)
                        continue;
                value += 1 + strspn(value + 1, " \t");
                for (end = value + strlen(value); end > value && isspace((unsigned char)end[-1]);)
                        *--end = '\0';
                return value;
        }
        return NULL;
}

/* If there is a pyvenv.cfg in @directory, adds the virtualenv and the Python that it names. Returns
 * 1 then, 0 if there is none, or a negative errno. */
static int add_virtualenv(const char *directory, char ***files) {
        _cleanup_free_ char *config = str_format("%s/pyvenv.cfg", directory);
        _cleanup_free_ char *own = realpath(directory, NULL), *base = NULL;
        char text[CONFIG_MAX];
        const char *home;
        int r;

        if (!config)
                return -ENOMEM;
        if (fd_read_start(config, text, sizeof(text)) < 0)
                return 0;
        home = find_home(text);
        if (!home || home[0] != '/' || !own)
                return 0;
        r = add_prefix(own, files);
        if (r < 0)
                return r;
        base = realpath(home, NULL);
        r = base ? add_installation(base, files) : 0;
        return r < 0 ? r : 1;
}

int interpreter_files(const char *path, char ***ret) {
        _cleanup_free_ char *real = realpath(path, NULL), *bin = parent_of(path);
        _cleanup_free_ char *above = bin ? parent_of(bin) : NULL, *real_bin = NULL;
        _cleanup_(strv_freep) char **files = NULL;
        int r;

        if (!real)
                return -errno;
        real_bin = parent_of(real);
        if (!above || !real_bin)
                return -ENOMEM;
        r = add_virtualenv(above, &files);
        if (r == 0)
                r = add_virtualenv(bin, &files);
        if (r >= 0)
                r = add_installation(real_bin, &files);
        if (r >= 0 && !is_covered(files, real))
                r = strv_add(&files, real);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(files);
        return 0;
}
