/* SPDX-License-Identifier: MIT */
/* Settings + Facts -> const Policy: the shipped defaults, then every setting in order, then what
 * the machine cannot do. All faults are collected; one is enough to refuse. */
#include "policy/resolve.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "policy/bandwidth.h"
#include "policy/ceiling.h"
#include "policy/grant.h"
#include "policy/isolation.h"
#include "policy/keys.h"
#include "policy/policy-file.h"
#include "policy/ports.h"
#include "policy/secret.h"
#include "policy/slice.h"
#include "policy/uid-range.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

const Facts facts_of_any_machine = { .uid = UID_UNKNOWN,
                                     .system_manager = true,
                                     .landlock_abi = INT_MAX };

typedef struct Context {
        const Settings *settings;
        Policy *policy;
        const Facts *facts;
        const char *origin;
        bool from_project; /* it may only lower what is in force */
        Diag *diag;
} Context;

static void *field_of(const Context *context, const KeyInfo *info) {
        return (char *)context->policy + info->offset;
}

static int apply_number(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        uint64_t in_force = key_load_in_force(info, context->policy);
        char bound[VALUE_FORMAT_SIZE];
        ValueHint hint;
        uint64_t number;
        int r;

        r = value_parse_number(info->type, info->choices, text, &number, &hint);
        if (r < 0)
                return diag_add(
                        context->diag, ERROR_CONFIGURATION, "'%.256s' is not %s for '%s' (%s): %s",
                        text, value_type_name(info->type), info->name, context->origin, hint.text);
        if (number < info->min || number > info->max) {
                bool small = number < info->min;

                value_format_number(info->type, info->choices, small ? info->min : info->max,
                                    bound);
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.256s' is too %s for '%s' (%s): write %s or %s", text,
                                small ? "small" : "large", info->name, context->origin, bound,
                                small ? "more" : "less");
        }
        if (context->from_project && (in_force == LIMIT_UNSET || number > in_force)) {
                value_format_number(info->type, info->choices, in_force, bound);
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%s=%s' (%s) %s the %s in force, and a project's own file may "
                                "only lower it: " ACCEPT_PROJECT,
                                info->name, text, context->origin,
                                in_force == LIMIT_UNSET ? "may be more than" : "is more than",
                                in_force == LIMIT_UNSET ? "inherited one" : bound,
                                ACCEPT_NAME(context->origin), ACCEPT_NAME(context->origin));
        }
        key_store(info, context->policy, number);
        return 0;
}

static int apply_grant(const Context *context, Key key, const char *text) {
        Policy *policy = context->policy;
        int r;

        r = grant_add(policy, key, text, context->origin, context->facts, context->diag);
        if (r < 0)
                return r;
        policy->grants[policy->n_grants - 1].from_project = context->from_project;
        return ceiling_check_grant(context->settings, &policy->grants[policy->n_grants - 1],
                                   context->origin, context->diag);
}

static int store_text(const Context *context, const KeyInfo *info, char *text) {
        char **field = field_of(context, info);

        free(*field); /* of a lower layer */
        *field = text;
        return 0;
}

/* For PATH and PROGRAM. */
static int apply_path(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        const char *cwd = context->facts->cwd;
        ValueHint hint;
        char *path;
        int r;

        r = info->type == VALUE_PROGRAM ? value_parse_program(text, cwd, &path, &hint)
                                        : value_parse_path(text, cwd, &path, &hint);
        if (r == -EINVAL)
                return diag_add(
                        context->diag, ERROR_CONFIGURATION, "'%.256s' is not %s for '%s' (%s): %s",
                        text, value_type_name(info->type), info->name, context->origin, hint.text);
        if (r < 0)
                return r;
        return store_text(context, info, path);
}

/* The word is no file of that name: "./shipped" would be. */
static int apply_profile(const Context *context, Key key, const char *text) {
        if (strcmp(text, "shipped") == 0)
                return store_text(context, key_info(key), NULL);
        return apply_path(context, key, text);
}

static int apply_account(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        ValueHint hint;
        char *copy;

        if (value_check_account(text, &hint) < 0)
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.256s' is no name for '%s' (%s): %s", text, info->name,
                                context->origin, hint.text);
        copy = strdup(text);
        return copy ? store_text(context, info, copy) : -ENOMEM;
}

static int apply_slice(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        ValueHint hint;
        char *name;
        int r;

        r = slice_parse(text, &name, &hint);
        if (r == -EINVAL)
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.256s' is no slice for '%s' (%s): %s", text, info->name,
                                context->origin, hint.text);
        return r < 0 ? r : store_text(context, info, name);
}

