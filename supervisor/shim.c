/* SPDX-License-Identifier: MIT */
/* Shims of version managers. What they are told about versions may come with foreign code, so only
 * names are taken from there, never paths. */
#include "supervisor/shim.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define VERSIONS_MAX 4096 /* bytes of PYENV_VERSION or of a file of versions */

typedef struct Shim {
        char *root;       /* of the version manager; owned */
        const char *name; /* of the program, within the path of the shim */
} Shim;

static void shim_done(Shim *shim) {
        free(shim->root);
}

/* Cuts the last component of the absolute @path off, in place. False if there is none. */
static bool cut(char *path) {
        char *slash = strrchr(path, '/');

        if (!slash)
                return false;
        *slash = '\0';
        return true;
}

/* Returns 1 with *ret if @path is a shim, 0 if not, -ENOMEM. */
static int recognize(const char *path, Shim *ret) {
        _cleanup_free_ char *root = strdup(path), *versions = NULL;
        char start[3];
        const char *base;

        if (!root)
                return -ENOMEM;
        if (!cut(root))
                return 0;
        base = strrchr(root, '/');
        if (!base || strcmp(base, "/shims") != 0 || !cut(root))
                return 0;
        versions = str_format("%s/versions", root);
        if (!versions)
                return -ENOMEM;
        if (access(versions, X_OK) < 0 || fd_read_start(path, start, sizeof(start)) < 2 ||
            memcmp(start, "#!", 2) != 0)
                return 0;
        ret->name = strrchr(path, '/') + 1;
        ret->root = TAKE_PTR(root);
        return 1;
}

/* Returns 1 with *ret if @version has the program, 0 if not, -ENOMEM. */
static int try_version(const Shim *shim, const char *version, char **ret) {
        _cleanup_free_ char *path = NULL;

        path = str_format("%s/versions/%s/bin/%s", shim->root, version, shim->name);
        if (!path)
                return -ENOMEM;
        if (access(path, X_OK) < 0)
                return 0;
        *ret = TAKE_PTR(path);
        return 1;
}

/* "3.12" stands for the newest 3.12.N. */
static int try_newest(const Shim *shim, const char *version, char **ret) {
        _cleanup_free_ char *directory = NULL, *newest = NULL;
        _cleanup_closedir_ DIR *dir = NULL;
        size_t length = strlen(version);
        int r = 0;

        directory = str_format("%s/versions", shim->root);
        if (!directory)
                return -ENOMEM;
        dir = opendir(directory);
        for (const struct dirent *entry; dir && r == 0 && (entry = readdir(dir));) {
                const char *name = entry->d_name;

                if (strncmp(name, version, length) != 0 || name[length] != '.' ||
                    (newest && strverscmp(name, newest) < 0))
                        continue;
                free(newest);
                newest = strdup(name);
                r = newest ? 0 : -ENOMEM;
        }
        return r < 0 || !newest ? r : try_version(shim, newest, ret);
}

/* The first word of @versions that has the program; they are separated by ':'. */
static int try_words(const Shim *shim, char *versions, char **ret) {
        static const char prefix[] = "python-";
        char *rest;
        int r = 0;

        for (char *word = strtok_r(versions, ":", &rest); word && r == 0;
             word = strtok_r(NULL, ":", &rest)) {
                if (strcmp(word, "system") == 0)
                        return -ENXIO;
                if (word[0] == '.' || strchr(word, '/'))
                        continue; /* a path, not a name */
                r = try_version(shim, word, ret);
                if (r == 0 && strncmp(word, prefix, strlen(prefix)) == 0) {
                        word += strlen(prefix);
                        r = try_version(shim, word, ret);
                }
                if (r == 0)
                        r = try_newest(shim, word, ret);
        }
        return r;
}

/* The first word of each line counts, without comments. */
static int try_lines(const Shim *shim, char *lines, char **ret) {
        char *rest;
        int r = 0;

        for (char *line = strtok_r(lines, "\n", &rest); line && r == 0;
             line = strtok_r(NULL, "\n", &rest)) {
                line += strspn(line, " \t\r");
                line[strcspn(line, " \t\r")] = '\0';
                if (line[0] != '#')
                        r = try_words(shim, line, ret);
        }
        return r == 0 ? -ENXIO : r;
}

/* What the nearest file says that is not empty, into @ret. False if there is none. */
static bool read_versions(const Shim *shim, char ret[static VERSIONS_MAX]) {
        _cleanup_free_ char *directory = getcwd(NULL, 0), *path = NULL;

        while (directory && directory[0] == '/') {
                free(path);
                path = str_format("%s/.python-version", directory);
                if (!path)
                        return false;
                if (fd_read_start(path, ret, VERSIONS_MAX) > 0)
                        return true;
                if (!cut(directory))
                        break;
        }
        free(path);
        path = str_format("%s/version", shim->root);
        if (!path)
                return false;
        return fd_read_start(path, ret, VERSIONS_MAX) > 0;
}

int shim_resolve(const char *path, char **ret) {
        _cleanup_(shim_done) Shim shim = { 0 };
        const char *chosen = getenv("PYENV_VERSION");
        char versions[VERSIONS_MAX];
        int r;

        r = recognize(path, &shim);
        if (r <= 0)
                return r;
        if (chosen && chosen[0] && strlen(chosen) < sizeof(versions))
                (void)snprintf(versions, sizeof(versions), "%s", chosen);
        else if (!read_versions(&shim, versions))
                return -ENXIO;
        return try_lines(&shim, versions, ret);
}
