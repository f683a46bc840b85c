/* SPDX-License-Identifier: MIT */
/* The story of a run, one call a stage:
 *
 *   prepare   resolve the policy, the program, the identity; open what needs the caller's rights
 *   spawn     fork the worker, which restricts itself and then waits, and the keeper
 *   scope     ask systemd for the scope around both
 *   verify    have the leaf set up, read the limits back, store the start record
 *   launch    let the worker execute the program
 *   watch     until it ends
 *   finish    kill what is left, read counters, name the cause, store the end record
 *
 * Setup is all or nothing: whatever stage fails, the run goes straight to finish, which works from
 * every stage. */
#include "supervisor/run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "doctor/probe.h"
#include "policy/resolve.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"
#include "supervisor/cgroup.h"
#include "supervisor/finish.h"
#include "supervisor/prepare.h"
#include "supervisor/record.h"
#include "supervisor/spawn.h"
#include "supervisor/start.h"
#include "supervisor/watch.h"

static void run_done(Run *run) {
        for (size_t i = 0; run->grant_fds && i < run->policy->n_grants; i++)
                (void)fd_close(run->grant_fds[i]);
        free(run->grant_fds);
        run->scope = scope_close(run->scope);
        audit_entry_done(&run->start_entry);
        free(run->cgroup);
        program_done(&run->program);
        identity_done(&run->identity);
        outcome_done(&run->outcome);
        (void)fd_close(run->scope_fd);
        (void)fd_close(run->leaf_fd);
        (void)fd_close(run->audit_fd);
        (void)fd_close(run->result_fd);
}

static int print_diag(const Diag *diag, bool quiet) {
        int status = 125;

        for (size_t i = 0; i < diag->n_messages && !quiet; i++)
                log_line("%s [%s]", diag->messages[i].text, error_name(diag->messages[i].type));
        if (diag->n_dropped > 0 && !quiet)
                log_line("%zu more errors", diag->n_dropped);
        return status;
}

static int run_stages(Run *run) {
        static int (*const stages[])(Run * run) = {
                prepare_run, spawn_children, start_scope, start_verify, start_program, watch_worker,
        };

        for (size_t i = 0; i < ARRAY_SIZE(stages); i++) {
                int r;

                r = stages[i](run);
                if (r < 0)
                        return r;
        }
        return 0;
}

int run(const Invocation *invocation, Signals *signals, int *ret_signal) {
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_(run_done) Run run = {
                .invocation = invocation,
                .identity = IDENTITY_INIT,
                .signals = *signals,
                .keeper_pidfd = -EBADF,
                .keeper_fd = -EBADF,
                .worker_pidfd = -EBADF,
                .report_fd = -EBADF,
                .listener_fd = -EBADF,
                .scope_fd = -EBADF,
                .leaf_fd = -EBADF,
                .audit_fd = -EBADF,
                .result_fd = -EBADF,
                .outcome = outcome_init(),
        };
        int r;

        *ret_signal = 0;
        probe_facts(invocation->manager == MANAGER_DEFAULT ? geteuid() == 0
                                                           : invocation->manager == MANAGER_SYSTEM,
                    &run.facts);
        /* First, so that the bus daemon works on it while the rest is prepared. */
        run.scope_error = scope_open(run.facts.system_manager, &run.scope);
        r = policy_resolve(invocation->settings, &run.facts, &policy, &diag);
        if (r < 0)
                return print_diag(&diag, invocation->quiet);
        run.policy = policy;
        (void)run_stages(&run); /* what failed is in the outcome */
        finish_run(&run);
        finish_report(&run);
        return outcome_status(&run.outcome, ret_signal);
}
