/* SPDX-License-Identifier: MIT */
/* The kernel's words for a Landlock domain. */
#include "supervisor/domain-record.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define HEX_DIGITS "0123456789abcdef"

static bool take_word(const char **at, const char *word) {
        size_t length = strlen(word);

        if (strncmp(*at, word, length) != 0)
                return false;
        *at += length;
        return true;
}

/* No blank before it. */
static bool take_number(const char **at, uint64_t *ret) {
        return **at >= '0' && **at <= '9' && str_read_number(*at, at, ret);
}

static bool take_id(const char **at, uint64_t *ret) {
        size_t n_digits = strspn(*at, HEX_DIGITS);
        uint64_t id = 0;

        if (n_digits == 0 || n_digits > 2 * sizeof(id))
                return false;
        for (; n_digits > 0; n_digits--)
                id = id << 4 | (uint64_t)(strchr(HEX_DIGITS, *(*at)++) - HEX_DIGITS);
        *ret = id;
        return true;
}

/* When it was made and its number among all audit records. */
static bool take_stamp(const char **at) {
        uint64_t seconds, msec, serial;

        return take_word(at, "audit(") && take_number(at, &seconds) && take_word(at, ".") &&
               take_number(at, &msec) && take_word(at, ":") && take_number(at, &serial) &&
               take_word(at, "): ");
}

int domain_record_parse(const char *text, DomainRecord *ret) {
        DomainRecord record = { 0 };
        const char *at = text;

        if (!take_stamp(&at) || !take_word(&at, "domain=") || !take_id(&at, &record.domain) ||
            !take_word(&at, " status="))
                return -EBADMSG;
        record.allocated = take_word(&at, "allocated mode=enforcing pid=");
        if (!record.allocated && !take_word(&at, "deallocated denials="))
                return -EBADMSG;
        if (record.allocated && (!take_number(&at, &record.pid) || !take_word(&at, " uid=")))
                return -EBADMSG;
        if (!take_number(&at, record.allocated ? &record.uid : &record.n_denials) ||
            (*at != ' ' && (record.allocated || *at != '\0')))
                return -EBADMSG; /* a number may be cut */
        *ret = record;
        return 0;
}
