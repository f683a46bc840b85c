/* SPDX-License-Identifier: MIT */
/* The canonical text of a Policy, both ways. Reading goes through settings.c and resolve.c like any
 * other text, and then compares with what writing would give, so there is no second grammar. */
#include "policy/wire.h"

#include <errno.h>
#include <string.h>

#include "policy/facts.h"
#include "policy/keys.h"
#include "policy/resolve.h"
#include "policy/settings.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

static void write_escaped(FILE *stream, const char *text) {
        while (*text != '\0') {
                size_t length = str_printable_sequence(text);

                if (*text == '\\')
                        (void)fputs("\\\\", stream);
                else if (length > 0)
                        (void)fwrite(text, 1, length, stream);
                else
                        (void)fprintf(stream, "\\x%02x", (unsigned char)*text);
                text += MAX(length, (size_t)1);
        }
}

static void write_line(FILE *stream, const KeyInfo *info, const char *prefix, const char *text) {
        (void)fprintf(stream, "%s=%s", info->name, prefix);
        write_escaped(stream, text);
        (void)fputc('\n', stream);
}

static void write_number(FILE *stream, const Policy *policy, const KeyInfo *info) {
        uint64_t number = key_load(info, policy);
        char text[VALUE_FORMAT_SIZE];

        if (number == LIMIT_UNSET)
                return;
        value_format_number(info->type, info->choices, number, text);
        write_line(stream, info, "", text);
}

static void write_grants(FILE *stream, const Policy *policy, const KeyInfo *info) {
        for (size_t i = 0; i < policy->n_grants; i++) {
                const Grant *grant = &policy->grants[i];

                if (strcmp(grant->key, info->name) == 0)
                        write_line(stream, info, grant->optional ? "-" : "", grant->path);
        }
}

static void write_ports(FILE *stream, const Policy *policy, const KeyInfo *info) {
        const Ports *list = (const void *)((const char *)policy + info->offset);

        for (size_t i = 0; i < list->n_ports; i++)
                (void)fprintf(stream, "%s=%u\n", info->name, list->ports[i]);
}

static void write_uids(FILE *stream, const Policy *policy, const KeyInfo *info) {
        const UidRange *range = (const void *)((const char *)policy + info->offset);

        (void)fprintf(stream, "%s=%u-%u\n", info->name, range->first, range->last);
}

static void write_list(FILE *stream, const Policy *policy, const KeyInfo *info) {
        char *const *const *list = (const void *)((const char *)policy + info->offset);

        for (char *const *entry = *list; *entry; entry++)
                write_line(stream, info, "", *entry);
}

static void write_text(FILE *stream, const Policy *policy, const KeyInfo *info) {
        const char *const *text = (const void *)((const char *)policy + info->offset);

        if (*text)
                write_line(stream, info, "", *text);
}

typedef void (*Write)(FILE *stream, const Policy *policy, const KeyInfo *info);

static const Write write_type[_VALUE_MAX] = {
        [VALUE_SIZE] = write_number,     [VALUE_SPAN] = write_number,
        [VALUE_PERCENT] = write_number,  [VALUE_COUNT] = write_number,
        [VALUE_BOOL] = write_number,     [VALUE_CHOICE] = write_number,
        [VALUE_PATH] = write_text,       [VALUE_GRANT] = write_grants,
        [VALUE_ASSIGNMENT] = write_list, [VALUE_NAME] = write_list,
        [VALUE_ACCOUNT] = write_text,    [VALUE_PROFILE] = write_text,
        [VALUE_PROGRAM] = write_text,    [VALUE_PORT] = write_ports,
        [VALUE_SECRET] = write_list,     [VALUE_CREDENTIAL] = write_list,
        [VALUE_LABEL] = write_list,      [VALUE_UIDS] = write_uids,
        [VALUE_BANDWIDTH] = write_list,  [VALUE_SLICE] = write_text,
};

int wire_format(const Policy *policy, char **ret) {
        _cleanup_free_ char *text = NULL;
        size_t size_bytes;
        FILE *stream = open_memstream(&text, &size_bytes);
        bool failed;

        if (!stream)
                return -ENOMEM;
        for (Key key = 0; key < _KEY_MAX; key++)
                if (key_info(key)->built)
                        write_type[key_info(key)->type](stream, policy, key_info(key));
        failed = ferror(stream) != 0;
        if (fclose(stream) != 0 || failed) /* a stream in memory fails for one reason only */
                return -ENOMEM;
        *ret = TAKE_PTR(text);
        return 0;
}

static int hex_digit(char c) {
        static const char digits[] = "0123456789abcdef";
        const char *found = c != '\0' ? strchr(digits, c) : NULL;

        return found ? (int)(found - digits) : -EINVAL;
}

int wire_unescape(char *text) {
        const char *from = text;
        char *to = text;

        while (*from != '\0') {
                if (*from != '\\') {
                        *to++ = *from++;
                } else if (from[1] == '\\') {
                        *to++ = '\\';
                        from += 2;
                } else if (from[1] == 'x' && hex_digit(from[2]) >= 0 && hex_digit(from[3]) >= 0) {
                        int byte = hex_digit(from[2]) * 16 + hex_digit(from[3]);

                        if (byte == 0)
                                return -EINVAL;
                        *to++ = (char)byte;
                        from += 4;
                } else
                        return -EINVAL;
        }
        *to = '\0';
        return 0;
}

/* Sets what the line of @length bytes at @text says. Returns 0, also after a fault, or -ENOMEM. */
static int parse_line(Settings *settings, const char *text, size_t length, size_t line_number,
                      Diag *diag) {
        _cleanup_free_ char *line = strndup(text, length);
        char *value;
        char origin[32];
        int r;

        if (!line)
                return -ENOMEM;
        (void)snprintf(origin, sizeof(origin), "line %zu", line_number);
        value = strchr(line, '=');
        if (!value) {
                (void)diag_add(diag, ERROR_CONFIGURATION, "no '=' in %s: write KEY=VALUE", origin);
                return 0;
        }
        *value++ = '\0';
        if (wire_unescape(value) < 0) {
                (void)diag_add(diag, ERROR_CONFIGURATION,
                               "bad escape in %s: write \\\\ or \\x and two digits", origin);
                return 0;
        }
        r = settings_set(settings, line, value, origin, diag);
        return r == -ENOMEM ? r : 0;
}

int wire_parse(const char *text, Policy **ret, Diag *reterr_diag) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_free_ char *again = NULL;
        size_t n_before = reterr_diag->n_messages + reterr_diag->n_dropped, line_number = 1;
        int r;

        if (!settings)
                return -ENOMEM;
        for (const char *line = text; *line != '\0'; line_number++) {
                size_t length = strcspn(line, "\n");

                r = parse_line(settings, line, length, line_number, reterr_diag);
                if (r < 0)
                        return r;
                line += length + (line[length] == '\n');
        }
        if (reterr_diag->n_messages + reterr_diag->n_dropped > n_before)
                return -EINVAL;
        r = policy_resolve(settings, &facts_of_any_machine, &policy, reterr_diag);
        if (r < 0)
                return r;
        r = wire_format(policy, &again);
        if (r < 0)
                return r;
        if (strcmp(text, again) != 0)
                return diag_add(reterr_diag, ERROR_CONFIGURATION,
                                "the policy text is not canonical: write it with wire_format()");
        *ret = TAKE_PTR(policy);
        return 0;
}
