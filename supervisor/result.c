/* SPDX-License-Identifier: MIT */
/* The record as JSON, for --result. */
#include <ctype.h>
#include <errno.h>

#include "policy/json-library.h"
#include "supervisor/base/base.h"
#include "supervisor/record.h"

#define NAME_MAX_BYTES 64

int record_json_available(void) {
        JsonLibrary json;

        return json_library_load(&json);
}

static bool add_field(const JsonLibrary *json, cJSON *object, const RecordField *field) {
        char name[NAME_MAX_BYTES];
        size_t i;

        for (i = 0; i < sizeof(name) - 1 && field->name[i]; i++)
                name[i] = (char)tolower((unsigned char)field->name[i]);
        name[i] = '\0';
        return json_add(json, object, name, field->value, field->is_number);
}

int record_to_json(Record *record, char **ret) {
        _cleanup_free_ char *text = NULL;
        bool complete = true;
        cJSON *object;
        JsonLibrary json;
        int r;

        r = json_library_load(&json);
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
