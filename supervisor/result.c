/* SPDX-License-Identifier: MIT */
/* The record as JSON, for --result. */
#include <ctype.h>
#include <errno.h>

#include "policy/json-library.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
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

static bool add_fields(const JsonLibrary *json, cJSON *object, const void *of) {
        const Record *record = of;

        for (size_t i = 0; i < record->n_fields; i++)
                if (!add_field(json, object, &record->fields[i]))
                        return false;
        return true;
}

int record_to_json(Record *record, char **ret) {
        _cleanup_free_ char *text = NULL;
        int r;

        r = json_format(add_fields, record, &text);
        if (r < 0)
                return r;
        *ret = str_format("%s\n", text);
        return *ret ? 0 : -ENOMEM;
}
