/* SPDX-License-Identifier: MIT */
/* Forms of credentials, as their issuers document them for scanners. */
#include "policy/credential.h"

#include <stddef.h>
#include <string.h>

#include "supervisor/base/base.h"

#define TOKEN_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

static bool has_token(const char *text) {
        static const struct {
                const char *prefix;
                size_t least; /* characters of a token after it */
        } rows[] = {
                { "sk-", 20 },         { "sk_live_", 16 }, { "rk_live_", 16 }, { "ghp_", 30 },
                { "gho_", 30 },        { "ghu_", 30 },     { "ghs_", 30 },     { "ghr_", 30 },
                { "github_pat_", 30 }, { "glpat-", 16 },   { "xoxb-", 16 },    { "xoxp-", 16 },
                { "AKIA", 16 },        { "ASIA", 16 },     { "AIza", 30 },     { "npm_", 30 },
                { "pypi-", 30 },       { "hf_", 30 },      { "eyJ", 30 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const char *found = text;

                while ((found = strstr(found, rows[i].prefix)) != NULL) {
                        bool starts = found == text || !strchr(TOKEN_CHARACTERS, found[-1]);

                        found += strlen(rows[i].prefix);
                        if (starts && strspn(found, TOKEN_CHARACTERS) >= rows[i].least)
                                return true;
                }
        }
        return false;
}

/* scheme://user:password@host */
static bool has_password(const char *text) {
        const char *start = strstr(text, "://"), *colon;
        size_t length;

        if (!start)
                return false;
        start += 3;
        length = strcspn(start, "/?#@ ");
        colon = memchr(start, ':', length);
        return start[length] == '@' && colon && colon + 1 < start + length;
}

bool credential_in_text(const char *text) {
        const char *pem = strstr(text, "-----BEGIN ");

        return (pem && strstr(pem, "PRIVATE KEY")) || has_token(text) || has_password(text);
}

static bool separates(char c) {
        return c != '\0' && strchr("_-. \t", c) != NULL;
}

/* Whether the @length bytes of @name end with @end, which has '_' for all that separates words. */
static bool ends_with(const char *name, size_t length, const char *end) {
        size_t n = strlen(end);

        if (length < n)
                return false;
        for (name += length - n; *end; name++, end++)
                if (strncasecmp(name, end, 1) != 0 && !(*end == '_' && separates(*name)))
                        return false;
        return true;
}

bool credential_in_assignment(const char *text) {
        static const struct {
                const char *end;
                bool within; /* a word too: PGPASSWORD */
        } rows[] = {
                { "PASSWORD", true },    { "PASSWD", true },       { "PASSPHRASE", true },
                { "PWD", false },        { "SECRET", false },      { "TOKEN", false },
                { "API_KEY", false },    { "APIKEY", true },       { "SECRET_KEY", false },
                { "ACCESS_KEY", false }, { "PRIVATE_KEY", false },
        };
        size_t length = strcspn(text, "=");

        if (credential_in_text(text))
                return true;
        /* A path only says where it is. */
        if (text[length] == '\0' || text[length + 1] == '\0' || text[length + 1] == '/')
                return false;
        while (length > 0 && separates(text[length - 1]))
                length--;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                size_t n = strlen(rows[i].end);

                if (ends_with(text, length, rows[i].end) &&
                    (rows[i].within || length == n || separates(text[length - n - 1])))
                        return true;
        }
        return false;
}
