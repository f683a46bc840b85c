/* SPDX-License-Identifier: MIT */
/* policy/secret.c and policy/credential.c: what names a secret, and what looks like one (S14). */
#include "policy/secret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy/credential.h"
#include "policy/resolve.h"
#include "policy/value.h"
#include "tests/unit/tap.h"

static void test_parse(void) {
        static const struct {
                Key key;
                const char *text;
                size_t name_length; /* 0: refused */
                SecretSource source;
                const char *from;
                bool as_variable;
        } rows[] = {
                { KEY_Secrets, "A", 1, SECRET_ENV, NULL, false },
                { KEY_Secrets, "A:env", 1, SECRET_ENV, NULL, true },
                { KEY_Secrets, "a.b=env:C", 3, SECRET_ENV, "C", false },
                { KEY_Secrets, "A:env=file:/p", 1, SECRET_FILE, "/p", true },
                { KEY_Secrets, "a-b=fd:3", 3, SECRET_FD, "3", false },
                { KEY_Secrets, "", 0, 0, NULL, false },
                { KEY_Secrets, ".", 0, 0, NULL, false },
                { KEY_Secrets, "..", 0, 0, NULL, false },
                { KEY_Secrets, "-A", 0, 0, NULL, false },
                { KEY_Secrets, "a/b", 0, 0, NULL, false },
                { KEY_Secrets, "a-b", 0, 0, NULL, false },
                { KEY_Secrets, "a-b:env=fd:3", 0, 0, NULL, false },
                { KEY_Secrets, "A=hunter2", 0, 0, NULL, false },
                { KEY_Secrets, "A=", 0, 0, NULL, false },
                { KEY_Secrets, "A=env:", 0, 0, NULL, false },
                { KEY_Secrets, "A=env:1", 0, 0, NULL, false },
                { KEY_Secrets, "A=fd:x", 0, 0, NULL, false },
                { KEY_Secrets, "A=fd:2147483648", 0, 0, NULL, false },
                { KEY_Secrets, "A:envy", 0, 0, NULL, false },
                { KEY_LoadCredential, "a-b", 3, SECRET_CREDENTIAL, NULL, false },
                { KEY_LoadCredential, "A:b", 1, SECRET_CREDENTIAL, "b", false },
                { KEY_LoadCredential, "A:/p", 1, SECRET_FILE, "/p", false },
                { KEY_LoadCredential, "A:", 0, 0, NULL, false },
                { KEY_LoadCredential, "A:../p", 0, 0, NULL, false },
                { KEY_LoadCredential, "A=p", 0, 0, NULL, false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                Secret secret = { 0 };
                ValueHint hint = { "" };
                int r = secret_parse(rows[i].key, rows[i].text, &secret, &hint);

                is_int(r, rows[i].name_length > 0 ? 0 : -EINVAL, "'%s'", rows[i].text);
                ok(!strstr(hint.text, "hunter2"), "S14: '%s': the hint shows no value",
                   rows[i].text);
                if (r < 0)
                        continue;
                is_uint(secret.name_length, rows[i].name_length, "'%s': its name", rows[i].text);
                is_int(secret.source, rows[i].source, "'%s': its source", rows[i].text);
                is_str(secret.from, rows[i].from, "'%s': from", rows[i].text);
                is_int(secret.as_variable, rows[i].as_variable, "'%s': variable", rows[i].text);
        }
}

static void test_name_length(void) {
        char text[SECRET_NAME_MAX + 2] = "";
        ValueHint hint;
        Secret secret;

        memset(text, 'A', SECRET_NAME_MAX);
        is_int(secret_parse(KEY_Secrets, text, &secret, &hint), 0, "a name at the limit");
        text[SECRET_NAME_MAX] = 'A';
        is_int(secret_parse(KEY_Secrets, text, &secret, &hint), -EINVAL, "one byte more");
}

/* Resolves @values, separated by blanks; *@ret_text gets the first message, if any. */
static void resolve_number(const char *values, const char *no_view, const char *part, size_t n) {
        const Facts facts = { .landlock_abi = 4, .cwd = "/home/u", .no_view = no_view };
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_free_ char *copy = strdup(values);
        char *rest = NULL;

        if (!settings || !copy)
                bail_out("out of memory");
        (void)settings_set(settings, "PrivateTmp", "no", "-p", &diag);
        for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
                char *equals = strchr(word, '=');

                *equals = '\0';
                (void)settings_set(settings, word, equals + 1, "-p", &diag);
        }
        is_int(policy_resolve(settings, &facts, &policy, &diag), part ? -EINVAL : 0, "%s", values);
        if (part)
                has_str(diag.n_messages > 0 ? diag.messages[0].text : "", part, "%s: why", values);
        if (policy)
                is_uint(secrets_count(policy), n, "%s: %zu", values, n);
}

