/* SPDX-License-Identifier: MIT */
/* inifile.c, policy-file.c, ceiling.c: the first byte chooses the layer, the rest is a policy file.
 * A file is either refused with messages that may be shown, or says values that have their line as
 * origin and were never let through for what the layer may not say. */
#include <string.h>

#include "policy/policy-file.h"
#include "policy/resolve.h"
#include "supervisor/base/str.h"
#include "tests/fuzz/fuzz.h"

static void check_setting(const Setting *setting, Layer layer) {
        const KeyInfo *info = key_info(setting->key);
        const char *value = setting->value;

        FUZZ_ASSERT(strncmp(setting->origin, "/d/f:", 5) == 0);
        FUZZ_ASSERT(info->layers != LAYERS_COMMAND_LINE);
        if (info->type == VALUE_GRANT)
                FUZZ_ASSERT(value[value[0] == '-'] == '/');
        if (layer != LAYER_PROJECT)
                return;
        FUZZ_ASSERT(info->bound == BOUND_MOST || info->bound == BOUND_BELOW);
        if (info->bound == BOUND_BELOW)
                FUZZ_ASSERT(str_path_below(value + (value[0] == '-'), "/d"));
}

/* What a project's file comes to is no more than the defaults. */
static void check_policy(const Policy *policy, const Policy *defaults) {
        for (Key key = 0; key < _KEY_MAX; key++)
                if (key_info(key)->bound == BOUND_MOST && key != KEY_DiskMax)
                        FUZZ_ASSERT(key_load(key_info(key), policy) <=
                                    key_load(key_info(key), defaults));
}

static void try_policy(const Settings *settings, Layer layer, Diag *diag) {
        _cleanup_(policy_freep) Policy *policy = NULL, *defaults = NULL;
        _cleanup_(settings_freep) Settings *none = settings_new();

        if (!none || policy_resolve(none, &facts_of_any_machine, &defaults, diag) < 0 ||
            policy_resolve(settings, &facts_of_any_machine, &policy, diag) < 0)
                return;
        FUZZ_ASSERT(diag->n_messages == 0);
        if (layer == LAYER_PROJECT)
                check_policy(policy, defaults);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        Layer layer = size_bytes > 0 ? (Layer)(data[0] % LAYER_COMMAND_LINE) : LAYER_SITE;
        _cleanup_(settings_freep) Settings *settings = settings_new();
        const PolicyFile file = {
                .name = "/d/f",
                .directory = "/d",
                .layer = layer,
                .home = "/home/u",
                .cwd = "/cwd",
                .uid = "1000",
        };
        Diag diag = { 0 };
        int r;

        if (!settings || size_bytes == 0)
                return 0;
        r = policy_file_parse(&file, (const char *)data + 1, size_bytes - 1, settings, &diag);
        FUZZ_ASSERT((r == 0) == (diag.n_messages + diag.n_dropped == 0));
        for (size_t i = 0; i < settings_count(settings); i++)
                check_setting(settings_at(settings, i), layer);
        FUZZ_ASSERT(layer == LAYER_SITE || settings_count_ceilings(settings) == 0);
        FUZZ_ASSERT(layer == LAYER_SITE || !settings_no_sandbox_forbidden(settings));
        if (r == 0)
                try_policy(settings, layer, &diag);
        fuzz_check_messages(&diag);
        diag_done(&diag);
        return 0;
}
