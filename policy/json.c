/* SPDX-License-Identifier: MIT */
/* Reading JSON strictly, on top of cJSON. */
#include "policy/json.h"

#include <errno.h>
#include <string.h>

#include "policy/json-library.h"
#include "supervisor/base/base.h"

/* Where the next value of a text begins, found in step with the tree that cJSON made of it. */
typedef struct Scanner {
        const char *at;
        const char *end;
        size_t line;
} Scanner;

void json_deletep(cJSON **json) {
        JsonLibrary library;

        if (*json && json_library_load(&library) == 0) /* it is there: it made the tree */
                library.delete(*json);
}

static void scan(Scanner *s) {
        s->line += *s->at++ == '\n';
}

/* Blanks as cJSON takes them, and what stands between values. */
static void scan_between(Scanner *s) {
        while (s->at < s->end && ((unsigned char)*s->at <= ' ' || strchr(",:]}", *s->at)))
                scan(s);
}

static void scan_string(Scanner *s) {
        for (scan(s); s->at < s->end && *s->at != '"'; scan(s))
                if (*s->at == '\\' && s->at + 1 < s->end)
                        scan(s);
        if (s->at < s->end)
                scan(s);
}

/* Passes the beginning of @item. Returns its line. */
static size_t scan_item(Scanner *s, const cJSON *item) {
        size_t line;

        scan_between(s);
        if (item->string && s->at < s->end) {
                scan_string(s);
                scan_between(s);
        }
        line = s->line;
        if (s->at == s->end)
                return line;
        if (*s->at == '"')
                scan_string(s);
        else if (json_is_array(item) || json_is_object(item))
                scan(s);
        else
                while (s->at < s->end && (unsigned char)*s->at > ' ' && !strchr(",]}", *s->at))
                        scan(s);
        return line;
}

static size_t line_of(const char *text, size_t size, const char *position) {
        Scanner s = { .at = text, .end = MIN(position, text + size), .line = 1 };

        while (s.at < s.end)
                scan(&s);
        return s.line;
}

static const char *duplicate_key(const cJSON *object) {
        for (const cJSON *a = object->child; a; a = a->next)
                for (const cJSON *b = a->next; b; b = b->next)
                        if (strcmp(a->string, b->string) == 0)
                                return a->string;
        return NULL;
}

static int check_item(const cJSON *item, const char *file, Diag *reterr) {
        const char *twice;

        if (!json_is_object(item))
                return 0;
        if (json_count(item) > JSON_KEYS_MAX)
                return diag_add(reterr, ERROR_CONFIGURATION,
                                "'%s:%zu': an object with more than %u keys", file, json_line(item),
                                JSON_KEYS_MAX);
        twice = duplicate_key(item);
        if (twice)
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s:%zu': key '%s' twice", file,
                                json_line(item), twice);
        return 0;
}

/* Visits every value without recursion, in the order of the text, and notes its line. cJSON items
 * have no link to their parent, so the way down is kept here; its length is the limit on nesting.
 */
static int check_tree(cJSON *root, const char *text, size_t size, const char *file, Diag *reterr) {
        Scanner scanner = { .at = text, .end = text + size, .line = 1 };
        cJSON *way[JSON_DEPTH_MAX] = { root };
        size_t depth = 1;

        while (depth > 0) {
                cJSON *item = way[depth - 1];
                int r;

                if (!item) {
                        depth--;
                        continue;
                }
                /* Nothing else of ours is in it: numbers are read as doubles. */
                item->valueint = (int)scan_item(&scanner, item);
                r = check_item(item, file, reterr);
                if (r < 0)
                        return r;
                way[depth - 1] = item->next;
                if (!item->child)
                        continue;
                if (depth == JSON_DEPTH_MAX)
                        return diag_add(reterr, ERROR_CONFIGURATION,
                                        "'%s:%zu': nested deeper than %u levels", file,
                                        json_line(item), JSON_DEPTH_MAX);
                way[depth++] = item->child;
        }
        return 0;
}

int json_parse(const char *text, size_t size, const char *file, cJSON **ret, Diag *reterr) {
        _cleanup_(json_deletep) cJSON *json = NULL;
        const char *end = text;
        JsonLibrary library;
        int r;

        if (json_library_load(&library) < 0)
                return diag_add(reterr, ERROR_CAPABILITY,
                                "'%s' cannot be read without the library " JSON_LIBRARY_NAME
                                ": install the package " JSON_LIBRARY_PACKAGE,
                                file);
        if (memchr(text, '\0', size))
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s' contains a NUL byte", file);
        json = library.parse(text, size, &end, false);
        if (!json)
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s:%zu': not valid JSON", file,
                                line_of(text, size, end));
        while (end < text + size && strchr(" \t\r\n", *end))
                end++;
        if (end < text + size)
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s:%zu': text after the end", file,
                                line_of(text, size, end));
        r = check_tree(json, text, size, file, reterr);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(json);
        return 0;
}

const char *json_unknown_key(const cJSON *object, const char *const *known) {
        for (const cJSON *item = object->child; item; item = item->next) {
                size_t i = 0;

                while (known[i] && strcmp(known[i], item->string) != 0)
                        i++;
                if (!known[i])
                        return item->string;
        }
        return NULL;
}

const cJSON *json_member(const cJSON *object, const char *key) {
        if (!json_is_object(object))
                return NULL;
        for (const cJSON *item = object->child; item; item = item->next)
                if (strcmp(item->string, key) == 0)
                        return item;
        return NULL;
}

size_t json_line(const cJSON *item) {
        return (size_t)item->valueint;
}

static bool is_type(const cJSON *item, int type) {
        return item && (item->type & 0xff) == type;
}

bool json_is_array(const cJSON *item) {
        return is_type(item, cJSON_Array);
}

bool json_is_object(const cJSON *item) {
        return is_type(item, cJSON_Object);
}

bool json_is_true(const cJSON *item) {
        return is_type(item, cJSON_True);
}

bool json_is_bool(const cJSON *item) {
        return is_type(item, cJSON_True) || is_type(item, cJSON_False);
}

size_t json_count(const cJSON *array) {
        size_t n = 0;

        if (!json_is_array(array) && !json_is_object(array))
                return 0;
        for (const cJSON *item = array->child; item; item = item->next)
                n++;
        return n;
}

const char *json_text(const cJSON *item) {
        return is_type(item, cJSON_String) && item->valuestring[0] ? item->valuestring : NULL;
}

int json_unsigned(const cJSON *item, uint32_t max, uint32_t *ret) {
        if (!is_type(item, cJSON_Number) || !(item->valuedouble >= 0) || item->valuedouble > max)
                return -EINVAL;
        if ((double)(uint32_t)item->valuedouble != item->valuedouble)
                return -EINVAL;
        *ret = (uint32_t)item->valuedouble;
        return 0;
}
