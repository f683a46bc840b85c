/* SPDX-License-Identifier: MIT */
/* Reading JSON that must mean one thing only. cJSON ignores the case of keys, keeps duplicate keys,
 * accepts what follows the end, makes every number a double and forgets the lines; here none of
 * that passes. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/diag.h"

#define JSON_DEPTH_MAX 16U
#define JSON_KEYS_MAX  64U /* keys of one object: looking for duplicates compares each with each */

/* Parses @text, @size bytes (a NUL in it is an error), nested JSON_DEPTH_MAX deep at most.
 * @file: name for messages, which begin with 'file:line'. *ret is owned by the caller, free with
 * json_deletep(). Returns 0 or -EINVAL with a message in @reterr, also if libcjson is missing. */
int json_parse(const char *text, size_t size, const char *file, cJSON **ret, Diag *reterr);

/* Looks for a key of @object that is not in @known, a NULL-terminated list.
 * Returns it, or NULL. */
const char *json_unknown_key(const cJSON *object, const char *const *known);

/* The member @key of @object, exactly so spelled, or NULL; NULL also if @object is none. */
const cJSON *json_member(const cJSON *object, const char *key);

/* The line that @item, of a tree that json_parse() made, begins on; from 1. */
size_t json_line(const cJSON *item);

/* Whether @item is of that type; false for NULL. */
bool json_is_array(const cJSON *item);
bool json_is_object(const cJSON *item);
bool json_is_true(const cJSON *item);
bool json_is_bool(const cJSON *item);

/* The number of values in @array, which may be an object; 0 if it is neither. */
size_t json_count(const cJSON *array);

/* The text of @item, owned by it; NULL if it is no string (or NULL itself) or is empty. */
const char *json_text(const cJSON *item);

/* Stores the integer @item in *@ret. Returns 0; -EINVAL if it is none from 0 to @max. */
int json_unsigned(const cJSON *item, uint32_t max, uint32_t *ret);

/* For cleanup attributes. */
void json_deletep(cJSON **json);
