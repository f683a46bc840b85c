/* SPDX-License-Identifier: MIT */
/* Settings: policy keys as text with their origins, in the order they were given. Layers are merged
 * by the merge rule of each key's row in keys.def. Values are checked by resolve.c. */
#pragma once

#include <stddef.h>

#include "policy/diag.h"
#include "policy/keys.h"

#define SETTINGS_LIST_MAX  1024   /* values of list keys, in all layers together */
#define SETTINGS_VALUE_MAX 131071 /* bytes of one value: what the kernel takes as one argument */

typedef enum Layer {
        LAYER_SHIPPED,         /* /usr/share/confine, and what a form brings along */
        LAYER_SITE,            /* /etc/confine: the only one with ceilings */
        LAYER_USER,            /* ~/.config/confine */
        LAYER_PROJECT,         /* comes with the foreign code: resolve.c lets it lower what is, and
                                  its grants lead to themselves or are refused */
        LAYER_TRUSTED_PROJECT, /* the same after the caller has said that it is trusted */
        LAYER_NAMED,           /* --policy */
        LAYER_COMMAND_LINE,
} Layer;

typedef struct Setting {
        Key key;
        char *value;  /* owned */
        char *origin; /* owned */
        Layer layer;
        size_t layer_index; /* counts settings_start_layer() */
} Setting;

typedef struct Settings Settings;

/* Returns an empty Settings, or NULL when out of memory. Free with settings_free(). What is set
 * first belongs to the command line unless settings_start_layer() says otherwise. */
Settings *settings_new(void);

/* Frees @settings and all it owns. Accepts NULL. Returns NULL. */
Settings *settings_free(Settings *settings);

/* For cleanup attributes. */
void settings_freep(Settings **settings);

/* Lets what is set from now on belong to a new layer of the kind @layer, above those before. */
void settings_start_layer(Settings *settings, Layer layer);

/* Records @key = @value. @origin says where it was written, e.g. "--memory" or "file:12".
 * All strings are copied. Later values override or add to earlier ones by the key's merge rule.
 * Returns 0; -EINVAL with a message in @reterr_diag for an unknown key, a key or value that this
 * version does not build (CapabilityNotSupported), a key in a layer that may not set it, one given
 * twice in one layer where once is allowed, or more than SETTINGS_LIST_MAX values of lists;
 * -ENOMEM. */
int settings_set(Settings *settings, const char *key, const char *value, const char *origin,
                 Diag *reterr_diag);

/* Records that @key (KEY_...) must not be more than @value in any layer: for BOUND_MOST,
 * BOUND_UPTO and BOUND_LEAST a number, for BOUND_BELOW an absolute path and for BOUND_AMONG a
 * value, of which there may be several. All strings are copied. Returns 0; -EINVAL with a message
 * in @reterr_diag; -ENOMEM. */
int settings_set_ceiling(Settings *settings, Key key, const char *value, const char *origin,
                         Diag *reterr_diag);

/* Records whether --no-sandbox is forbidden. Returns 0; -EINVAL with a message in @reterr_diag if
 * this layer said so already; -ENOMEM. */
int settings_forbid_no_sandbox(Settings *settings, bool forbidden, const char *origin,
                               Diag *reterr_diag);

/* Tells who forbids --no-sandbox. Returns the origin, which is of @settings; NULL: nobody. */
const char *settings_no_sandbox_forbidden(const Settings *settings);

/* Adds a copy of all of @above, its ceilings excepted, as one more layer of the kind
 * LAYER_COMMAND_LINE.
 * Returns 0; -EINVAL with a message in @reterr_diag if these are too many lists; -ENOMEM. */
int settings_add_all(Settings *settings, const Settings *above, Diag *reterr_diag);

/* Counts the ceilings, and gives one of them. Owned by @settings. */
size_t settings_count_ceilings(const Settings *settings);
const Setting *settings_ceiling_at(const Settings *settings, size_t index);

/* Finds the setting of @key that wins by the order of layers. NULL: there is none. */
const Setting *settings_last(const Settings *settings, Key key);

/* Counts the values in @settings. */
size_t settings_count(const Settings *settings);

/* The value number @index (below settings_count()), in the order of settings_set(). */
const Setting *settings_at(const Settings *settings, size_t index);
