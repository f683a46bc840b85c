/* SPDX-License-Identifier: MIT */
/* The story of a run, one call a stage:
 *
 *   prepare   resolve the policy, the program, the identity; open what needs the caller's rights
 *   spawn     fork the worker, which restricts itself and then waits, and the keeper
 *   scope     ask systemd for the scope around both
 *   verify    divide its cgroup, read the limits back, store the start record, see that no drop-in
 *             loosens the scope
 *   launch    let the worker execute the program
 *   watch     until it ends
 *   finish    kill what is left, read counters, name the cause, store the end record
 *
 * Setup is all or nothing: whatever stage fails, the run goes straight to finish, which works from
 * every stage. */
#include "supervisor/run.h"

#include <errno.h>

#include "doctor/probe.h"
#include "policy/resolve.h"
#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/filters.h"
#include "supervisor/finish.h"
#include "supervisor/grants.h"
#include "supervisor/prepare.h"
#include "supervisor/refusal.h"
#include "supervisor/secrets.h"
#include "supervisor/spawn.h"
#include "supervisor/start.h"
#include "supervisor/view.h"
#include "supervisor/watch.h"

#define STATUS_USAGE 2

void run_done(Run *run) {
        secrets_forget(&run->secrets);
        grants_close(run);
        filters_done(run);
        (void)fd_close(run->ruleset_fd);
        run->scope = scope_close(run->scope);
        (void)fd_close(run->turn_fd);
        free(run->cgroup);
        free(run->moved_to);
        free(run->cwd);
        program_done(&run->program);
        python_done(&run->python);
        if (!run->outcome.orphaned)
                identity_release(&run->identity);
        view_done(&run->view);
        identity_done(&run->identity);
        outcome_done(&run->outcome);
        (void)fd_close(run->scratch_fd);
        (void)fd_close(run->scope_fd);
        (void)fd_close(run->leaf_fd);
        (void)fd_close(run->events_fd);
        (void)fd_close(run->tasks_fd);
        (void)fd_close(run->audit_fd);
        (void)fd_close(run->result_fd);
        (void)fd_close(run->domain.fd);
}

/* A policy or command line that was refused: messages, and the same as JSON. */
static int refuse(Run *run, const Diag *diag, int status) {
        for (size_t i = 0; i < diag->n_messages; i++) {
                const DiagMessage *m = &diag->messages[i];

                if (!run->invocation->quiet)
                        log_line("%s [%s]", m->text, error_name(m->type));
                (void)outcome_fail(&run->outcome, CAUSE_REFUSED, m->type, "%s", m->text);
        }
        if (diag->n_dropped > 0 && !run->invocation->quiet)
                log_line("%zu more errors", diag->n_dropped);
        run->outcome.exit_status = status;
        /* What is no run, a report or a line that does not say what to run, is not recorded. */
        if (run->invocation->verb == VERB_RUN && !run->invocation->dry_run &&
            status != STATUS_USAGE)
                refusal_record(run);
        if (run->invocation->result && prepare_result(run) == 0)
                finish_result(run);
        return status;
}

static int run_stages(Run *run) {
        static int (*const stages[])(Run * run) = {
                prepare_run,       spawn_children, start_scope,  start_verify,
                start_check_scope, start_program,  watch_worker,
        };

        for (size_t i = 0; i < ARRAY_SIZE(stages); i++) {
                int r;

                r = stages[i](run);
                if (r < 0)
                        return r;
        }
        return 0;
}

void run_init(const Invocation *invocation, Run *ret) {
        *ret = (Run){
                .invocation = invocation,
                .identity = IDENTITY_INIT,
                .ruleset_fd = -EBADF,
                .turn_fd = -EBADF,
                .keeper_pidfd = -EBADF,
                .keeper_fd = -EBADF,
                .worker_pidfd = -EBADF,
                .report_fd = -EBADF,
                .listener_fd = -EBADF,
                .scratch_fd = -EBADF,
                .scope_fd = -EBADF,
                .leaf_fd = -EBADF,
                .events_fd = -EBADF,
                .tasks_fd = -EBADF,
                .audit_fd = -EBADF,
                .result_fd = -EBADF,
                .domain = { .fd = -EBADF },
                .outcome = outcome_init(),
        };
        probe_facts(invocation->manager == MANAGER_DEFAULT ? geteuid() == 0
                                                           : invocation->manager == MANAGER_SYSTEM,
                    &ret->facts);
        ret->cwd = getcwd(NULL, 0); /* NULL: it was removed, or may not be read */
        ret->facts.cwd = ret->cwd;
}

uint64_t run_tasks_max(const Run *run) {
        return MIN(run->policy->tasks_max, run->outcome.limits.tasks_max);
}

int run_refused(const Invocation *invocation, const Diag *diag, int status) {
        _cleanup_(run_done) Run run;

        run_init(invocation, &run);
        return refuse(&run, diag, status);
}

int run(const Invocation *invocation, const Signals *signals, int *ret_signal) {
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_(run_done) Run run;
        int r;

        *ret_signal = 0;
        run_init(invocation, &run);
        run.signals = *signals;
        /* First, so that the bus daemon works on it while the rest is prepared. */
        start_connect(&run);
        r = policy_resolve(invocation->settings, &run.facts, &policy, &diag);
        if (r == 0)
                r = form_grant(invocation, &run.facts, policy, &run.python, &diag);
        if (r < 0)
                return refuse(&run, &diag, error_exit_status(ERROR_CONFIGURATION));
        run.policy = policy;
        (void)run_stages(&run); /* what failed is in the outcome */
        finish_run(&run);
        finish_report(&run);
        finish_result(&run);
        return outcome_status(&run.outcome, ret_signal);
}
