/* SPDX-License-Identifier: MIT */
/* main(): argv to verb, exit status to the caller. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/cli.h"
#include "supervisor/layers.h"
#include "supervisor/log.h"
#include "supervisor/manage.h"
#include "supervisor/no-sandbox.h"
#include "supervisor/run.h"
#include "supervisor/show.h"
#include "supervisor/signals.h"
#include "supervisor/trust.h"

/* A caller that closed 0, 1 or 2 would have our own descriptors take their place. */
static int fill_standard_descriptors(void) {
        int fd;

        do
                fd = open("/dev/null", O_RDWR);
        while (fd >= 0 && fd <= STDERR_FILENO);
        if (fd < 0)
                return -errno;
        (void)fd_close(fd);
        return 0;
}

static int dispatch(const Invocation *invocation, Signals *signals, int *ret_signal) {
        switch (invocation->verb) {
        case VERB_RUN:
                return invocation->dry_run ? show_run(invocation)
                                           : run(invocation, signals, ret_signal);
        case VERB_NO_SANDBOX:
                return no_sandbox(invocation, signals);
        case VERB_DOCTOR:
                return show_doctor(invocation);
        case VERB_POLICY_SHOW:
                return show_policy(invocation);
        case VERB_POLICY_KEYS:
                return show_keys(invocation);
        case VERB_POLICY_CHECK:
                return show_check(invocation);
        case VERB_POLICY_TRUST:
                return trust_file(invocation->trusted);
        case VERB_LOG:
                signals_restore(signals); /* it may be waiting, and ^C ends it */
                return log_show(invocation);
        case VERB_LIST:
                signals_restore(signals); /* it may go on, and ^C ends it */
                return manage_list(invocation);
        case VERB_INSPECT:
                return manage_inspect(invocation);
        case VERB_KILL:
                return manage_kill(invocation);
        case VERB_REAP:
                return manage_reap(invocation);
        case VERB_HELP:
                cli_print_help();
                return 0;
        case VERB_VERSION:
                puts("confine " CONFINE_VERSION);
                return 0;
        case _VERB_MAX:
        case _VERB_INVALID:
                break;
        }
        return 2;
}

static int read_policies(Invocation *invocation, Diag *diag) {
        switch (invocation->verb) {
        case VERB_RUN:
        case VERB_POLICY_SHOW:
                return layers_read(invocation, diag);
        case VERB_NO_SANDBOX:
                return layers_read_site(invocation, diag);
        case VERB_DOCTOR:
        case VERB_POLICY_KEYS:
        case VERB_POLICY_CHECK:
        case VERB_POLICY_TRUST:
        case VERB_LOG:
        case VERB_LIST:
        case VERB_INSPECT:
        case VERB_KILL:
        case VERB_REAP:
        case VERB_HELP:
        case VERB_VERSION:
        case _VERB_MAX:
        case _VERB_INVALID:
                break;
        }
        return 0;
}

static int parse_and_dispatch(int argc, char **argv, Signals *signals, int *ret_signal) {
        _cleanup_(invocation_done) Invocation invocation = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };
        int r;

        r = cli_parse(argc, argv, &invocation, &diag);
        if (r == 0) {
                invocation.error_status = invocation.verb == VERB_POLICY_SHOW
                                                  ? 1
                                                  : error_exit_status(ERROR_CONFIGURATION);
                r = read_policies(&invocation, &diag);
        }
        if (r == 0)
                return dispatch(&invocation, signals, ret_signal);
        if (invocation.show_usage)
                cli_print_usage(stderr);
        return run_refused(&invocation, &diag, invocation.error_status);
}

int main(int argc, char **argv) {
        Signals signals = { .fd = -EBADF };
        int status, signal = 0, r;

        r = fill_standard_descriptors();
        if (r == 0)
                r = signals_init(&signals);
        if (r < 0) {
                log_line("cannot start: %s [%s]", strerror(-r), error_name(ERROR_CREATION));
                return error_exit_status(ERROR_CREATION);
        }
        status = parse_and_dispatch(argc, argv, &signals, &signal);
        if (signal)
                signals_die(signal);
        return status;
}
