/* SPDX-License-Identifier: MIT */
/* What stands in a policy file: sections, keys, paths. Which layer may say what. */
#include "policy/policy-file.h"

#include <errno.h>
#include <string.h>

#include "policy/inifile.h"
#include "policy/ports.h"
#include "policy/slice.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define CEILING    "Ceiling"
#define NO_SANDBOX "NoSandbox"

typedef struct Context {
        const PolicyFile *file;
        Settings *settings;
} Context;

/* A line with an assignment. */
typedef struct Line {
        const char *section, *key, *value, *origin;
} Line;

static bool is_section(const char *name) {
        for (Key key = 0; key < _KEY_MAX; key++)
                if (strcmp(key_info(key)->section, name) == 0)
                        return true;
        return false;
}

static int begin_section(const PolicyFile *file, const char *section, const char *origin,
                         Diag *diag) {
        if (strcmp(section, CEILING) != 0)
                return is_section(section)
                               ? 0
                               : diag_add(diag, ERROR_CONFIGURATION,
                                          "unknown section '%s' (%s): confine.conf(5) lists the "
                                          "sections",
                                          section, origin);
        if (file->layer == LAYER_SITE)
                return 0;
        return diag_add(diag, ERROR_CONFIGURATION,
                        "'[" CEILING "]' (%s) binds all users, and so stands in /etc/confine "
                        "alone: take it out",
                        origin);
}

/* What the variable of @length bytes at @name stands for. NULL: there is no such variable. */
static const char *variable(const PolicyFile *file, const char *name, size_t length) {
        const struct {
                const char *name;
                const char *value;
        } rows[] = {
                { "${HOME}", file->home },
                { "${PWD}", file->cwd },
                { "${UID}", file->uid },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
                        return rows[i].value;
        return NULL;
}

static int refuse_variable(const Line *line, const char *name, size_t length, Diag *diag) {
        return diag_add(diag, ERROR_CONFIGURATION,
                        "'%.*s' stands for nothing in '%s' (%s): write ~, ${HOME}, ${PWD} or "
                        "${UID}, or a path",
                        (int)MIN(length, (size_t)64), name, line->key, line->origin);
}

/* Puts in @ret what the text @from means: ~ alone or before a slash, ${NAME} anywhere. */
static int expand(const PolicyFile *file, const Line *line, const char *from, char **ret,
                  Diag *diag) {
        char text[VALUE_PATH_MAX + 1];
        size_t n = 0;

        while (*from != '\0') {
                size_t length = 1;
                const char *value = from;

                if (*from == '~' && n == 0 && (from[1] == '/' || from[1] == '\0')) {
                        value = file->home;
                } else if (from[0] == '$' && from[1] == '{') {
                        length = strcspn(from, "}") + 1;
                        value = from[length - 1] == '}' ? variable(file, from, length) : NULL;
                }
                if (!value)
                        return refuse_variable(line, from, length, diag);
                n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s",
                                      value == from ? (int)length : VALUE_PATH_MAX + 1, value);
                if (n >= sizeof(text))
                        return diag_add(diag, ERROR_CONFIGURATION,
                                        "a path of more than %d bytes in '%s' (%s): write a "
                                        "shorter one",
                                        VALUE_PATH_MAX, line->key, line->origin);
                from += length;
        }
        text[n] = '\0';
        *ret = strdup(text);
        return *ret ? 0 : -ENOMEM;
}

/* Where the path of @value starts; 0 also where a secret has none. */
static size_t path_start(const KeyInfo *info, const char *value) {
        const char *found;

        if (info->type == VALUE_GRANT)
                return value[0] == '-';
        if (info->type == VALUE_SECRET) {
                found = strstr(value, "=file:");
                return found ? (size_t)(found - value) + strlen("=file:") : 0;
        }
        if (info->type != VALUE_CREDENTIAL)
                return 0;
        found = strpbrk(value, ":/");
        return found && strncmp(found, ":", 1) == 0 && strpbrk(found + 1, "/~$")
                       ? (size_t)(found - value) + 1
                       : 0;
}

/* Whether the value is a path, or a word of its own. */
static bool is_path(const KeyInfo *info, const char *value) {
        return info->type == VALUE_GRANT || info->type == VALUE_PATH ||
               (info->type == VALUE_PROFILE && strcmp(value, "shipped") != 0) ||
               (info->type == VALUE_PROGRAM && strpbrk(value, "/~$")) ||
               ((info->type == VALUE_SECRET || info->type == VALUE_CREDENTIAL) &&
                path_start(info, value) > 0);
}

/* The path of @line as an absolute one, with what stands before it. */
static int make_path(const PolicyFile *file, const Line *line, const KeyInfo *info, char **ret,
                     Diag *diag) {
        size_t start = path_start(info, line->value);
        _cleanup_free_ char *text = NULL, *path = NULL;
        ValueHint hint;
        int r;

        r = expand(file, line, line->value + start, &text, diag);
        if (r < 0)
                return r;
        r = value_parse_path(text, file->directory, &path, &hint);
        if (r == -EINVAL)
                return diag_add(diag, ERROR_CONFIGURATION, "'%.256s' is no path for '%s' (%s): %s",
                                line->value, line->key, line->origin, hint.text);
        if (r < 0)
                return r;
        *ret = str_format("%.*s%s", (int)start, line->value, path);
        return *ret ? 0 : -ENOMEM;
}

/* Across ".." a path leads where a link says. */
static bool has_parent(const char *path) {
        for (const char *at = strstr(path, "/.."); at; at = strstr(at + 1, "/.."))
                if (at[3] == '/' || at[3] == '\0')
                        return true;
        return false;
}

