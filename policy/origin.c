/* SPDX-License-Identifier: MIT */
/* Finding the setting behind a line. A run has no use for it, so nothing is kept while the policy
 * is resolved; the settings are read once more instead. */
#include "policy/origin.h"

#include <string.h>

#include "policy/bandwidth.h"
#include "policy/value.h"
#include "supervisor/base/base.h"

static bool is_grant(const char *setting, const char *value, const Facts *facts) {
        _cleanup_free_ char *path = NULL;
        ValueHint hint;

        return value_parse_path(setting + (setting[0] == '-'), facts->cwd, &path, &hint) == 0 &&
               strcmp(path, value + (value[0] == '-')) == 0;
}

static bool is_port(const char *setting, const char *value) {
        uint64_t a, b;
        ValueHint hint;

        return value_parse_number(VALUE_COUNT, NULL, setting, &a, &hint) == 0 &&
               value_parse_number(VALUE_COUNT, NULL, value, &b, &hint) == 0 && a == b;
}

static bool is_bandwidth(const char *setting, const char *value, const Facts *facts) {
        _cleanup_free_ char *canonical = NULL;
        ValueHint hint;
        size_t length;

        return bandwidth_canonical(setting, facts->cwd, &canonical, &length, &hint) == 0 &&
               strcmp(canonical, value) == 0;
}

/* Whether the text of a setting came to the one of the lines of its key that says @value. */
static bool is_behind(ValueType type, const char *setting, const char *value, const Facts *facts) {
        size_t length = strcspn(value, "=");

        switch (type) {
        case VALUE_GRANT:
                return is_grant(setting, value, facts);
        case VALUE_PORT:
                return is_port(setting, value);
        case VALUE_BANDWIDTH:
                return is_bandwidth(setting, value, facts);
        case VALUE_ASSIGNMENT:
        case VALUE_NAME:
        case VALUE_LABEL:
                return strncmp(setting, value, length) == 0 && strcspn(setting, "=") == length;
        case VALUE_SECRET:
        case VALUE_CREDENTIAL:
                length = strcspn(value, ":=");
                return strncmp(setting, value, length) == 0 && strcspn(setting, ":=") == length;
        case VALUE_SIZE:
        case VALUE_SPAN:
        case VALUE_PERCENT:
        case VALUE_COUNT:
        case VALUE_BOOL:
        case VALUE_CHOICE:
        case VALUE_PATH:
        case VALUE_PROFILE:
        case VALUE_ACCOUNT:
        case VALUE_UIDS:
        case VALUE_PROGRAM:
        case VALUE_SLICE:
        case VALUE_TEXT:
        case _VALUE_MAX:
        case _VALUE_INVALID:
                break;
        }
        return true; /* it has one line */
}

static bool is_implicit(const Policy *policy, Key key, const char *value) {
        for (size_t i = 0; i < policy->n_grants; i++) {
                const Grant *grant = &policy->grants[i];

                if (grant->implicit && strcmp(grant->key, key_info(key)->name) == 0 &&
                    strcmp(grant->path, value + (value[0] == '-')) == 0)
                        return true;
        }
        return false;
}

/* Whether @policy has not what the default @text of @info says, NULL for none, since a ceiling
 * leaves less. */
static bool is_lowered(const KeyInfo *info, const Policy *policy, const char *text) {
        uint64_t number = LIMIT_UNSET;
        ValueHint hint;

        return info->type < _VALUE_NUMBER_MAX &&
               (!text ||
                value_parse_number(info->type, info->choices, text, &number, &hint) == 0) &&
               key_is_more(info, number, key_load(info, policy));
}

const char *origin_find(const Settings *settings, const Facts *facts, const Policy *policy, Key key,
                        const char *value) {
        const KeyInfo *info = key_info(key);
        const char *by_default = info->preset;

        if (info->type == VALUE_GRANT && is_implicit(policy, key, value))
                return "what is run";
        for (size_t i = settings_count(settings); i-- > 0;) {
                const Setting *setting = settings_at(settings, i);

                if (setting->key != key || !is_behind(info->type, setting->value, value, facts))
                        continue;
                if (setting->layer > LAYER_SHIPPED || !is_lowered(info, policy, setting->value))
                        return setting->origin;
                by_default = setting->value;
        }
        if (key == KEY_DiskMax && policy->disk_max_bytes == policy->memory_max_bytes / 2)
                return "half of MemoryMax";
        for (size_t i = settings_count_ceilings(settings); i-- > 0;) {
                const Setting *ceiling = settings_ceiling_at(settings, i);

                if (ceiling->key == key && is_lowered(info, policy, by_default))
                        return ceiling->origin;
        }
        return "shipped default";
}
