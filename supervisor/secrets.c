/* SPDX-License-Identifier: MIT */
/* Reading secrets. A value goes straight into the memory that the worker gets, which is locked, in
 * no core file, and wiped as soon as the worker is forked: there is no other copy of ours. */
#include "supervisor/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "policy/secret.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/grants.h"
#include "supervisor/start.h"

/* A shorter value is found in many texts by chance. */
#define SEEN_LEAST 8

void secrets_forget(Secrets *secrets) {
        if (secrets->memory) {
                explicit_bzero(secrets->memory, secrets->memory_bytes);
                (void)munmap(secrets->memory, secrets->memory_bytes); /* wiped, that counts */
        }
        for (size_t i = 0; i < secrets->n_items; i++)
                free(secrets->items[i].name);
        free(secrets->items);
        free(secrets->envp);
        *secrets = (Secrets){ 0 };
}

static int fail(Run *run, const DeliveredSecret *item, const char *what, const char *fix) {
        return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                            "the secret '%s' %s: %s", item->name, what, fix);
}

static int make_memory(Run *run, size_t n) {
        Secrets *secrets = &run->secrets;
        void *memory;

        secrets->items = calloc(n, sizeof(*secrets->items));
        if (!secrets->items)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        memory = mmap(NULL, n * SECRET_SLOT_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        secrets->memory = memory;
        secrets->memory_bytes = n * SECRET_SLOT_BYTES;
        /* Only what is used of it gets pages. */
        if (madvise(memory, secrets->memory_bytes, MADV_DONTDUMP) < 0 ||
            mlock2(memory, secrets->memory_bytes, MLOCK_ONFAULT) < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "Secrets= needs memory that is never swapped out, and %zuK of "
                                    "it cannot be locked (%s): raise the limit, see 'ulimit -l', "
                                    "or name fewer" DOCTOR_HINT,
                                    secrets->memory_bytes >> 10, strerror(errno));
        return 0;
}

/* Whether @name is one as variables have. Another one, of none that is set, may be the value: who
 * writes $TOKEN for TOKEN makes it that, and no message may show it. */
static bool is_plain(const char *name) {
        return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

static int read_variable(Run *run, DeliveredSecret *item, const char *name) {
        char *value = getenv(name);
        size_t length;

        if (!value && strcmp(name, item->name) == 0 && !is_plain(name))
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "a secret is to come from a variable that is not set, and is "
                                    "not named here, lest its name be its value: write its name "
                                    "without '$', set it, or write =env:VAR, =file:PATH or =fd:N");
        if (!value)
                return fail(run, item, "is to come from a variable that is not set",
                            "set it, or write =env:VAR, =file:PATH or =fd:N");
        length = strlen(value);
        if (length <= SECRET_SIZE_MAX) {
                memcpy(item->value, value, length);
                item->size_bytes = length;
        }
        return length <= SECRET_SIZE_MAX ? 0 : -E2BIG;
}

/* Whoever writes into @fd has as long as a start may take. */
static int read_descriptor(Run *run, DeliveredSecret *item, int fd) {
        while (item->size_bytes < SECRET_SIZE_MAX + 1) {
                ssize_t n;
                int r;

                r = start_wait(run, fd);
                if (r < 0)
                        return r;
                n = read(fd, item->value + item->size_bytes,
                         SECRET_SIZE_MAX + 1 - item->size_bytes);
                if (n == 0)
                        return 0;
                if (n < 0 && errno != EINTR && errno != EAGAIN)
                        return -errno;
                item->size_bytes += (size_t)MAX(n, 0);
        }
        return -E2BIG;
}

/* A file is read for the program as by a grant: no ceiling is passed by on this way. What a manager
 * has put down as credentials is there to be handed on. */
static int check_ceiling(Run *run, SecretSource source, int fd) {
        Grant grant = { .key = "AllowRead", .access = GRANT_READ };
        char link[64], target[VALUE_PATH_MAX + 1];
        ssize_t n;

        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, target, sizeof(target) - 1);
        if (n < 0)
                return -errno;
        target[n] = '\0';
        if (source == SECRET_CREDENTIAL &&
            (str_path_below(target, "/run/credentials") || str_path_below(target, "/run/user")))
                return 0;
        return grants_check_ceiling(run, &grant, target);
}

static int read_path(Run *run, DeliveredSecret *item, SecretSource source, int dir_fd,
                     const char *path) {
        _cleanup_close_ int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        struct stat st;
        int r;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode))
                return -EINVAL;
        r = check_ceiling(run, source, fd);
        return r < 0 ? r : read_descriptor(run, item, fd);
}

static int read_credential(Run *run, DeliveredSecret *item, const char *name) {
        const char *directory = getenv("CREDENTIALS_DIRECTORY");
        _cleanup_close_ int fd = -EBADF;

        if (!directory || directory[0] != '/')
                return fail(run, item, "is to come from a unit's credentials, and there are none",
                            "call confine in a unit with LoadCredential=, or write ID:/PATH");
        fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? -errno : read_path(run, item, SECRET_CREDENTIAL, fd, name);
}