static int apply_port(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        uint16_t port;

        if (port_parse(text, &port) < 0)
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.256s' is no port for '%s' (%s): write a number from 1 to 65535",
                                text, info->name, context->origin);
        return ports_add(field_of(context, info), port);
}

static int apply_uids(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        ValueHint hint;

        if (uid_range_parse(text, field_of(context, info), &hint) < 0)
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.256s' is no range for '%s' (%s): %s", text, info->name,
                                context->origin, hint.text);
        return 0;
}

/* For ASSIGNMENT and NAME. No value is shown: it may be a secret. */
static int apply_variable(const Context *context, Key key, const char *text) {
        const KeyInfo *info = key_info(key);
        size_t length = strcspn(text, "=");
        char ***list = field_of(context, info);
        ValueHint hint;

        if (info->type == VALUE_ASSIGNMENT && text[length] != '=')
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "an assignment without '=' for '%s' (%s): write NAME=VALUE",
                                info->name, context->origin);
        if (info->type == VALUE_NAME && text[length] == '=')
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.*s' with a value for '%s' (%s): write the name alone, or set "
                                "it with Environment=NAME=VALUE",
                                (int)MIN(length, (size_t)VALUE_NAME_MAX), text, info->name,
                                context->origin);
        if (value_check_variable(text, length, &hint) < 0)
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.*s' is no name for '%s' (%s): %s",
                                (int)MIN(length, (size_t)VALUE_NAME_MAX), text, info->name,
                                context->origin, hint.text);
        return strv_set_named(list, text, length);
}

static int apply_label(const Context *context, Key key, const char *text) {
        size_t length = strcspn(text, "=");
        char ***labels = field_of(context, key_info(key));
        static_assert(LABELS_MAX == 16, "as the hint says");
        ValueHint hint = { "write at most 16 labels" };

        if (value_check_label(text, length, &hint) < 0 ||
            (strv_length(*labels) == LABELS_MAX && !strv_find_named(*labels, text, length)))
                return diag_add(context->diag, ERROR_CONFIGURATION,
                                "'%.256s' is refused for 'Label' (%s): %s", text, context->origin,
                                hint.text);
        return strv_set_named(labels, text, length);
}

/* For SECRET and CREDENTIAL. */
static int apply_secret(const Context *context, Key key, const char *text) {
        return secret_add(field_of(context, key_info(key)), key, text, context->origin,
                          context->facts, context->diag);
}

static int apply_bandwidth(const Context *context, Key key, const char *text) {
        return bandwidth_add(field_of(context, key_info(key)), key, text, context->origin,
                             context->facts, context->diag);
}

typedef int (*Apply)(const Context *context, Key key, const char *text);

static const Apply apply_type[_VALUE_MAX] = {
        [VALUE_SIZE] = apply_number,         [VALUE_SPAN] = apply_number,
        [VALUE_PERCENT] = apply_number,      [VALUE_COUNT] = apply_number,
        [VALUE_BOOL] = apply_number,         [VALUE_CHOICE] = apply_number,
        [VALUE_PATH] = apply_path,           [VALUE_GRANT] = apply_grant,
        [VALUE_ASSIGNMENT] = apply_variable, [VALUE_NAME] = apply_variable,
        [VALUE_ACCOUNT] = apply_account,     [VALUE_PROFILE] = apply_profile,
        [VALUE_PROGRAM] = apply_path,        [VALUE_PORT] = apply_port,
        [VALUE_SECRET] = apply_secret,       [VALUE_CREDENTIAL] = apply_secret,
        [VALUE_LABEL] = apply_label,         [VALUE_UIDS] = apply_uids,
        [VALUE_BANDWIDTH] = apply_bandwidth, [VALUE_SLICE] = apply_slice,
};

