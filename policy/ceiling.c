/* SPDX-License-Identifier: MIT */
/* Comparing a policy with the ceilings of the site. */
#include "policy/ceiling.h"

#include <string.h>

#include "policy/grant.h"
#include "policy/keys.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

/* A later file of the site replaces what an earlier one said. */
static const Setting *find_ceiling(const Settings *settings, Key key) {
        for (size_t i = settings_count_ceilings(settings); i-- > 0;)
                if (settings_ceiling_at(settings, i)->key == key)
                        return settings_ceiling_at(settings, i);
        return NULL;
}

static void bind_number(const Settings *settings, Policy *policy, const Setting *ceiling,
                        Diag *diag) {
        const KeyInfo *info = key_info(ceiling->key);
        const Setting *asked = settings_last(settings, ceiling->key);
        ValueHint hint;
        uint64_t most;

        if (value_parse_number(info->type, info->choices, ceiling->value, &most, &hint) < 0) {
                (void)diag_add(diag, ERROR_CONFIGURATION, "'%s' (%s) cannot be read: %s",
                               info->name, ceiling->origin, hint.text);
                return;
        }
        if (key_load(info, policy) <= most)
                return;
        if (asked)
                (void)diag_add(diag, ERROR_CONFIGURATION,
                               "'%s=%.256s' (%s) is more than the ceiling of this machine, %s "
                               "(%s): ask for less, or the administrator for more",
                               info->name, asked->value, asked->origin, ceiling->value,
                               ceiling->origin);
        else
                key_store(info, policy, most);
}

static bool is_below(const char *path, const char *ceiling, char *(*resolve)(const char *path)) {
        _cleanup_free_ char *real = NULL;

        if (str_path_below(path, ceiling))
                return true;
        real = resolve ? resolve(ceiling) : NULL;
        return real && str_path_below(path, real);
}

const Setting *ceiling_against(const Settings *settings, const Grant *grant, const char *path,
                               char *(*resolve)(const char *path)) {
        const char *near;
        Key key = key_find(grant->key, &near);
        const Setting *against = find_ceiling(settings, key);

        if (!against) {
                key = KEY_AllowRead;
                against = find_ceiling(settings, key);
        }
        for (size_t i = 0; against && i < settings_count_ceilings(settings); i++) {
                const Setting *ceiling = settings_ceiling_at(settings, i);

                if (ceiling->key == key && is_below(path, ceiling->value, resolve))
                        return NULL;
        }
        return against;
}

int ceiling_check_grant(const Settings *settings, const Grant *grant, const char *origin,
                        Diag *reterr_diag) {
        _cleanup_free_ char *folded = NULL;
        const Setting *against;

        if (settings_count_ceilings(settings) == 0)
                return 0;
        folded = grant_fold(grant->path);
        if (!folded)
                return -ENOMEM;
        against = ceiling_against(settings, grant, folded, NULL);
        return against ? diag_add(reterr_diag, ERROR_CONFIGURATION,
                                  "'%s' of '%.512s' (%s) is not below a ceiling of this machine, "
                                  "%s (%s): grant something below it, or ask the administrator",
                                  grant->key, grant->path, origin, against->value, against->origin)
                       : 0;
}

void ceiling_apply(const Settings *settings, Policy *policy, Diag *reterr_diag) {
        if (settings_count_ceilings(settings) == 0)
                return;
        for (Key key = 0; key < _KEY_MAX; key++) {
                const Setting *ceiling = find_ceiling(settings, key);

                if (ceiling && key_info(key)->bound == BOUND_MOST)
                        bind_number(settings, policy, ceiling, reterr_diag);
        }
}
