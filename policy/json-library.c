/* SPDX-License-Identifier: MIT */
/* Loading libcjson. */
#include "policy/json-library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"

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
                { "cJSON_AddRawToObject", &json.add_raw },
                { "cJSON_AddStringToObject", &json.add_string },
                { "cJSON_PrintUnformatted", &json.print },
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
