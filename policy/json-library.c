/* SPDX-License-Identifier: MIT */
/* Loading libcjson, and writing members with it. */
#include "policy/json-library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

int json_library_load(JsonLibrary *ret) {
        void *library = dlopen(JSON_LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
        JsonLibrary json = { 0 };
        const struct {
                const char *name;
                void *slot;
        } symbols[] = {
                { "cJSON_ParseWithLengthOpts", &json.parse },
                { "cJSON_Delete", &json.delete },
                { "cJSON_CreateObject", &json.create_object },
                { "cJSON_CreateArray", &json.create_array },
                { "cJSON_AddItemToObject", &json.add_to_object },
                { "cJSON_AddItemToArray", &json.add_to_array },
                { "cJSON_AddRawToObject", &json.add_raw },
                { "cJSON_AddStringToObject", &json.add_string },
                { "cJSON_PrintUnformatted", &json.print_raw },
        };

        for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
                void *symbol = library ? dlsym(library, symbols[i].name) : NULL;

                if (!symbol)
                        return -ENOPKG;
                /* POSIX wants a function pointer to fit a void *, C has no cast for it. */
                memcpy(symbols[i].slot, &symbol, sizeof(symbol));
        }
        *ret = json;
        return 0;
}

/* JSON text is UTF-8; arguments and paths need not be. */
static void make_utf8(char *text) {
        while (*text) {
                size_t n = str_utf8_sequence(text);

                if (n == 0)
                        *text = '?';
                text += n ? n : 1;
        }
}

bool json_add(const JsonLibrary *json, cJSON *object, const char *name, char *value, bool raw) {
        /* Raw: cJSON's numbers are doubles, ours have 64 bits. */
        if (raw)
                return json->add_raw(object, name, value);
        make_utf8(value);
        return json->add_string(object, name, value);
}

/* Outside of strings JSON has no such characters. json_add() let nothing in that is no UTF-8. */
static char *escape(const char *text) {
        char *escaped = malloc(6 * strlen(text) + 1), *to = escaped;

        if (!escaped)
                return NULL;
        while (*text) {
                size_t n = MAX(str_utf8_sequence(text), (size_t)1);

                if (str_printable_sequence(text) == n)
                        to = mempcpy(to, text, n);
                else
                        to += snprintf(to, 7, "\\u%04x", str_utf8_code(text, n) & 0xffff);
                text += n;
        }
        *to = '\0';
        return escaped;
}

int json_format(JsonFill *fill, const void *of, char **ret) {
        _cleanup_free_ char *text = NULL;
        JsonLibrary json;
        cJSON *object;
        int r;

        r = json_library_load(&json);
        if (r < 0)
                return r;
        object = json.create_object();
        if (object && fill(&json, object, of))
                text = json.print_raw(object);
        json.delete(object);
        *ret = text ? escape(text) : NULL;
        return *ret ? 0 : -ENOMEM;
}
