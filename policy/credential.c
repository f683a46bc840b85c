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

bool credential_in_assignment(const char *text) {
        static const char *const ends[] = {
                "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET",     "TOKEN",
                "API_KEY",  "APIKEY", "SECRET_KEY", "ACCESS_KEY", "PRIVATE_KEY",
        };
        size_t length = strcspn(text, "=");

        if (credential_in_text(text))
                return true;
        /* A path only says where it is. */
        if (text[length] == '\0' || text[length + 1] == '\0' || text[length + 1] == '/')
                return false;
        for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
                size_t n = strlen(ends[i]);

                if (length >= n && strncasecmp(text + length - n, ends[i], n) == 0 &&
                    (length == n || text[length - n - 1] == '_'))
                        return true;
        }
        return false;
}
