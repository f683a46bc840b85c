/* SPDX-License-Identifier: MIT */
/* Signals by name, as kill(1) takes them. */
#include "supervisor/signal-name.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "supervisor/base/str.h"

int signal_parse(const char *text) {
        const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text, *end;
        uint64_t number;

        for (int sig = 1; sig < NSIG; sig++) {
                const char *own = sigabbrev_np(sig);

                if (own && strcasecmp(own, name) == 0)
                        return sig;
        }
        if (!str_read_number(text, &end, &number) || *end || number == 0 || number >= NSIG)
                return -EINVAL;
        return (int)number;
}
