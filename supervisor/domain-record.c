/* SPDX-License-Identifier: MIT */
/* The kernel's words for a Landlock domain. */
#include "supervisor/domain-record.h"

#include <errno.h>

#include "supervisor/audit-text.h"
#include "supervisor/base/base.h"

int domain_record_parse(const char *text, DomainRecord *ret) {
        DomainRecord record = { 0 };
        const char *at = text;

        if (!audit_take_stamp(&at) || !audit_take_word(&at, "domain=") ||
            !audit_take_hex(&at, &record.domain) || !audit_take_word(&at, " status="))
                return -EBADMSG;
        record.allocated = audit_take_word(&at, "allocated mode=enforcing pid=");
        if (!record.allocated && !audit_take_word(&at, "deallocated denials="))
                return -EBADMSG;
        if (record.allocated &&
            (!audit_take_number(&at, &record.pid) || !audit_take_word(&at, " uid=")))
                return -EBADMSG;
        if (!audit_take_number(&at, record.allocated ? &record.uid : &record.n_denials) ||
            (*at != ' ' && (record.allocated || *at != '\0')))
                return -EBADMSG; /* a number may be cut */
        *ret = record;
        return 0;
}
