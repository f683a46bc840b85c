/* SPDX-License-Identifier: MIT */
/* libcjson, loaded when it is needed: mapping a library costs every run, and most runs neither read
 * nor write JSON. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>

#define JSON_LIBRARY_NAME    "libcjson.so.1"
#define JSON_LIBRARY_PACKAGE "libcjson1"

typedef struct JsonLibrary {
        __typeof__(cJSON_ParseWithLengthOpts) *parse;
        __typeof__(cJSON_Delete) *delete;
        __typeof__(cJSON_CreateObject) *create_object;
        __typeof__(cJSON_CreateArray) *create_array;
        __typeof__(cJSON_AddItemToObject) *add_to_object;
        __typeof__(cJSON_AddItemToArray) *add_to_array;
        __typeof__(cJSON_AddRawToObject) *add_raw;
        __typeof__(cJSON_AddStringToObject) *add_string;
        __typeof__(cJSON_PrintUnformatted) *print_raw; /* json_format() is what is written out */
} JsonLibrary;

/* Loads the library; it stays until the process ends. Returns 0 or -ENOPKG. */
int json_library_load(JsonLibrary *ret);

/* Adds the member @name to @object: @value as it is if it is @raw (a number of any size, true,
 * false), else as a string, of which bytes that are no UTF-8 become '?' in place.
 * Returns false when out of memory. */
bool json_add(const JsonLibrary *json, cJSON *object, const char *name, char *value, bool raw);

/* Puts members of @of into @object. Returns false when out of memory. */
typedef bool JsonFill(const JsonLibrary *json, cJSON *object, const void *of);

/* Writes an object that @fill has made of @of to *ret, which is the caller's, on one line without
 * its end. What may not be shown on a terminal is escaped: cJSON does that for C0 alone, and
 * whoever looks at JSON with a pager has it shown. Returns 0; -ENOPKG without the library; -ENOMEM.
 */
int json_format(JsonFill *fill, const void *of, char **ret);
