/* SPDX-License-Identifier: MIT */
/* libcjson, loaded when it is needed: mapping a library costs every run, and most runs neither read
 * nor write JSON. */
#pragma once

#include <cjson/cJSON.h>

#define JSON_LIBRARY_NAME    "libcjson.so.1"
#define JSON_LIBRARY_PACKAGE "libcjson1"

typedef struct JsonLibrary {
        __typeof__(cJSON_ParseWithLengthOpts) *parse;
        __typeof__(cJSON_Delete) *delete;
        __typeof__(cJSON_CreateObject) *create_object;
        __typeof__(cJSON_AddRawToObject) *add_raw;
        __typeof__(cJSON_AddStringToObject) *add_string;
        __typeof__(cJSON_PrintUnformatted) *print;
} JsonLibrary;

/* Loads the library; it stays until the process ends. Returns 0 or -ENOPKG. */
int json_library_load(JsonLibrary *ret);
