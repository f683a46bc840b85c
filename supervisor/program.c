/* SPDX-License-Identifier: MIT */
/* The program to execute: PATH search. */
#include "supervisor/program.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/shim.h"

#define DEFAULT_PATH     "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define INTERPRETER_MAX  256 /* BINPRM_BUF_SIZE of the kernel: no #! line is longer */
#define STATUS_NOT_FOUND 127
#define STATUS_NOT_EXEC  126

void program_done(Program *program) {
        for (char **e = program->envp; e && *e; e++)
                free(*e);
        free(program->envp);
        free(program->argv);
        free(program->path);
        free(program->script);
        free(program->words);
        *program = (Program){ 0 };
}

/* 0 if @path is an executable file, else a negative errno. */
static int check_executable(const char *path) {
        struct stat st;

        if (stat(path, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return S_ISDIR(st.st_mode) ? -EISDIR : -EACCES;
        return access(path, X_OK) < 0 ? -errno : 0;
}

static int make_absolute(const char *name, char **ret) {
        _cleanup_free_ char *cwd = NULL;

        if (name[0] == '/') {
                *ret = strdup(name);
                return *ret ? 0 : -ENOMEM;
        }
        cwd = getcwd(NULL, 0);
        if (!cwd)
                return -errno;
        if (asprintf(ret, "%s/%s", cwd, name) < 0) {
                *ret = NULL;
                return -ENOMEM;
        }
        return 0;
}

/* Puts what the shim *@path stands for in its place. 1 if it is one, 0 if not, a negative errno. */
static int follow_shim(char **path) {
        char *target = NULL;
        int r;

        r = shim_resolve(*path, &target);
        if (r <= 0)
                return r;
        free(*path);
        *path = target;
        return 1;
}

/* Like execvp(3): the first executable file wins; EACCES is remembered, absence is not an error. */
static int search_path(const char *name, bool shims, char **ret) {
        const char *list = getenv("PATH");
        int found = -ENOENT;

        if (!list || !list[0])
                list = DEFAULT_PATH;
        for (const char *p = list; p;) {
                _cleanup_free_ char *candidate = NULL, *absolute = NULL;
                const char *colon = strchr(p, ':');
                int length = colon ? (int)(colon - p) : (int)strlen(p), r;

                if (asprintf(&candidate, "%.*s%s%s", length, p, length ? "/" : "", name) < 0)
                        candidate = NULL;
                if (!candidate)
                        return -ENOMEM;
                p = colon ? colon + 1 : NULL;
                r = check_executable(candidate);
                if (r == -EACCES)
                        found = r;
                if (r < 0)
                        continue;
                r = make_absolute(candidate, &absolute);
                if (r < 0 || !absolute)
                        return r;
                r = shims ? follow_shim(&absolute) : 0;
                if (r == -ENXIO)
                        continue;
                if (r >= 0)
                        *ret = TAKE_PTR(absolute);
                return r;
        }
        return found;
}

int program_find(const char *name, bool shims, char **ret) {
        _cleanup_free_ char *path = NULL;
        int r;

        if (!name[0])
                return -ENOENT;
        if (!strchr(name, '/'))
                return search_path(name, shims, ret);
        r = make_absolute(name, &path);
        if (r < 0 || !path)
                return r;
        r = check_executable(path);
        if (r < 0)
                return r;
        r = shims ? follow_shim(&path) : 0;
        if (r < 0)
                return r == -ENXIO ? -ENOENT : r;
        *ret = TAKE_PTR(path);
        return r;
}

/* The words after `#!/usr/bin/env` in the first line of @path into @ret, -S removed. False for
 * everything else, which the kernel can start by itself, and for what only env itself can expand.
 */
static bool read_env_words(const char *path, char ret[static INTERPRETER_MAX]) {
        static const char env[] = "/usr/bin/env";
        char line[INTERPRETER_MAX];
        const char *at = line + 2;
        bool split = false;

        if (fd_read_start(path, line, sizeof(line)) <= 2 || line[0] != '#' || line[1] != '!')
                return false;
        line[strcspn(line, "\n")] = '\0';
        at += strspn(at, " \t");
        if (strncmp(at, env, strlen(env)) != 0 || !strchr(" \t", at[strlen(env)]))
                return false;
        at += strlen(env);
        at += strspn(at, " \t");
        if (strncmp(at, "-S", 2) == 0 && at[2] && strchr(" \t", at[2])) {
                split = true;
                at += 2 + strspn(at + 2, " \t");
        }
        if (!at[0] || at[0] == '-' || strpbrk(at, "\"'\\$="))
                return false;
        /* Without -S the kernel hands the rest of the line over as one word. */
        (void)snprintf(ret, INTERPRETER_MAX, "%s", at);
        for (size_t end = strlen(ret); end > 0 && strchr(" \t", ret[end - 1]); end--)
                ret[end - 1] = '\0';
        return split || !strpbrk(ret, " \t");
}

int program_fail(const char *name, int error, const char *fix, Outcome *outcome) {
        bool missing = error == -ENOENT || error == -ENOTDIR;

        if (!fix)
                fix = missing ? "check the name and PATH"
                              : "give it the x permission, or name its interpreter";
        (void)outcome_fail(outcome, CAUSE_EXEC, ERROR_NONE, "cannot execute '%.512s': %s: %s", name,
                           strerror(-error), fix);
        outcome->exit_status = missing ? STATUS_NOT_FOUND : STATUS_NOT_EXEC;
        return -ENOTRECOVERABLE;
}

static int copy_arguments(char **command, size_t skip, Program *ret) {
        size_t n = 0;

        while (command[n])
                n++;
        ret->argv = calloc(n + skip + 1, sizeof(char *));
        if (!ret->argv)
                return -ENOMEM;
        memcpy(ret->argv + skip, command, n * sizeof(char *));
        return 0;
}

/* Starts the script that ret->path names through the first of ret->words instead. */
static int use_interpreter(char **command, Program *ret, Outcome *outcome) {
        size_t n_words = 0, at = 0;
        char *rest;
        int r;

        for (const char *p = ret->words + strspn(ret->words, " \t"); *p; p += strspn(p, " \t")) {
                n_words++;
                p += strcspn(p, " \t");
        }
        ret->script = TAKE_PTR(ret->path);
        r = copy_arguments(command, n_words, ret);
        if (r < 0)
                return program_fail(command[0], r, NULL, outcome);
        for (char *word = strtok_r(ret->words, " \t", &rest); word;
             word = strtok_r(NULL, " \t", &rest))
                ret->argv[at++] = word;
        r = program_find(ret->argv[0], true, &ret->path);
        if (r < 0)
                return program_fail(ret->argv[0], r, NULL, outcome);
        /* As the kernel does it: after the interpreter's words comes the path of the script. */
        ret->argv[0] = ret->path;
        if (!strchr(command[0], '/'))
                ret->argv[n_words] = ret->script;
        return 0;
}

int program_resolve(char **command, const Policy *policy, Program *ret, Outcome *outcome) {
        char words[INTERPRETER_MAX];
        bool shim;
        int r;

        r = program_find(command[0], !policy->subprocess, &ret->path);
        if (r < 0 || !ret->path)
                return program_fail(command[0], r, NULL, outcome);
        shim = r > 0;
        if (policy->subprocess || !read_env_words(ret->path, words)) {
                r = copy_arguments(command, 0, ret);
                if (r < 0)
                        return program_fail(command[0], r, NULL, outcome);
                /* PATH would lead Python back to the shim, or to another Python. */
                if (shim)
                        ret->argv[0] = ret->path;
                return 0;
        }
        ret->words = strdup(words);
        if (!ret->words)
                return program_fail(command[0], -ENOMEM, NULL, outcome);
        return use_interpreter(command, ret, outcome);
}
