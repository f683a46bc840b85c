/* SPDX-License-Identifier: MIT */
/* Labels. A key is a name of a journal field, of an extended attribute and of a JSON member, and
 * the capitals of the first must not make two keys one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy/value.h"
#include "supervisor/base/str.h"

static bool is_key(const char *text, size_t length) {
        if (length == 0 || length > VALUE_LABEL_KEY_MAX || text[0] < 'a' || text[0] > 'z')
                return false;
        return strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") >= length;
}

int value_check_label(const char *text, size_t length, ValueHint *reterr_hint) {
        const char *value = text + length + 1;

        if (text[length] != '=' || !is_key(text, length)) {
                (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                               "write KEY=VALUE, the key of at most %d lower case letters, digits "
                               "and '_', a letter first",
                               VALUE_LABEL_KEY_MAX);
                return -EINVAL;
        }
        if (value[0] == '\0' || strlen(value) > VALUE_LABEL_MAX) {
                (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                               "write a value of 1 to %d bytes", VALUE_LABEL_MAX);
                return -EINVAL;
        }
        while (*value != '\0') {
                size_t n = str_printable_sequence(value);

                if (n == 0) {
                        (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                                       "write a value of printable UTF-8");
                        return -EINVAL;
                }
                value += n;
        }
        return 0;
}
