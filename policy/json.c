/* SPDX-License-Identifier: MIT */
/* Reading JSON strictly, on top of cJSON. */
#include "policy/json.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"

void json_deletep(cJSON **json) {
        cJSON_Delete(*json);
}

static size_t line_of(const char *text, size_t size, const char *position) {
        size_t line = 1;

        for (size_t i = 0; i < size && text + i < position; i++)
                if (text[i] == '\n')
                        line++;
        return line;
}

static const char *duplicate_key(const cJSON *object) {
        for (const cJSON *a = object->child; a; a = a->next)
                for (const cJSON *b = a->next; b; b = b->next)
                        if (strcmp(a->string, b->string) == 0)
                                return a->string;
        return NULL;
}

/* Visits every value without recursion. cJSON items have no link to their parent, so the way down
 * is kept here; its length is the limit on nesting. */
static int check_tree(const cJSON *root, const char *file, Diag *reterr) {
        const cJSON *way[JSON_DEPTH_MAX] = { root };
        size_t depth = 1;

        while (depth > 0) {
                const cJSON *item = way[depth - 1];
                const char *twice;

                if (!item) {
                        depth--;
                        continue;
                }
                if (cJSON_IsObject(item) && cJSON_GetArraySize(item) > (int)JSON_KEYS_MAX)
                        return diag_add(reterr, ERROR_CONFIGURATION,
                                        "an object of '%s' has more than %u keys", file,
                                        JSON_KEYS_MAX);
                twice = cJSON_IsObject(item) ? duplicate_key(item) : NULL;
                if (twice)
                        return diag_add(reterr, ERROR_CONFIGURATION, "key '%s' twice in '%s'",
                                        twice, file);
                way[depth - 1] = item->next;
                if (!item->child)
                        continue;
                if (depth == JSON_DEPTH_MAX)
                        return diag_add(reterr, ERROR_CONFIGURATION,
                                        "'%s' is nested deeper than %u levels", file,
                                        JSON_DEPTH_MAX);
                way[depth++] = item->child;
        }
        return 0;
}

int json_parse(const char *text, size_t size, const char *file, cJSON **ret, Diag *reterr) {
        _cleanup_(json_deletep) cJSON *json = NULL;
        const char *end = text;
        int r;

        if (memchr(text, '\0', size))
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s' contains a NUL byte", file);
        json = cJSON_ParseWithLengthOpts(text, size, &end, false);
        if (!json)
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s' line %zu: not valid JSON", file,
                                line_of(text, size, end));
        while (end < text + size && strchr(" \t\r\n", *end))
                end++;
        if (end < text + size)
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s' line %zu: text after the end",
                                file, line_of(text, size, end));
        r = check_tree(json, file, reterr);
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
        return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *json_text(const cJSON *item) {
        return cJSON_IsString(item) && item->valuestring[0] ? item->valuestring : NULL;
}

int json_unsigned(const cJSON *item, uint32_t max, uint32_t *ret) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || item->valuedouble > max)
                return -EINVAL;
        if ((double)(uint32_t)item->valuedouble != item->valuedouble)
                return -EINVAL;
        *ret = (uint32_t)item->valuedouble;
        return 0;
}
