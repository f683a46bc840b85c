/* SPDX-License-Identifier: MIT */
/* Settings: policy keys as text with their origins, in the order they were given. Layers are merged
 * by the merge rule of each key's row in keys.def. Values are checked by resolve.c. */
#pragma once

#include "policy/diag.h"

typedef struct Settings Settings;

/* Returns an empty Settings, or NULL when out of memory. Free with settings_free(). */
Settings *settings_new(void);
Settings *settings_free(Settings *settings);
void settings_freep(Settings **settings);

/* Records @key = @value. @origin says where it was written, e.g. "--memory" or "file:12".
 * All strings are copied. Later values override or add to earlier ones by the key's merge rule.
 * Returns 0; -EINVAL with a message in @reterr_diag for an unknown key, a key that this version
 * does not build (CapabilityNotSupported) or one given twice where once is allowed; -ENOMEM. */
int settings_set(Settings *settings, const char *key, const char *value, const char *origin,
                 Diag *reterr_diag);
