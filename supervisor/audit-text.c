/* SPDX-License-Identifier: MIT */
/* The words of the kernel's audit records. */
#include "supervisor/audit-text.h"

#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define HEX_DIGITS "0123456789abcdef"

bool audit_take_word(const char **at, const char *word) {
        size_t length = strlen(word);

        if (strncmp(*at, word, length) != 0)
                return false;
        *at += length;
        return true;
}

bool audit_take_past(const char **at, const char *word) {
        const char *found = strstr(*at, word);

        if (!found)
                return false;
        *at = found + strlen(word);
        return true;
}

bool audit_take_number(const char **at, uint64_t *ret) {
        return **at >= '0' && **at <= '9' && str_read_number(*at, at, ret);
}

bool audit_take_hex(const char **at, uint64_t *ret) {
        size_t n_digits = strspn(*at, HEX_DIGITS);
        uint64_t number = 0;

        if (n_digits == 0 || n_digits > 2 * sizeof(number))
                return false;
        for (; n_digits > 0; n_digits--)
                number = number << 4 | (uint64_t)(strchr(HEX_DIGITS, *(*at)++) - HEX_DIGITS);
        *ret = number;
        return true;
}

bool audit_take_stamp(const char **at) {
        uint64_t seconds, msec, serial;

        return audit_take_word(at, "audit(") && audit_take_number(at, &seconds) &&
               audit_take_word(at, ".") && audit_take_number(at, &msec) &&
               audit_take_word(at, ":") && audit_take_number(at, &serial) &&
               audit_take_word(at, "): ");
}
