/* SPDX-License-Identifier: MIT */
/* Comparing a policy with the ceilings of the site. */
#include "policy/ceiling.h"

#include <string.h>

#include "policy/grant.h"
#include "policy/keys.h"
#include "policy/ports.h"
#include "policy/slice.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

/* A later file of the site replaces what an earlier one said. */
const Setting *ceiling_find(const Settings *settings, Key key) {
        for (size_t i = settings_count_ceilings(settings); i-- > 0;)
                if (settings_ceiling_at(settings, i)->key == key)
                        return settings_ceiling_at(settings, i);
        return NULL;
}

/* Whether something else is wrong with what was @asked, so that the default is in its place. */
static bool is_told(const KeyInfo *info, const Setting *asked, uint64_t most) {
        uint64_t number;
        ValueHint hint;

        return value_parse_number(info->type, info->choices, asked->value, &number, &hint) < 0 ||
               !key_is_more(info, number, most);
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
        if (!key_is_more(info, key_load_in_force(info, policy), most))
                return;
        if (!asked || asked->layer == LAYER_SHIPPED || is_told(info, asked, most))
                key_store(info, policy, most);
        else if (info->bound == BOUND_LEAST)
                (void)diag_add(diag, ERROR_CONFIGURATION,
                               "'%s=%.256s' (%s) is less than this machine requires, %s (%s): ask "
                               "for that, or the administrator for less",
                               info->name, asked->value, asked->origin, ceiling->value,
                               ceiling->origin);
        else
                (void)diag_add(diag, ERROR_CONFIGURATION,
                               "'%s=%.256s' (%s) is more than the ceiling of this machine, %s "
                               "(%s): ask for less, or the administrator for more",
                               info->name, asked->value, asked->origin, ceiling->value,
                               ceiling->origin);
}

static const char *origin_of_port(const Settings *settings, uint16_t port) {
        for (size_t i = settings_count(settings); i-- > 0;) {
                const Setting *setting = settings_at(settings, i);
                uint16_t number;

                if (setting->key == KEY_TCPConnectPorts &&
                    port_parse(setting->value, &number) == 0 && number == port)
                        return setting->origin;
        }
        return "?";
}

static bool lists_port(const Settings *settings, uint16_t port) {
        for (size_t i = 0; i < settings_count_ceilings(settings); i++) {
                const Setting *ceiling = settings_ceiling_at(settings, i);
                uint16_t number;

                if (ceiling->key == KEY_TCPConnectPorts &&
                    port_parse(ceiling->value, &number) == 0 && number == port)
                        return true;
        }
        return false;
}

/* A network grant without ports is for all of them, and more. */
static void bind_ports(const Settings *settings, const Policy *policy, Diag *diag) {
        const Setting *ceiling = ceiling_find(settings, KEY_TCPConnectPorts);
        const Setting *asked = settings_last(settings, KEY_Network);
        const Ports *list = &policy->tcp_connect_ports;

        if (!ceiling || !policy->network)
                return;
        if (list->n_ports == 0)
                (void)diag_add(
                        diag, ERROR_CONFIGURATION,
                        "'Network=allow' (%s) is for more than the ports that the ceiling of "
                        "this machine lists, such as %s (%s): add -p TCPConnectPorts=%s, or "
                        "ask the administrator",
                        asked ? asked->origin : "?", ceiling->value, ceiling->origin,
                        ceiling->value);
        for (size_t i = 0; i < list->n_ports; i++)
                if (!lists_port(settings, list->ports[i]))
                        (void)diag_add(diag, ERROR_CONFIGURATION,
                                       "'TCPConnectPorts=%u' (%s) is not among the ports that the "
                                       "ceiling of this machine lists, such as %s (%s): leave it "
                                       "out, or ask the administrator",
                                       list->ports[i], origin_of_port(settings, list->ports[i]),
                                       ceiling->value, ceiling->origin);
}

static bool lists_slice(const Settings *settings, const char *name) {
        for (size_t i = 0; i < settings_count_ceilings(settings); i++) {
                const Setting *ceiling = settings_ceiling_at(settings, i);
                _cleanup_free_ char *listed = NULL;
                ValueHint hint;

                if (ceiling->key == KEY_Slice && slice_parse(ceiling->value, &listed, &hint) == 0 &&
                    strcmp(listed, name) == 0)
                        return true;
        }
        return false;
}

/* Where a run is without asking is not bound. */
static void bind_slice(const Settings *settings, const Policy *policy, Diag *diag) {
        const Setting *ceiling = ceiling_find(settings, KEY_Slice);
        const Setting *asked = settings_last(settings, KEY_Slice);

        if (!ceiling || !asked || asked->layer == LAYER_SHIPPED || !policy->slice ||
            lists_slice(settings, policy->slice))
                return;
        (void)diag_add(diag, ERROR_CONFIGURATION,
                       "'Slice=%.256s' (%s) is not among the slices that the ceiling of this "
                       "machine lists, such as %.256s (%s): name one of them, or ask the "
                       "administrator",
                       asked->value, asked->origin, ceiling->value, ceiling->origin);
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
        const Setting *against = ceiling_find(settings, key);

        if (!against) {
                key = KEY_AllowRead;
                against = ceiling_find(settings, key);
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
                const Setting *ceiling = ceiling_find(settings, key);

                if (ceiling && key_info(key)->type < _VALUE_NUMBER_MAX)
                        bind_number(settings, policy, ceiling, reterr_diag);
        }
        bind_ports(settings, policy, reterr_diag);
        bind_slice(settings, policy, reterr_diag);
}