static int apply_defaults(Context *context) {
        context->origin = "shipped default";
        for (Key key = 0; key < _KEY_MAX; key++) {
                const KeyInfo *info = key_info(key);
                int r;

                if (!info->built)
                        continue;
                if (!info->preset) {
                        if (info->type < _VALUE_NUMBER_MAX)
                                key_store(info, context->policy, LIMIT_UNSET);
                        continue;
                }
                r = apply_type[info->type](context, key, info->preset);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Returns 0, also when faults were found, or -ENOMEM. */
static int apply_settings(Context *context, const Settings *settings) {
        for (size_t i = 0; i < settings_count(settings); i++) {
                const Setting *setting = settings_at(settings, i);
                int r;

                if (!key_info(setting->key)->built)
                        continue; /* settings_set() let only what is in force through */
                context->origin = setting->origin;
                context->from_project = setting->layer == LAYER_PROJECT;
                r = apply_type[key_info(setting->key)->type](context, setting->key, setting->value);
                if (r < 0 && r != -EINVAL)
                        return r;
        }
        return 0;
}

static void check_landlock(int abi, Diag *diag) {
        if (abi >= LANDLOCK_ABI_MIN)
                return;
        if (abi > 0)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "the Landlock of this kernel is too old (ABI %d, %d is needed): "
                               "boot Linux 6.2 or newer, on Debian 12 the one of "
                               "bookworm-backports" NO_SANDBOX_HINT,
                               abi, LANDLOCK_ABI_MIN);
        else if (abi == -ENOSYS)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "this kernel has no Landlock: boot Linux 6.2 or newer, built with "
                               "CONFIG_SECURITY_LANDLOCK" NO_SANDBOX_HINT);
        else if (abi == -EOPNOTSUPP)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "Landlock is switched off on this machine: add landlock to 'lsm=' "
                               "on the kernel command line and boot again" NO_SANDBOX_HINT);
        else
                (void)diag_add(
                        diag, ERROR_CAPABILITY,
                        "Landlock cannot be used here (%s): the container or service that "
                        "runs confine must allow the landlock_* system calls" NO_SANDBOX_HINT,
                        strerror(-abi));
}

/* Scratch is memory of the run, and has to leave the program some: the default follows MemoryMax,
 * what was asked for does not. */
static void settle_scratch(const Settings *settings, Policy *policy, Diag *diag) {
        const Setting *asked = settings_last(settings, KEY_DiskMax);
        uint64_t most_bytes = policy->memory_max_bytes / 2;
        char most[VALUE_FORMAT_SIZE];

        if (asked && !policy->private_tmp)
                (void)diag_add(diag, ERROR_CONFIGURATION,
                               "'DiskMax' (%s) bounds the scratch that PrivateTmp=no leaves out: "
                               "drop one of them",
                               asked->origin);
        value_format_number(VALUE_SIZE, NULL, most_bytes, most);
        if (asked && policy->disk_max_bytes > most_bytes)
                (void)diag_add(diag, ERROR_CONFIGURATION,
                               "'%.256s' is too large for 'DiskMax' (%s): scratch is memory of the "
                               "run, so write %s, half of MemoryMax, or raise that",
                               asked->value, asked->origin, most);
        policy->disk_max_bytes =
                policy->private_tmp ? MIN(policy->disk_max_bytes, most_bytes) : LIMIT_UNSET;
}

static void check_view(const Facts *facts, const Policy *policy, Diag *diag) {
        if (policy->private_tmp && facts->no_view)
                (void)diag_add(diag, ERROR_CAPABILITY,
                               "PrivateTmp=yes needs a private mount namespace, which is not to "
                               "be had: %s, or say -p PrivateTmp=no" DOCTOR_HINT,
                               facts->no_view);
}

/* An assignment wins over handing the same name on. */
static void normalize_environment(Policy *policy) {
        char **to = policy->pass_environment;

        for (char **from = policy->pass_environment; *from; from++)
                if (strv_find_named(policy->environment, *from, strlen(*from)))
                        free(*from);
                else
                        *to++ = *from;
        *to = NULL;
}

int policy_resolve(const Settings *settings, const Facts *facts, Policy **ret, Diag *reterr_diag) {
        _cleanup_(policy_freep) Policy *policy = policy_new();
        Context context = {
                .settings = settings, .policy = policy, .facts = facts, .diag = reterr_diag
        };
        size_t n_before = reterr_diag->n_messages + reterr_diag->n_dropped;
        int r;

        if (!policy)
                return -ENOMEM;
        r = apply_defaults(&context);
        if (r < 0)
                return r;
        r = apply_settings(&context, settings);
        if (r < 0)
                return r;
        ceiling_apply(settings, policy, reterr_diag);
        settle_scratch(settings, policy, reterr_diag);
        check_landlock(facts->landlock_abi, reterr_diag);
        capabilities_check(settings, facts, reterr_diag);
        ports_check(policy, settings, reterr_diag);
        check_view(facts, policy, reterr_diag);
        secrets_check(policy, settings, facts, reterr_diag);
        (void)isolation_check(policy, settings, !facts->no_view, facts->no_view, reterr_diag);
        if (reterr_diag->n_messages + reterr_diag->n_dropped > n_before)
                return -EINVAL;
        grants_normalize(policy);
        normalize_environment(policy);
        policy_sort(policy);
        *ret = TAKE_PTR(policy);
        return 0;
}
