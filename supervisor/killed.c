/* SPDX-License-Identifier: MIT */
/* The note of `confine kill`. */
#include "supervisor/killed.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/xattr.h>

#include "supervisor/attributes.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

int killed_note(int scope_fd, int sig) {
        char text[32];

        (void)snprintf(text, sizeof(text), "%d %u", sig, (unsigned)getuid());
        return fsetxattr(scope_fd, ATTRIBUTE_KILLED, text, strlen(text), 0) < 0 ? -errno : 0;
}

void killed_explain(Run *run) {
        Outcome *o = &run->outcome;
        char text[ATTRIBUTE_SIZE];
        const char *end;
        uint64_t sig, uid;

        /* Not an exit with the status that shells make of the signal: the program may have outlived
         * that by far, and any can choose that status. */
        if (o->cause != CAUSE_SIGNAL || attribute_read(run->scope_fd, ATTRIBUTE_KILLED, text) < 0 ||
            !str_read_number(text, &end, &sig) || !str_read_number(end, &end, &uid) || *end ||
            sig != (uint64_t)o->signal || uid > UINT32_MAX)
                return;
        o->cause = CAUSE_KILLED;
        o->signal = (int)sig;
        o->killed_by_uid = uid;
        outcome_explain(o, ERROR_NONE, "the run was ended by uid %" PRIu64 " with 'confine kill'",
                        uid);
}