/* What a file that comes with the foreign code may ask for; whether a number is lower is seen when
 * the others are known. */
static int check_project(const PolicyFile *file, const Line *line, const KeyInfo *info,
                         const char *value, Diag *diag) {
        const char *path = value + (value[0] == '-');

        if (info->bound == BOUND_MOST)
                return 0;
        if (info->bound != BOUND_BELOW)
                return diag_add(diag, ERROR_CONFIGURATION,
                                "'%s' (%s) is not for a project's own file to say: " ACCEPT_PROJECT,
                                line->key, line->origin, ACCEPT_NAME(line->origin),
                                ACCEPT_NAME(line->origin));
        if (file->among_homes)
                return diag_add(
                        diag, ERROR_CONFIGURATION,
                        "'%s' (%s) is not for a project's own file in a home directory, or "
                        "above one: put the project in a directory of its own, or " ACCEPT_PROJECT,
                        line->key, line->origin, ACCEPT_NAME(line->origin),
                        ACCEPT_NAME(line->origin));
        if (str_path_below(path, file->directory) && !has_parent(path))
                return 0;
        return diag_add(diag, ERROR_CONFIGURATION,
                        "'%s' of '%.256s' (%s) is not below '%s', and a project's own file grants "
                        "nothing else: " ACCEPT_PROJECT,
                        line->key, path, line->origin, file->directory, ACCEPT_NAME(line->origin),
                        ACCEPT_NAME(line->origin));
}

static int check_ceiling(const Line *line, const KeyInfo *info, const char *value, Diag *diag) {
        ValueHint hint = { "write a number from 1 to 65535" };
        uint64_t number = UINT64_MAX;
        uint16_t port;
        int r;

        if (info->bound == BOUND_NONE)
                return diag_add(diag, ERROR_CONFIGURATION,
                                "'%s' (%s) has no ceiling: confine.conf(5) lists what has",
                                line->key, line->origin);
        if (info->bound == BOUND_BELOW)
                return value[0] == '/' ? 0
                                       : diag_add(diag, ERROR_CONFIGURATION,
                                                  "'%s' (%s) has no path below which grants may "
                                                  "be: write one without '-'",
                                                  line->key, line->origin);
        if (info->type == VALUE_PORT)
                r = port_parse(value, &port);
        else if (info->type == VALUE_ACCOUNT)
                r = value_check_account(value, &hint);
        else if (info->type == VALUE_SLICE)
                r = slice_check(value, &hint);
        else
                r = value_parse_number(info->type, info->choices, value, &number, &hint);
        if (r < 0)
                return diag_add(diag, ERROR_CONFIGURATION, "'%.256s' is not %s for '%s' (%s): %s",
                                value, value_type_name(info->type), line->key, line->origin,
                                hint.text);
        if (number >= info->min)
                return 0;
        return diag_add(diag, ERROR_CONFIGURATION,
                        "'%.256s' is too small for a ceiling of '%s' (%s): no run has so little",
                        value, line->key, line->origin);
}

static int set_no_sandbox(Settings *settings, const Line *line, Diag *diag) {
        ValueHint hint;
        uint64_t allowed;

        if (value_parse_number(VALUE_BOOL, NULL, line->value, &allowed, &hint) < 0)
                return diag_add(diag, ERROR_CONFIGURATION,
                                "'%.256s' is not %s for '" NO_SANDBOX "' (%s): %s", line->value,
                                value_type_name(VALUE_BOOL), line->origin, hint.text);
        return settings_forbid_no_sandbox(settings, !allowed, line->origin, diag);
}

static int assign(const Context *context, const Line *line, Diag *diag) {
        bool is_ceiling = strcmp(line->section, CEILING) == 0;
        _cleanup_free_ char *path = NULL;
        const char *near, *value = line->value;
        const KeyInfo *info;
        Key key;
        int r = 0;

        if (is_ceiling && strcmp(line->key, NO_SANDBOX) == 0)
                return set_no_sandbox(context->settings, line, diag);
        key = key_find(line->key, &near);
        if (key < 0) /* which refuses it, by the nearest name */
                return settings_set(context->settings, line->key, line->value, line->origin, diag);
        info = key_info(key);
        if (!is_ceiling && strcmp(line->section, info->section) != 0)
                return diag_add(diag, ERROR_CONFIGURATION,
                                "'%s' (%s) is not of the section [%s]: write it below [%s]",
                                line->key, line->origin, line->section, info->section);
        if (is_path(info, value)) {
                r = make_path(context->file, line, info, &path, diag);
                if (r < 0 || !path)
                        return r;
                value = path;
        }
        if (is_ceiling) {
                r = check_ceiling(line, info, value, diag);
                return r < 0 ? r
                             : settings_set_ceiling(context->settings, key, value, line->origin,
                                                    diag);
        }
        if (context->file->layer == LAYER_PROJECT)
                r = check_project(context->file, line, info, value, diag);
        return r < 0 ? r : settings_set(context->settings, line->key, value, line->origin, diag);
}

static int take(void *data, const char *section, const char *key, const char *value,
                const char *origin, Diag *diag) {
        const Context *context = data;

        if (!key)
                return begin_section(context->file, section, origin, diag);
        return assign(context, &(const Line){ section, key, value, origin }, diag);
}

int policy_file_parse(const PolicyFile *file, const char *text, size_t size_bytes,
                      Settings *settings, Diag *reterr_diag) {
        Context context = { file, settings };

        settings_start_layer(settings, file->layer);
        return inifile_parse(file->name, text, size_bytes, take, &context, reterr_diag);
}
