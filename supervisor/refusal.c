/* SPDX-License-Identifier: MIT */
/* Refused runs in the journal: who tried what, and what stood in the way. */
#include "supervisor/refusal.h"

#include <string.h>

#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/log.h"
#include "supervisor/record.h"

#define REFUSAL_TIMEOUT_USEC (2 * USEC_PER_SEC)

static int store(Run *run) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), REFUSAL_TIMEOUT_USEC);
        _cleanup_(audit_entry_done) AuditEntry entry = { 0 };
        _cleanup_(record_done) Record record = { 0 };
        int r;

        if (run->audit_fd < 0)
                run->audit_fd = audit_open();
        if (run->audit_fd < 0)
                return run->audit_fd;
        r = record_build(run, RECORD_REFUSED, &record);
        if (r == 0)
                r = audit_format(&record, run->unit, run->facts.system_manager, &entry);
        record_hide_words(run);
        if (r == 0)
                r = audit_send(run->audit_fd, &entry, deadline);
        /* journald looks at who we are when it works on the entry, and we end right after it. */
        return r == 0 ? audit_finish(run->audit_fd, deadline) : r;
}

void refusal_record(Run *run) {
        int r = store(run);

        if (r < 0 && run->outcome.error != ERROR_AUDIT && !run->invocation->quiet)
                log_line("the refusal could not be recorded: %s, ignoring", strerror(-r));
}
