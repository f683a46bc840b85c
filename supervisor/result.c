/* SPDX-License-Identifier: MIT */
/* The record as JSON, for --result. The one home of cJSON in the supervisor. */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/record.h"

#define NAME_MAX_BYTES 64

static void cjson_deletep(cJSON **object) {
        cJSON_Delete(*object);
}

/* JSON text is UTF-8; arguments need not be. What is not valid becomes '?'. */
static void make_utf8(char *text) {
        unsigned char *p = (unsigned char *)text;

        while (*p) {
                size_t n = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 : *p >= 0xe0 && *p < 0xf0 ? 3
                           : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;
                size_t i = 1;

                while (i < n && (p[i] & 0xc0) == 0x80)
                        i++;
                /* Overlong forms, surrogates and code points past U+10FFFF. */
                if (n == 0 || i < n || (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
                    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f)) {
                        *p++ = '?';
                        continue;
                }
                p += n;
        }
}

static bool add_field(cJSON *object, const RecordField *field) {
        char name[NAME_MAX_BYTES];
        size_t i;

        for (i = 0; field->name[i] && i < sizeof(name) - 1; i++)
                name[i] = (char)tolower((unsigned char)field->name[i]);
        name[i] = '\0';
        /* Raw: cJSON's numbers are doubles, counters are 64 bits. */
        if (field->is_number)
                return cJSON_AddRawToObject(object, name, field->value);
        make_utf8(field->value);
        return cJSON_AddStringToObject(object, name, field->value);
}

int record_to_json(Record *record, char **ret) {
        _cleanup_(cjson_deletep) cJSON *object = cJSON_CreateObject();
        _cleanup_free_ char *text = NULL;

        if (!object)
                return -ENOMEM;
        for (size_t i = 0; i < record->n_fields; i++)
                if (!add_field(object, &record->fields[i]))
                        return -ENOMEM;
        text = cJSON_PrintUnformatted(object);
        if (!text)
                return -ENOMEM;
        return asprintf(ret, "%s\n", text) < 0 ? -ENOMEM : 0;
}
