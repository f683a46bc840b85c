/* SPDX-License-Identifier: MIT */
/* Values as text with their origins, in order. What may be set at all is decided here; what a value
 * means is decided by resolve.c. */
#include "policy/settings.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"

struct Settings {
        Setting *entries;
        size_t n_entries;
        size_t n_allocated;
        size_t n_list; /* how many of the entries belong to list keys */
        Layer layer;
        size_t layer_index;
};

Settings *settings_new(void) {
        Settings *settings = calloc(1, sizeof(*settings));

        if (settings)
                settings->layer = LAYER_COMMAND_LINE;
        return settings;
}

Settings *settings_free(Settings *settings) {
        if (!settings)
                return NULL;
        for (size_t i = 0; i < settings->n_entries; i++) {
                free(settings->entries[i].value);
                free(settings->entries[i].origin);
        }
        free(settings->entries);
        free(settings);
        return NULL;
}

void settings_freep(Settings **settings) {
        *settings = settings_free(*settings);
}

void settings_start_layer(Settings *settings, Layer layer) {
        settings->layer = layer;
        settings->layer_index++;
}

static int check_known(const char *name, const char *origin, Key *ret, Diag *reterr_diag) {
        const char *near;
        Key key = key_find(name, &near);

        if (key >= 0) {
                *ret = key;
                return 0;
        }
        if (near)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "unknown key '%.64s' (%s): write '%s' if that is meant", name,
                                origin, near);
        return diag_add(reterr_diag, ERROR_CONFIGURATION,
                        "unknown key '%.64s' (%s): confine(1) lists the keys", name, origin);
}

static int check_twice(const Settings *settings, Key key, const char *origin, Diag *reterr_diag) {
        const KeyInfo *info = key_info(key);

        if (info->merge == MERGE_LIST)
                return 0;
        for (size_t i = 0; i < settings->n_entries; i++) {
                const Setting *entry = &settings->entries[i];

                if (entry->key == key && entry->layer_index == settings->layer_index)
                        return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                        "'%s' is given twice: %s and %s, give it once", info->name,
                                        entry->origin, origin);
        }
        return 0;
}

static int check(const Settings *settings, const char *name, const char *value, const char *origin,
                 Key *ret, Diag *reterr_diag) {
        const KeyInfo *info;
        const char *why;
        Key key = _KEY_INVALID;
        int r;

        r = check_known(name, origin, &key, reterr_diag);
        if (r < 0)
                return r;
        info = key_info(key);
        if (info->layers == LAYERS_COMMAND_LINE && settings->layer != LAYER_COMMAND_LINE)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "'%s' (%s) may be given on the command line only: remove it there",
                                info->name, origin);
        why = key_later_value(key, value);
        if (why)
                return diag_add(reterr_diag, ERROR_CAPABILITY,
                                "'%s=%s' (%s) is not supported yet: %s", info->name, value, origin,
                                why);
        /* The value is not shown: it may be a secret. */
        if (!info->built)
                return diag_add(reterr_diag, ERROR_CAPABILITY,
                                "'%s' (%s) is not supported yet: a later version builds it, leave "
                                "it out",
                                info->name, origin);
        r = check_twice(settings, key, origin, reterr_diag);
        if (r < 0)
                return r;
        if (strlen(value) > SETTINGS_VALUE_MAX)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the value of '%s' (%s) is longer than %d bytes: write a shorter "
                                "one",
                                info->name, origin, SETTINGS_VALUE_MAX);
        if (info->merge == MERGE_LIST && settings->n_list == SETTINGS_LIST_MAX)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "'%s' (%s) is one value too many: %d of lists are the most, grant "
                                "directories instead of single files",
                                info->name, origin, SETTINGS_LIST_MAX);
        *ret = key;
        return 0;
}

static int append(Settings *settings, Key key, const char *value, const char *origin) {
        _cleanup_free_ char *value_copy = strdup(value);
        _cleanup_free_ char *origin_copy = strdup(origin);

        if (!value_copy || !origin_copy)
                return -ENOMEM;
        if (settings->n_entries == settings->n_allocated) {
                size_t n = MAX(settings->n_allocated * 2, (size_t)16);
                Setting *grown = reallocarray(settings->entries, n, sizeof(*grown));

                if (!grown)
                        return -ENOMEM;
                settings->entries = grown;
                settings->n_allocated = n;
        }
        settings->n_list += key_info(key)->merge == MERGE_LIST;
        settings->entries[settings->n_entries++] = (Setting){
                .key = key,
                .value = TAKE_PTR(value_copy),
                .origin = TAKE_PTR(origin_copy),
                .layer_index = settings->layer_index,
        };
        return 0;
}

int settings_set(Settings *settings, const char *key, const char *value, const char *origin,
                 Diag *reterr_diag) {
        Key found = _KEY_INVALID;
        int r;

        r = check(settings, key, value, origin, &found, reterr_diag);
        if (r < 0)
                return r;
        return append(settings, found, value, origin);
}

size_t settings_count(const Settings *settings) {
        return settings->n_entries;
}

const Setting *settings_at(const Settings *settings, size_t index) {
        assert(index < settings->n_entries);
        return &settings->entries[index];
}
