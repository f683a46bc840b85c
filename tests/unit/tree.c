/* SPDX-License-Identifier: MIT */
/* A directory for the files of a unit test. */
#include "tests/unit/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "tests/unit/tap.h"

const char *tree_root(void) {
        static char path[] = "/tmp/confine-test-python-XXXXXX";
        static bool made;

        if (!made && (!mkdtemp(path) || chdir(path) < 0))
                bail_out("%s: %m", path);
        made = true;
        return path;
}

static int remove_one(const char *path, const struct stat *st _unused_, int type _unused_,
                      struct FTW *ftw _unused_) {
        return remove(path);
}

void tree_remove(void) {
        (void)nftw(tree_root(), remove_one, 8, FTW_DEPTH | FTW_PHYS); /* what is left is harmless */
}

void tree_put(const char *name, const char *text, mode_t mode) {
        _cleanup_free_ char *path = strdup(name);
        _cleanup_close_ int fd = -EBADF;

        for (char *slash = path; slash && (slash = strchr(slash + 1, '/')); *slash = '/') {
                *slash = '\0';
                if (mkdir(path, 0755) < 0 && errno != EEXIST)
                        bail_out("%s: %m", path);
        }
        fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
        if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0)
                bail_out("%s: %m", name);
}

void tree_link(const char *target, const char *name) {
        if (symlink(target, name) < 0)
                bail_out("%s: %m", name);
}

void tree_python(const char *prefix) {
        _cleanup_free_ char *bin = str_format("%s/bin/python3.99", prefix);
        _cleanup_free_ char *library = str_format("%s/lib/python3.99/os.py", prefix);

        tree_put(bin, "\177ELF", 0755);
        tree_put(library, "", 0644);
}

char *tree_expand(const char *text) {
        char *expanded = strdup("");

        for (const char *p = text; expanded && *p; p++) {
                char letter[] = { *p, '\0' };
                char *longer = str_format("%s%s", expanded, *p == '@' ? tree_root() : letter);

                free(expanded);
                expanded = longer;
        }
        if (!expanded)
                bail_out("out of memory");
        return expanded;
}

char *tree_join(char *const *strv) {
        char *text = strdup("");

        for (size_t i = 0; text && strv && strv[i]; i++) {
                char *longer = str_format("%s%s%s", text, i ? " " : "", strv[i]);

                free(text);
                text = longer;
        }
        return text;
}

void tree_home(const char *path) {
        _cleanup_free_ char *text = tree_expand(path);

        (void)setenv("HOME", text, 1);
}

void is_path(const char *got, const char *wanted, const char *what) {
        _cleanup_free_ char *text = tree_expand(wanted);

        (void)is_str(got, text, "%s", what);
}
