/* SPDX-License-Identifier: MIT */
/* The kernel's words for a system call that killed. */
#include "supervisor/seccomp-record.h"

#include <errno.h>
#include <string.h>

#include "supervisor/audit-text.h"
#include "supervisor/base/base.h"

#define USER_PRIORITY 8U /* and above: of a line that a process has written */

/* Neither the name of the process nor the path of its program can look like one of the fields: with
 * a blank or a quote in them they are told in hexadecimal digits. */
static bool take_fields(const char **at, SeccompRecord *record, uint64_t *ret_arch,
                        uint64_t *ret_nr) {
        uint64_t number;

        return audit_take_number(at, &number) && number < USER_PRIORITY &&
               audit_take_past(at, ";") && audit_take_word(at, "audit: type=1326 ") &&
               audit_take_stamp(at) && audit_take_word(at, "auid=") &&
               audit_take_number(at, &number) && audit_take_word(at, " uid=") &&
               audit_take_number(at, &record->uid) && audit_take_past(at, " pid=") &&
               audit_take_number(at, &record->pid) && audit_take_word(at, " comm=") &&
               audit_take_past(at, " sig=") && audit_take_number(at, &record->sig) &&
               audit_take_word(at, " arch=") && audit_take_hex(at, ret_arch) &&
               audit_take_word(at, " syscall=") && audit_take_number(at, ret_nr) && **at == ' ';
}

int seccomp_record_parse(const char *line, SeccompRecord *ret) {
        SeccompRecord record = { 0 };
        uint64_t arch, nr;

        if (!take_fields(&line, &record, &arch, &nr) || arch > UINT32_MAX || nr > UINT32_MAX)
                return -EBADMSG;
        record.arch = (uint32_t)arch;
        record.nr = (uint32_t)nr;
        *ret = record;
        return 0;
}
