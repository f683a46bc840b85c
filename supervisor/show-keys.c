/* SPDX-License-Identifier: MIT */
/* The table of keys as a report. */
#include "supervisor/show.h"

#include <inttypes.h>

#include "policy/capabilities.h"
#include "supervisor/base/base.h"
#include "supervisor/report.h"

static const ReportColumn columns[] = {
        { "key", "KEY", false },       { "section", "", false },    { "type", "", false },
        { "choices", "", false },      { "", "TYPE", false },       { "default", "DEFAULT", false },
        { "min", "", true },           { "max", "", true },         { "list", "", true },
        { "layers", "LAYERS", false }, { "built", "", true },       { "user_manager", "", true },
        { "root", "", true },          { "controller", "", false }, { "landlock_abi", "", true },
        { "linux", "", false },        { "", "NEEDS", false },      { "by", "HELD BY", false },
        { "help", "", false },
};

static const char types[_VALUE_MAX][12] = {
        [VALUE_SIZE] = "size",           [VALUE_SPAN] = "span",
        [VALUE_PERCENT] = "percent",     [VALUE_COUNT] = "count",
        [VALUE_BOOL] = "bool",           [VALUE_CHOICE] = "choice",
        [VALUE_PATH] = "path",           [VALUE_GRANT] = "grant",
        [VALUE_PROFILE] = "profile",     [VALUE_ASSIGNMENT] = "assignment",
        [VALUE_NAME] = "name",           [VALUE_PORT] = "port",
        [VALUE_ACCOUNT] = "account",     [VALUE_PROGRAM] = "program",
        [VALUE_SECRET] = "secret",       [VALUE_CREDENTIAL] = "credential",
        [VALUE_LABEL] = "label",         [VALUE_UIDS] = "uids",
        [VALUE_BANDWIDTH] = "bandwidth", [VALUE_SLICE] = "slice",
        [VALUE_TEXT] = "text",
};

static const char layers[][16] = {
        [LAYERS_ANY] = "any",
        [LAYERS_COMMAND_LINE] = "command line",
};

static const char *word(bool value) {
        return value ? "true" : "false";
}

/* The bounds of a number, in the unit of its type. */
static void add_bounds(Report *report, const KeyInfo *info) {
        bool bounded = info->built && (info->type < VALUE_BOOL || info->type == VALUE_PORT);

        if (bounded) {
                report_addf(report, "%" PRIu64, info->min);
                report_addf(report, "%" PRIu64, info->max);
        } else {
                report_add(report, NULL);
                report_add(report, NULL);
        }
}

static void add_needs(Report *report, const KeyInfo *info, const Capability *capability) {
        bool newer = capability->landlock_abi > LANDLOCK_ABI_MIN;

        report_add(report, word(info->built));
        report_add(report, word(!capability->system_only));
        report_add(report, word(capability->root));
        report_add(report, capability->controller[0] ? capability->controller : NULL);
        report_addf(report, "%d", capability->landlock_abi);
        report_add(report, capability_linux(capability->landlock_abi));
        if (!info->built)
                report_add(report, "a later version of confine");
        else if (capability->system_only)
                report_add(report, "the system manager");
        else if (capability->root)
                report_add(report, "root");
        else if (capability->controller[0])
                report_addf(report, "the controller %s", capability->controller);
        else if (newer)
                report_addf(report, "Landlock ABI %d (Linux %s)", capability->landlock_abi,
                            capability_linux(capability->landlock_abi));
        else
                report_add(report, NULL);
}

static void add_key(Report *report, Key key) {
        const Capability *capability = capability_of(key);
        const KeyInfo *info = key_info(key);

        report_add(report, info->name);
        report_add(report, info->section);
        report_add(report, types[info->type]);
        report_add(report, info->choices);
        report_addf(report, "%s%s", info->choices ? info->choices : types[info->type],
                    info->merge == MERGE_LIST ? "..." : "");
        report_add(report, info->preset);
        add_bounds(report, info);
        report_add(report, word(info->merge == MERGE_LIST));
        report_add(report, layers[info->layers]);
        add_needs(report, info, capability);
        report_add(report, capability->by);
        report_add(report, info->help);
}

int show_keys(const Invocation *invocation) {
        _cleanup_(report_done) Report report = { 0 };

        report_begin(&report, "keys", columns, ARRAY_SIZE(columns), false);
        for (Key key = 0; key < _KEY_MAX; key++)
                add_key(&report, key);
        return report_print(&report, invocation->json);
}
