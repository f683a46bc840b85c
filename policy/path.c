/* SPDX-License-Identifier: MIT */
/* The text types of value.h: paths, variable names, accounts. Nothing here looks at a file system
 * or a user database. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "policy/value.h"
#include "supervisor/base/base.h"

static int hint(ValueHint *ret, const char *text) {
        (void)snprintf(ret->text, sizeof(ret->text), "%s", text);
        return -EINVAL;
}

static bool has_control(const char *text) {
        for (; *text != '\0'; text++)
                if ((unsigned char)*text < 0x20 || *text == 0x7f)
                        return true;
        return false;
}

/* Removes "//", "/./" and a "/" at the end of the absolute @path, in place. */
static void clean(char *path) {
        const char *from = path;
        char *to = path;

        while (*from != '\0') {
                size_t length;

                from += strspn(from, "/");
                length = strcspn(from, "/");
                if (length == 0 || (length == 1 && from[0] == '.')) {
                        from += length;
                        continue;
                }
                *to++ = '/'; /* never overtakes @from: a "/" was read for each one written */
                memmove(to, from, length);
                to += length;
                from += length;
        }
        if (to == path)
                *to++ = '/';
        *to = '\0';
}

int value_parse_path(const char *text, const char *cwd, char **ret, ValueHint *reterr_hint) {
        _cleanup_free_ char *path = NULL;

        if (text[0] == '\0')
                return hint(reterr_hint, "an empty path resets nothing, write a path");
        if (has_control(text))
                return hint(reterr_hint, "a path with control characters cannot be granted, rename "
                                         "the file or grant the directory it is in");
        if (text[0] == '~')
                return hint(reterr_hint,
                            "'~' is not expanded here, write \"$HOME/...\" in the shell "
                            "or ./~ for a file of that name");
        if (text[0] != '/' && !cwd)
                return hint(reterr_hint,
                            "the current directory cannot be told, write an absolute path");
        if (text[0] == '/')
                path = strdup(text);
        else if (asprintf(&path, "%s/%s", cwd, text) < 0)
                path = NULL;
        if (!path)
                return -ENOMEM;
        if (strlen(path) > VALUE_PATH_MAX)
                return hint(reterr_hint, "the path is longer than 4095 bytes, write a shorter one");
        clean(path);
        *ret = TAKE_PTR(path);
        return 0;
}

int value_parse_program(const char *text, const char *cwd, char **ret, ValueHint *reterr_hint) {
        if (strchr(text, '/'))
                return value_parse_path(text, cwd, ret, reterr_hint);
        if (text[0] == '\0' || has_control(text) || strlen(text) > VALUE_NAME_MAX)
                return hint(reterr_hint, "write the name of a program in PATH, or a path");
        *ret = strdup(text);
        return *ret ? 0 : -ENOMEM;
}

int value_check_variable(const char *text, size_t length, ValueHint *reterr_hint) {
        static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

        if (length > VALUE_NAME_MAX)
                return hint(reterr_hint, "the name is longer than 256 bytes");
        for (size_t i = 0; i < length; i++)
                if (!strchr(letters, text[i]) && (i == 0 || text[i] < '0' || text[i] > '9'))
                        length = 0; /* as bad as none */
        if (length == 0)
                return hint(reterr_hint, "a variable name is letters, digits and '_', and does not "
                                         "start with a digit");
        return 0;
}

int value_check_account(const char *text, ValueHint *reterr_hint) {
        if (text[0] == '\0' || text[0] == '-' || strlen(text) > VALUE_NAME_MAX ||
            has_control(text) || strpbrk(text, ":/ "))
                return hint(reterr_hint, "write a user or group name, or a number");
        return 0;
}
