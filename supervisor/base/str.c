/* SPDX-License-Identifier: MIT */
/* Text: UTF-8, printing what somebody else wrote, nearest words, string vectors. */
#include "supervisor/base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/base.h"

uint32_t str_utf8_code(const char *text, size_t length) {
        static const unsigned char mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
        const unsigned char *s = (const unsigned char *)text;
        uint32_t code = s[0] & mask[length];

        for (size_t i = 1; i < length; i++)
                code = code << 6 | (s[i] & 0x3f);
        return code;
}

size_t str_utf8_sequence(const char *text) {
        static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
        const unsigned char *s = (const unsigned char *)text;
        size_t length;
        uint32_t code;

        if (s[0] < 0x80)
                return s[0] != '\0';
        length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
        if (s[0] < 0xc2 || s[0] > 0xf4)
                return 0;
        for (size_t i = 1; i < length; i++)
                if ((s[i] & 0xc0) != 0x80) /* also stops at the NUL */
                        return 0;
        code = str_utf8_code(text, length);
        if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
                return 0;
        return length;
}

/* A terminal acts on these, or a reader is misled by them: they can hide or reorder what stands in
 * a message. Source: Unicode 15, "Bidirectional Algorithm" (UAX 9), section 2. */
static bool code_is_harmful(uint32_t code) {
        static const struct {
                uint32_t first, last;
        } ranges[] = {
                { 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },
                { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
                if (code >= ranges[i].first && code <= ranges[i].last)
                        return true;
        return false;
}

size_t str_printable_sequence(const char *text) {
        size_t length = str_utf8_sequence(text);

        if (length > 0 && code_is_harmful(str_utf8_code(text, length)))
                return 0;
        return length;
}

void str_make_printable(char *text) {
        const char *from = text;
        char *to = text;

        while (*from != '\0') {
                size_t length = str_printable_sequence(from);

                if (length == 0) {
                        length = MAX(str_utf8_sequence(from), (size_t)1);
                        *to++ = '?';
                } else {
                        memmove(to, from, length);
                        to += length;
                }
                from += length;
        }
        *to = '\0';
}

static char lower(char c) {
        if (c >= 'A' && c <= 'Z')
                return (char)(c + ('a' - 'A'));
        return c;
}

char *str_quote(const char *word, char *ret) {
        static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "_@%+=:,./-";

        if (word[0] && word[strspn(word, plain)] == '\0')
                return stpcpy(ret, word);
        *ret++ = '\'';
        for (; *word; word++)
                if (*word == '\'')
                        ret = stpcpy(ret, "'\\''");
                else
                        *ret++ = *word;
        return stpcpy(ret, "'");
}

size_t str_distance(const char *a, const char *b) {
        size_t row[STR_DISTANCE_MAX + 1];
        size_t n_a = strnlen(a, STR_DISTANCE_MAX + 1), n_b = strnlen(b, STR_DISTANCE_MAX + 1);

        if (n_a > STR_DISTANCE_MAX || n_b > STR_DISTANCE_MAX)
                return SIZE_MAX;
        for (size_t j = 0; j <= n_b; j++)
                row[j] = j;
        for (size_t i = 1; i <= n_a; i++) {
                size_t diagonal = row[0]; /* the cell up and to the left of the next one */

                row[0] = i;
                for (size_t j = 1; j <= n_b; j++) {
                        size_t replace = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));

                        diagonal = row[j];
                        row[j] = MIN(replace, MIN(row[j], row[j - 1]) + 1);
                }
        }
        return row[n_b];
}

bool str_is_near(const char *candidate, size_t distance) {
        return distance <= 3 && distance * 3 <= strlen(candidate);
}

bool str_path_below(const char *path, const char *directory) {
        size_t length = strlen(directory);

        if (strcmp(directory, "/") == 0)
                return true;
        return strncmp(path, directory, length) == 0 &&
               (path[length] == '\0' || path[length] == '/');
}

bool str_read_number(const char *text, const char **ret_end, uint64_t *ret) {
        char *end;

        text += strspn(text, " \t");
        if (*text < '0' || *text > '9')
                return false; /* strtoull would take a sign */
        errno = 0;
        unsigned long long value = strtoull(text, &end, 10);
        if (errno)
                return false;
        *ret = value;
        if (ret_end)
                *ret_end = end;
        return true;
}

char *str_format(const char *format, ...) {
        char *text;
        va_list ap;
        int n;

        va_start(ap, format);
        n = vasprintf(&text, format, ap);
        va_end(ap);
        return n < 0 ? NULL : text; /* which is undefined then */
}

char **strv_free(char **strv) {
        if (strv)
                for (size_t i = 0; strv[i]; i++)
                        free(strv[i]);
        free(strv);
        return NULL;
}

void strv_freep(char ***strv) {
        *strv = strv_free(*strv);
}

size_t strv_length(char *const *strv) {
        size_t n = 0;

        while (strv && strv[n])
                n++;
        return n;
}

int strv_add(char ***strv, const char *text) {
        _cleanup_free_ char *copy = strdup(text);
        size_t n = strv_length(*strv);
        char **grown;

        if (!copy)
                return -ENOMEM;
        grown = reallocarray(*strv, n + 2, sizeof(*grown));
        if (!grown)
                return -ENOMEM;
        grown[n] = TAKE_PTR(copy);
        grown[n + 1] = NULL;
        *strv = grown;
        return 0;
}

char **strv_find_named(char **strv, const char *name, size_t length) {
        for (char **entry = strv; *entry; entry++)
                if (strncmp(*entry, name, length) == 0 &&
                    ((*entry)[length] == '=' || (*entry)[length] == '\0'))
                        return entry;
        return NULL;
}

int strv_set_named(char ***strv, const char *text, size_t length) {
        char **before = strv_find_named(*strv, text, length);
        char *copy;

        if (!before)
                return strv_add(strv, text);
        copy = strdup(text);
        if (!copy)
                return -ENOMEM;
        free(*before);
        *before = copy;
        return 0;
}

char *strv_join(char *const *strv, const char *between) {
        size_t size = 1;
        char *text, *end;

        for (char *const *entry = strv; *entry; entry++)
                size += strlen(*entry) + strlen(between);
        text = end = malloc(size);
        if (!text)
                return NULL;
        *end = '\0';
        for (char *const *entry = strv; *entry; entry++)
                end = stpcpy(stpcpy(end, entry == strv ? "" : between), *entry);
        return text;
}
