/* SPDX-License-Identifier: MIT */
/* Values as text with their origins, in order. What may be set at all is decided here; what a value
 * means is decided by resolve.c. */
#include "policy/settings.h"
#include "policy/credential.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "policy/credential.h"
#include "supervisor/base/base.h"

typedef struct List {
        Setting *entries;
        size_t n_entries;
        size_t n_allocated;
} List;

struct Settings {
        List values;
        List ceilings;
        size_t n_list; /* how many of both belong to list keys */
        Layer layer;
        size_t layer_index;
        bool no_sandbox_forbidden;
        char *no_sandbox_origin; /* owned; NULL: nobody said anything */
        size_t no_sandbox_layer_index;
};

Settings *settings_new(void) {
        Settings *settings = calloc(1, sizeof(*settings));

        if (settings)
                settings->layer = LAYER_COMMAND_LINE;
        return settings;
}

static void list_done(List *list) {
        for (size_t i = 0; i < list->n_entries; i++) {
                free(list->entries[i].value);
                free(list->entries[i].origin);
        }
        free(list->entries);
}

Settings *settings_free(Settings *settings) {
        if (!settings)
                return NULL;
        list_done(&settings->values);
        list_done(&settings->ceilings);
        free(settings->no_sandbox_origin);
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
                        "unknown key '%.64s' (%s): confine.conf(5) lists the keys", name, origin);
}

static int refuse_twice(const char *name, const char *before, const char *origin,
                        Diag *reterr_diag) {
        return diag_add(reterr_diag, ERROR_CONFIGURATION,
                        "'%s' is given twice: %s and %s, give it once", name, before, origin);
}

/* Whether all of @key in @list count: what a ceiling lists adds up, though one of it is asked for.
 */
static bool adds_up(const Settings *settings, const List *list, Key key) {
        return key_info(key)->merge == MERGE_LIST ||
               (list == &settings->ceilings && key_info(key)->bound == BOUND_AMONG);
}

static int check_twice(const Settings *settings, const List *list, Key key, const char *origin,
                       Diag *reterr_diag) {
        const KeyInfo *info = key_info(key);

        if (adds_up(settings, list, key))
                return 0;
        for (size_t i = 0; i < list->n_entries; i++) {
                const Setting *entry = &list->entries[i];

                if (entry->key == key && entry->layer_index == settings->layer_index)
                        return refuse_twice(info->name, entry->origin, origin, reterr_diag);
        }
        return 0;
}

static int check_number_of_lists(const Settings *settings, const List *list, Key key,
                                 const char *origin, Diag *reterr_diag) {
        const KeyInfo *info = key_info(key);

        if (!adds_up(settings, list, key) || settings->n_list < SETTINGS_LIST_MAX)
                return 0;
        return diag_add(reterr_diag, ERROR_CONFIGURATION,
                        "'%s' (%s) is one value too many: %d of lists are the most, grant "
                        "directories instead of single files",
                        info->name, origin, SETTINGS_LIST_MAX);
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
        /* Before any message that shows the value. */
        if (info->type == VALUE_ASSIGNMENT || info->type == VALUE_LABEL
                    ? credential_in_assignment(value)
                    : credential_in_text(value))
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the value of '%s' (%s) looks like a credential, and can be seen "
                                "by everybody here: hand it over with --secret=NAME, from a "
                                "variable, a file or a descriptor",
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
        r = check_twice(settings, &settings->values, key, origin, reterr_diag);
        if (r < 0)
                return r;
        if (strlen(value) > SETTINGS_VALUE_MAX)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the value of '%s' (%s) is longer than %d bytes: write a shorter "
                                "one",
                                info->name, origin, SETTINGS_VALUE_MAX);
        r = check_number_of_lists(settings, &settings->values, key, origin, reterr_diag);
        if (r < 0)
                return r;
        *ret = key;
        return 0;
}

/* To values or ceilings. */
static int append(Settings *settings, List *list, Key key, const char *value, const char *origin) {
        _cleanup_free_ char *value_copy = strdup(value);
        _cleanup_free_ char *origin_copy = strdup(origin);

        if (!value_copy || !origin_copy)
                return -ENOMEM;
        if (list->n_entries == list->n_allocated) {
                size_t n = MAX(list->n_allocated * 2, (size_t)16);
                Setting *grown = reallocarray(list->entries, n, sizeof(*grown));

                if (!grown)
                        return -ENOMEM;
                list->entries = grown;
                list->n_allocated = n;
        }
        settings->n_list += adds_up(settings, list, key);
        list->entries[list->n_entries++] = (Setting){
                .key = key,
                .value = TAKE_PTR(value_copy),
                .origin = TAKE_PTR(origin_copy),
                .layer = settings->layer,
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
        return append(settings, &settings->values, found, value, origin);
}

int settings_set_ceiling(Settings *settings, Key key, const char *value, const char *origin,
                         Diag *reterr_diag) {
        int r;

        assert(key_info(key)->bound != BOUND_NONE);
        r = check_twice(settings, &settings->ceilings, key, origin, reterr_diag);
        if (r == 0)
                r = check_number_of_lists(settings, &settings->ceilings, key, origin, reterr_diag);
        return r < 0 ? r : append(settings, &settings->ceilings, key, value, origin);
}

int settings_forbid_no_sandbox(Settings *settings, bool forbidden, const char *origin,
                               Diag *reterr_diag) {
        char *copy;

        if (settings->no_sandbox_origin &&
            settings->no_sandbox_layer_index == settings->layer_index)
                return refuse_twice("NoSandbox", settings->no_sandbox_origin, origin, reterr_diag);
        copy = strdup(origin);
        if (!copy)
                return -ENOMEM;
        free(settings->no_sandbox_origin);
        settings->no_sandbox_origin = copy;
        settings->no_sandbox_layer_index = settings->layer_index;
        settings->no_sandbox_forbidden = forbidden;
        return 0;
}

const char *settings_no_sandbox_forbidden(const Settings *settings) {
        return settings->no_sandbox_forbidden ? settings->no_sandbox_origin : NULL;
}

int settings_add_all(Settings *settings, const Settings *above, Diag *reterr_diag) {
        settings_start_layer(settings, LAYER_COMMAND_LINE);
        for (size_t i = 0; i < above->values.n_entries; i++) {
                const Setting *entry = &above->values.entries[i];
                int r;

                r = check_number_of_lists(settings, &settings->values, entry->key, entry->origin,
                                          reterr_diag);
                if (r == 0)
                        r = append(settings, &settings->values, entry->key, entry->value,
                                   entry->origin);
                if (r < 0)
                        return r;
        }
        return 0;
}

size_t settings_count(const Settings *settings) {
        return settings->values.n_entries;
}

const Setting *settings_at(const Settings *settings, size_t index) {
        assert(index < settings->values.n_entries);
        return &settings->values.entries[index];
}

size_t settings_count_ceilings(const Settings *settings) {
        return settings->ceilings.n_entries;
}

const Setting *settings_ceiling_at(const Settings *settings, size_t index) {
        assert(index < settings->ceilings.n_entries);
        return &settings->ceilings.entries[index];
}

const Setting *settings_last(const Settings *settings, Key key) {
        for (size_t i = settings->values.n_entries; i-- > 0;)
                if (settings->values.entries[i].key == key)
                        return &settings->values.entries[i];
        return NULL;
}
