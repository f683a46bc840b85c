/* SPDX-License-Identifier: MIT */
/* Reading JSON that must mean one thing only. cJSON ignores the case of keys, keeps duplicate keys,
 * accepts what follows the end and makes every number a double; here none of that passes. */
#pragma once

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/diag.h"

#define JSON_DEPTH_MAX 16U
#define JSON_KEYS_MAX  64U /* keys of one object: looking for duplicates compares each with each */

/* Parses @text, @size bytes (a NUL in it is an error), nested JSON_DEPTH_MAX deep at most.
 * @file: name for messages. *ret is owned by the caller, free with cJSON_Delete().
 * Returns 0 or -EINVAL with a message in @reterr. */
int json_parse(const char *text, size_t size, const char *file, cJSON **ret, Diag *reterr);

/* Looks for a key of @object that is not in @known, a NULL-terminated list.
 * Returns it, or NULL. */
const char *json_unknown_key(const cJSON *object, const char *const *known);

/* The member @key of @object, exactly so spelled, or NULL. */
const cJSON *json_member(const cJSON *object, const char *key);

/* The text of @item, owned by it; NULL if it is no string (or NULL itself) or is empty. */
const char *json_text(const cJSON *item);

/* Stores the integer @item in *@ret. Returns 0; -EINVAL if it is none from 0 to @max. */
int json_unsigned(const cJSON *item, uint32_t max, uint32_t *ret);

/* For cleanup attributes. */
void json_deletep(cJSON **json);
