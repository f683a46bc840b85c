/* SPDX-License-Identifier: MIT */
/* The program's environment. The caller's is not inherited: what is not listed here was granted. */
#include <inttypes.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/program.h"

#define FIXED_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

typedef struct Vector {
        char **items;
        size_t n;
        size_t capacity; /* without the terminating NULL */
} Vector;

static const char *lookup(char *const *env, const char *name) {
        size_t length = strlen(name);

        for (char *const *e = env; e && *e; e++)
                if (strncmp(*e, name, length) == 0 && (*e)[length] == '=')
                        return *e + length + 1;
        return NULL;
}

/* Sets NAME=VALUE, in place of an earlier one of that name. */
static int set(Vector *v, const char *name, const char *value) {
        size_t length = strlen(name), at = 0;
        char *item;

        if (!value)
                return 0;
        while (at < v->n &&
               !(strncmp(v->items[at], name, length) == 0 && v->items[at][length] == '='))
                at++;
        if (at == v->capacity)
                return -ENOBUFS;
        if (asprintf(&item, "%s=%s", name, value) < 0)
                return -ENOMEM;
        if (at < v->n)
                free(v->items[at]);
        else
                v->n++;
        v->items[at] = item;
        return 0;
}

/* Libraries that start a thread for each CPU of the host would meet TasksMax and their own quota.
 */
static int set_thread_counts(Vector *v, const Policy *policy) {
        static const char *const names[] = {
                "OMP_NUM_THREADS",
                "OPENBLAS_NUM_THREADS",
                "MKL_NUM_THREADS",
                "PYTHON_CPU_COUNT",
        };
        uint64_t n = (policy->cpu_quota_usec_per_sec + USEC_PER_SEC - 1) / USEC_PER_SEC;
        char text[32];

        (void)snprintf(text, sizeof(text), "%" PRIu64, MAX(n, UINT64_C(1)));
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                int r;

                r = set(v, names[i], text);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int set_minimal(Vector *v, const Identity *identity, char *const *caller, bool terminal,
                       const char *scratch) {
        bool own = !identity->switch_ids;
        const struct {
                const char *name;
                const char *value;
        } rows[] = {
                { "PATH", FIXED_PATH },
                { "HOME", scratch          ? scratch
                          : own            ? lookup(caller, "HOME")
                          : identity->home ? identity->home
                                           : "/" },
                { "TMPDIR", scratch },
                { "USER", own ? lookup(caller, "USER") : identity->name },
                { "LOGNAME", own ? lookup(caller, "LOGNAME") : identity->name },
                { "SHELL", "/bin/sh" },
                { "LANG", "C.UTF-8" },
                { "TZ", lookup(caller, "TZ") },
                { "TERM", terminal ? lookup(caller, "TERM") : NULL },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int r;

                r = set(v, rows[i].name, rows[i].value);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int set_granted(Vector *v, const Policy *policy, char *const *caller) {
        int r;

        for (char **name = policy->pass_environment; *name; name++) {
                r = set(v, *name, lookup(caller, *name));
                if (r < 0)
                        return r;
        }
        for (char **item = policy->environment; *item; item++) {
                const char *equals = strchr(*item, '=');
                _cleanup_free_ char *name = NULL;

                if (!equals)
                        continue;
                name = strndup(*item, (size_t)(equals - *item));
                if (!name)
                        return -ENOMEM;
                r = set(v, name, equals + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

int program_environment(const Policy *policy, const Identity *identity, char *const *caller_env,
                        bool have_terminal, const char *scratch, const char *credentials,
                        Program *ret) {
        Vector v = { .capacity = 32 };
        int r;

        for (char **e = policy->environment; *e; e++)
                v.capacity++;
        for (char **e = policy->pass_environment; *e; e++)
                v.capacity++;
        v.items = calloc(v.capacity + 1, sizeof(char *));
        if (!v.items)
                return -ENOMEM;
        ret->envp = v.items; /* owned by the program from here, also after a failure */
        r = set_minimal(&v, identity, caller_env, have_terminal, scratch);
        if (r < 0)
                return r;
        r = set(&v, "CREDENTIALS_DIRECTORY", credentials);
        if (r < 0)
                return r;
        r = set_thread_counts(&v, policy);
        if (r < 0)
                return r;
        return set_granted(&v, policy, caller_env);
}
