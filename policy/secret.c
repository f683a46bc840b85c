/* SPDX-License-Identifier: MIT */
/* The grammar of secrets, and what does not go together. */
#include "policy/secret.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"

static int refuse(ValueHint *hint, const char *text) {
        (void)snprintf(hint->text, sizeof(hint->text), "%s", text);
        return -EINVAL;
}

static bool is_name(const char *text, size_t length) {
        return length > 0 && length <= SECRET_NAME_MAX && text[0] != '.' && text[0] != '-' &&
               strspn(text, NAME_CHARACTERS) >= length;
}

/* The part after '='. */
static int parse_source(const char *text, Secret *secret, ValueHint *hint) {
        static const struct {
                const char *prefix;
                SecretSource source;
        } rows[] = {
                { "env:", SECRET_ENV },
                { "file:", SECRET_FILE },
                { "fd:", SECRET_FD },
        };
        uint64_t number;
        ValueHint ignored;

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                if (strncmp(text, rows[i].prefix, strlen(rows[i].prefix)) != 0)
                        continue;
                secret->source = rows[i].source;
                secret->from = text + strlen(rows[i].prefix);
                if (secret->source == SECRET_ENV &&
                    value_check_variable(secret->from, strlen(secret->from), &ignored) < 0)
                        return refuse(hint, "write the name of a variable after 'env:'");
                if (secret->source == SECRET_FD &&
                    (value_parse_number(VALUE_COUNT, NULL, secret->from, &number, &ignored) < 0 ||
                     number > INT32_MAX))
                        return refuse(hint, "write the number of an open descriptor after 'fd:'");
                return 0;
        }
        return refuse(hint, "its value can be seen by everybody here: write NAME=file:PATH, "
                            "NAME=fd:N, or NAME=env:VAR");
}

/* As in systemd.exec(5): ID[:PATH], where a path that is none is the name of a credential. */
static int parse_credential(const char *rest, Secret *secret, ValueHint *hint) {
        secret->source = SECRET_CREDENTIAL;
        if (rest[0] == '\0')
                return 0;
        if (rest[0] != ':')
                return refuse(hint, "write ID, ID:NAME or ID:/PATH");
        secret->from = rest + 1;
        if (secret->from[0] == '/')
                secret->source = SECRET_FILE;
        else if (!is_name(secret->from, strlen(secret->from)))
                return refuse(hint, "write ID, ID:NAME or ID:/PATH");
        return 0;
}

int secret_parse(Key key, const char *text, Secret *ret, ValueHint *reterr_hint) {
        Secret secret = { .name = text, .name_length = strspn(text, NAME_CHARACTERS) };
        const char *rest = text + secret.name_length;
        ValueHint ignored;
        int r = 0;

        assert(key == KEY_Secrets || key == KEY_LoadCredential);
        if (!is_name(text, secret.name_length))
                return refuse(reterr_hint, "write a name of 1 to 64 letters, digits, '_', '.' and "
                                           "'-' that starts with none of the last two");
        if (key == KEY_LoadCredential) {
                r = parse_credential(rest, &secret, reterr_hint);
        } else {
                if (strncmp(rest, ":env", 4) == 0) {
                        secret.as_variable = true;
                        rest += 4;
                }
                if (rest[0] == '=')
                        r = parse_source(rest + 1, &secret, reterr_hint);
                else if (rest[0] != '\0')
                        r = refuse(reterr_hint, "write NAME or NAME:env, and =env:VAR, =file:PATH "
                                                "or =fd:N for another source");
        }
        if (r < 0)
                return r;
        if ((secret.as_variable || (secret.source == SECRET_ENV && !secret.from)) &&
            value_check_variable(text, secret.name_length, &ignored) < 0)
                return refuse(reterr_hint, "its name cannot be that of a variable: write "
                                           "NAME=file:PATH, NAME=fd:N or NAME=env:VAR");
        *ret = secret;
        return 0;
}

static bool same_name(const Secret *a, const Secret *b) {
        return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0;
}

static char *with_absolute_path(const char *text, const Secret *secret, const char *cwd,
                                ValueHint *hint) {
        _cleanup_free_ char *path = NULL;

        if (secret->source != SECRET_FILE)
                return strdup(text);
        if (value_parse_path(secret->from, cwd, &path, hint) < 0)
                return NULL;
        return str_format("%.*s%s", (int)(secret->from - text), text, path);
}