static int read_number(Run *run, DeliveredSecret *item, const char *text) {
        uint64_t number;
        ValueHint hint;
        int fd, r;

        /* What a caller hands over survived an exec, so it is not close-on-exec; all of ours are.
         */
        if (value_parse_number(VALUE_COUNT, NULL, text, &number, &hint) < 0 ||
            fcntl((int)number, F_GETFD) != 0)
                return -EBADF;
        fd = (int)number;
        r = read_descriptor(run, item, fd);
        if (fd > STDERR_FILENO)
                (void)fd_close(fd);
        return r;
}

static int read_value(Run *run, const Secret *secret, DeliveredSecret *item) {
        const char *from = secret->from ? secret->from : item->name;

        switch (secret->source) {
        case SECRET_ENV:
                return read_variable(run, item, from);
        case SECRET_FILE:
                return read_path(run, item, SECRET_FILE, AT_FDCWD, from);
        case SECRET_FD:
                return read_number(run, item, from);
        case SECRET_CREDENTIAL:
                return read_credential(run, item, from);
        case _SECRET_SOURCE_MAX:
                break;
        }
        return -EINVAL;
}

/* The one redaction: what nobody gave us to be shown cannot be shown by us. */
static int refuse_seen(Run *run, const DeliveredSecret *item) {
        const struct {
                char *const *texts;
                const char *why, *fix;
        } rows[] = {
                { run->program.argv, "has its value in the command as well",
                  "let the program read it from $CREDENTIALS_DIRECTORY" },
                { run->program.envp, "has its value in the command as well",
                  "let the program read it from $CREDENTIALS_DIRECTORY" },
                { run->policy->labels, "has its value in a label as well",
                  "labels are public, leave that one out" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows) && item->size_bytes >= SEEN_LEAST; i++)
                for (char *const *text = rows[i].texts; *text; text++)
                        if (memmem(*text, strlen(*text), item->value, item->size_bytes)) {
                                run->shows_secret = true;
                                return fail(run, item, rows[i].why, rows[i].fix);
                        }
        return 0;
}

static int take(Run *run, size_t index) {
        Secret secret = secrets_at(run->policy, index);
        DeliveredSecret *item = &run->secrets.items[index];
        int r;

        item->name = strndup(secret.name, secret.name_length);
        if (!item->name)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        run->secrets.n_items = index + 1;
        item->as_variable = secret.as_variable;
        item->text = run->secrets.memory + index * SECRET_SLOT_BYTES;
        item->value = stpcpy(stpcpy(item->text, item->name), "=");
        r = read_value(run, &secret, item);
        if (run->outcome.cause != CAUSE_NONE)
                return -ENOTRECOVERABLE;
        if (r == -E2BIG)
                return fail(run, item, "is too large", "64K are the most");
        if (r < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "the secret '%s' cannot be read: %s: name a regular file that "
                                    "you may read, or an open descriptor",
                                    item->name, strerror(-r));
        if (item->as_variable && memchr(item->value, '\0', item->size_bytes))
                return fail(run, item, "holds a NUL byte, which no variable can",
                            "leave ':env' out and read the file");
        return refuse_seen(run, item);
}

/* After all are read: two may come from one variable. */
static void forget_variables(const Policy *policy) {
        for (size_t i = 0; i < secrets_count(policy); i++) {
                Secret secret = secrets_at(policy, i);
                const char *name = secret.from ? secret.from : secret.name;
                size_t length = secret.from ? strlen(name) : secret.name_length;
                char **to = environ;

                for (char **from = environ; secret.source == SECRET_ENV && *from; from++)
                        if (strncmp(*from, name, length) == 0 && (*from)[length] == '=')
                                explicit_bzero(*from, strlen(*from));
                        else
                                *to++ = *from;
                if (secret.source == SECRET_ENV)
                        *to = NULL;
        }
}

static bool is_replaced(const Secrets *secrets, const char *entry) {
        for (size_t i = 0; i < secrets->n_items; i++) {
                const DeliveredSecret *item = &secrets->items[i];
                size_t length = strlen(item->name);

                if (item->as_variable && strncmp(entry, item->name, length) == 0 &&
                    entry[length] == '=')
                        return true;
        }
        return false;
}

/* The program's environment once more, with pointers to the values in the memory of the worker. */
static int add_variables(Run *run) {
        Secrets *secrets = &run->secrets;
        size_t n = 0;

        secrets->envp = calloc(strv_length(run->program.envp) + secrets->n_items + 1,
                               sizeof(*secrets->envp));
        if (!secrets->envp)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        for (char **entry = run->program.envp; *entry; entry++)
                if (!is_replaced(secrets, *entry))
                        secrets->envp[n++] = *entry;
        for (size_t i = 0; i < secrets->n_items; i++)
                if (secrets->items[i].as_variable)
                        secrets->envp[n++] = secrets->items[i].text;
        return 0;
}

int secrets_read(Run *run) {
        size_t n = secrets_count(run->policy);
        int r;

        if (n == 0 || run->invocation->dry_run)
                return 0;
        r = make_memory(run, n);
        for (size_t i = 0; i < n && r >= 0; i++)
                r = take(run, i);
        forget_variables(run->policy);
        return r < 0 ? r : add_variables(run);
}
