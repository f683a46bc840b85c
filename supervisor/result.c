/* SPDX-License-Identifier: MIT */
/* The record as JSON, for --result. The one home of cJSON in the supervisor, which loads it only
 * here: mapping a library costs every run, and most runs render no JSON. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/record.h"

#define NAME_MAX_BYTES 64

#define CJSON_LIBRARY "libcjson.so.1"

typedef struct Json {
        __typeof__(cJSON_CreateObject) *create_object;
        __typeof__(cJSON_AddRawToObject) *add_raw;
        __typeof__(cJSON_AddStringToObject) *add_string;
        __typeof__(cJSON_PrintUnformatted) *print;
        __typeof__(cJSON_Delete) *delete;
} Json;

/* The library stays loaded until the process ends. Returns 0 or -ENOPKG. */
static int json_load(Json *ret) {
        void *library = dlopen(CJSON_LIBRARY, RTLD_NOW | RTLD_LOCAL);
        Json json = { 0 };
        const struct {
                const char *name;
                void *slot;
        } symbols[] = {
                { "cJSON_CreateObject", &json.create_object },
                { "cJSON_AddRawToObject", &json.add_raw },
                { "cJSON_AddStringToObject", &json.add_string },
                { "cJSON_PrintUnformatted", &json.print },
                { "cJSON_Delete", &json.delete },
        };

        if (!library)
                return -ENOPKG;
        for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
                void *symbol = dlsym(library, symbols[i].name);

                if (!symbol)
                        return -ENOPKG;
                /* POSIX wants a function pointer to fit a void *, C has no cast for it. */
                memcpy(symbols[i].slot, &symbol, sizeof(symbol));
        }
        *ret = json;
        return 0;
}

int record_json_available(void) {
        Json json;

        return json_load(&json);
}

/* JSON text is UTF-8; arguments need not be. What is not valid becomes '?'. */
static void make_utf8(char *text) {
        while (*text) {
                size_t n = str_utf8_sequence(text);

                if (n == 0)
                        *text = '?';
                text += n ? n : 1;
        }
}

static bool add_field(const Json *json, cJSON *object, const RecordField *field) {
        char name[NAME_MAX_BYTES];
        size_t i;

        for (i = 0; i < sizeof(name) - 1 && field->name[i]; i++)
                name[i] = (char)tolower((unsigned char)field->name[i]);
        name[i] = '\0';
        /* Raw: cJSON's numbers are doubles, counters are 64 bits. */
        if (field->is_number)
                return json->add_raw(object, name, field->value);
        make_utf8(field->value);
        return json->add_string(object, name, field->value);
}

int record_to_json(Record *record, char **ret) {
        _cleanup_free_ char *text = NULL;
        bool complete = true;
        cJSON *object;
        Json json;
        int r;

        r = json_load(&json);
        if (r < 0)
                return r;
        object = json.create_object();
        if (!object)
                return -ENOMEM;
        for (size_t i = 0; i < record->n_fields && complete; i++)
                complete = add_field(&json, object, &record->fields[i]);
        if (complete)
                text = json.print(object);
        json.delete(object);
        if (!text)
                return -ENOMEM;
        return asprintf(ret, "%s\n", text) < 0 ? -ENOMEM : 0;
}