static void resolve(const char *values, const char *no_view, const char *part) {
        resolve_number(values, no_view, part, 2);
}

static void test_together(void) {
        resolve("Secrets=A Secrets=B LoadCredential=A", NULL, "is in both");
        resolve("Secrets=A Secrets=A=fd:3 LoadCredential=B", NULL, NULL);
        resolve("Secrets=A=file:p Secrets=B", NULL, NULL);
        resolve("Secrets=A", "mounts are forbidden", "private mount namespace");
        resolve("Secrets=A PassEnvironment=A", NULL, "PassEnvironment= and is a secret");
        resolve("Secrets=B=env:A PassEnvironment=A", NULL, "Secrets=B:env");
        resolve("Secrets=A:env Environment=A=x", NULL, "Environment= and is a secret");
        resolve("LoadCredential=A", "mounts are forbidden", "private mount namespace");
        resolve("Secrets=A=file:", NULL, "the path of the secret 'A' of 'Secrets' (-p) is none");
        resolve("LoadCredential=A=hunter2", NULL, "'LoadCredential' (-p) names no secret");
}

static void add_value(char *values, int number) {
        (void)snprintf(values + strlen(values), sizeof("Secrets=A00 "), "Secrets=A%02d ", number);
}

static void test_number(void) {
        char values[(SECRETS_MAX + 1) * sizeof("Secrets=A00 ")] = "";

        for (int i = 0; i < SECRETS_MAX; i++)
                add_value(values, i);
        resolve_number(values, NULL, NULL, SECRETS_MAX);
        add_value(values, SECRETS_MAX);
        resolve(values, NULL, "33 secrets (-p) are too many");
}

static void test_credentials(void) {
        static const char *const looks[] = {
                "A=sk-abcdefghijklmnopqrstuvwx",
                "A=x ghp_abcdefghijklmnopqrstuvwxyz0123456789",
                "A=AKIAABCDEFGHIJKLMNOP",
                "A=-----BEGIN RSA PRIVATE KEY-----",
                "A=postgres://user:word@host/db",
                "PASSWORD=x",
                "db_password=hunter2",
                "SERVICE_API_KEY=1",
                "PGPASSWORD=x",
                "MYSQL_PWD=x",
                "api-key=x",
                "my password=x",
                "Service.Secret =x",
        };
        static const char *const does_not[] = {
                "A=1",
                "TOKENIZERS_PARALLELISM=false",
                "PASSWORD=",
                "PASSWORD",
                "PASSWORD_FILE=x",
                "MONKEY=x",
                "my-key=x",
                "APWD=x",
                " =x",
                "=x",
                "GITHUB_TOKEN=/run/credentials/token",
                "A=risk-abcdefghijklmnopqrstuvwx",
                "A=http://host:80/user@x",
                "A=-----BEGIN PUBLIC KEY-----",
        };

        for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
                ok(credential_in_assignment(looks[i]), "S14: '%s' looks like one", looks[i]);
        for (size_t i = 0; i < ARRAY_SIZE(does_not); i++)
                ok(!credential_in_assignment(does_not[i]), "'%s' does not", does_not[i]);
        ok(!credential_in_text("PASSWORD=x"), "a name counts in an assignment only");
}

int main(void) {
        test_parse();
        test_name_length();
        test_together();
        test_number();
        test_credentials();
        return done_testing();
}