int secret_add(char ***list, Key key, const char *text, const char *origin, const Facts *facts,
               Diag *reterr_diag) {
        _cleanup_free_ char *copy = NULL;
        ValueHint hint = { "" };
        Secret secret, other;

        /* Nothing of the text is shown: it may be the secret itself. */
        if (secret_parse(key, text, &secret, &hint) < 0)
                return diag_add(reterr_diag, ERROR_CONFIGURATION, "'%s' (%s) names no secret: %s",
                                key_info(key)->name, origin, hint.text);
        copy = with_absolute_path(text, &secret, facts->cwd, &hint);
        if (!copy && hint.text[0] != '\0')
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the path of the secret '%.*s' of '%s' (%s) is none: %s",
                                (int)secret.name_length, text, key_info(key)->name, origin,
                                hint.text);
        if (!copy)
                return -ENOMEM;
        for (char **item = *list; *item; item++)
                if (secret_parse(key, *item, &other, &hint) == 0 && same_name(&secret, &other)) {
                        free(*item);
                        *item = TAKE_PTR(copy);
                        return 0;
                }
        return strv_add(list, copy);
}

size_t secrets_count(const Policy *policy) {
        return strv_length(policy->secrets) + strv_length(policy->load_credentials);
}

Secret secrets_at(const Policy *policy, size_t index) {
        size_t n = strv_length(policy->secrets);
        Secret secret = { 0 };
        ValueHint hint;
        int r;

        r = index < n ? secret_parse(KEY_Secrets, policy->secrets[index], &secret, &hint)
                      : secret_parse(KEY_LoadCredential, policy->load_credentials[index - n],
                                     &secret, &hint);
        assert(r == 0); /* secret_add() has read it before */
        (void)r;
        return secret;
}

static void check_variables(const Policy *policy, const Secret *secret, Diag *diag) {
        const char *from = secret->from ? secret->from : secret->name;
        size_t length = secret->from ? strlen(from) : secret->name_length;

        for (char **name = policy->pass_environment; secret->source == SECRET_ENV && *name; name++)
                if (strlen(*name) == length && memcmp(*name, from, length) == 0)
                        (void)diag_add(diag, ERROR_CONFIGURATION,
                                       "'%s' is handed on with PassEnvironment= and is a secret as "
                                       "well: drop the first, or say Secrets=%.*s:env",
                                       *name, (int)secret->name_length, secret->name);
        for (char **item = policy->environment; secret->as_variable && *item; item++)
                if (strncmp(*item, secret->name, secret->name_length) == 0 &&
                    (*item)[secret->name_length] == '=')
                        (void)diag_add(diag, ERROR_CONFIGURATION,
                                       "'%.*s' is set with Environment= and is a secret as well: "
                                       "drop one of them",
                                       (int)secret->name_length, secret->name);
}

void secrets_check(const Policy *policy, const Settings *settings, const Facts *facts,
                   Diag *reterr_diag) {
        size_t n = secrets_count(policy);
        const Setting *last = settings_last(settings, KEY_Secrets);

        if (n == 0)
                return;
        if (!last)
                last = settings_last(settings, KEY_LoadCredential);
        if (n > SECRETS_MAX)
                (void)diag_add(reterr_diag, ERROR_CONFIGURATION,
                               "%zu secrets (%s) are too many: write %d at most", n, last->origin,
                               SECRETS_MAX);
        if (facts->no_view)
                (void)diag_add(reterr_diag, ERROR_CAPABILITY,
                               "secrets (%s) need a private mount namespace, which is not to be "
                               "had: %s, or leave them out" DOCTOR_HINT,
                               last->origin, facts->no_view);
        for (size_t i = 0; i < n; i++) {
                Secret secret = secrets_at(policy, i);

                check_variables(policy, &secret, reterr_diag);
                for (size_t j = 0; j < i; j++) {
                        Secret other = secrets_at(policy, j);

                        if (same_name(&secret, &other))
                                (void)diag_add(reterr_diag, ERROR_CONFIGURATION,
                                               "the secret '%.*s' is in both Secrets= and "
                                               "LoadCredential=: drop one of them",
                                               (int)secret.name_length, secret.name);
                }
        }
}
