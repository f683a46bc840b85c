/* SPDX-License-Identifier: MIT */
/* From the forked processes to the running program. */
#include "supervisor/start.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "policy/value.h"
#include "supervisor/attributes.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"
#include "supervisor/cgroup.h"
#include "supervisor/moment.h"
#include "supervisor/signals.h"
#include "supervisor/slice-counts.h"
#include "supervisor/step-failure.h"
#include "supervisor/tracer.h"
#include "supervisor/worker/report.h"

#define AUDIT_TIMEOUT_USEC (5 * USEC_PER_SEC)

int start_check_signals(Run *run) {
        struct signalfd_siginfo info;

        while (read(run->signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
                switch (info.ssi_signo) {
                case SIGINT:
                case SIGTERM:
                case SIGHUP:
                case SIGQUIT:
                        if (sigismember(&run->signals.ignored, (int)info.ssi_signo) == 1)
                                break;
                        run->outcome.cause = CAUSE_SIGNAL;
                        run->outcome.signal = (int)info.ssi_signo;
                        return -EINTR;
                case SIGTSTP:
                case SIGTTIN:
                case SIGTTOU:
                        signals_stop_self((int)info.ssi_signo);
                        break;
                default:
                        break;
                }
        }
        return 0;
}

int start_fail_timeout(Run *run, const char *what) {
        char span[VALUE_FORMAT_SIZE];

        value_format_number(VALUE_SPAN, NULL, run->policy->start_timeout_usec, span);
        return outcome_fail(
                &run->outcome, CAUSE_ERROR, ERROR_CREATE_TIMEOUT,
                "StartTimeoutSec=%s passed while waiting for %s: check that the manager and "
                "its bus answer ('systemctl %sstatus'), or raise it" DOCTOR_HINT,
                span, what, run->facts.system_manager ? "" : "--user ");
}

int start_wait(Run *run, int fd) {
        for (;;) {
                struct pollfd fds[] = {
                        { .fd = fd, .events = POLLIN },
                        { .fd = run->signals.fd, .events = POLLIN },
                };
                int r;

                r = poll(fds, ARRAY_SIZE(fds), clock_poll_timeout(run->start_deadline_usec));
                if (r == 0)
                        return -ETIMEDOUT;
                if (r < 0 && errno != EINTR)
                        return -errno;
                if (r > 0 && fds[1].revents && start_check_signals(run) < 0)
                        return -EINTR;
                if (r > 0 && fds[0].revents)
                        return 0;
        }
}

/* start_wait(), with its failure in the outcome. */
static int wait_readable(Run *run, int fd, const char *what) {
        int r = start_wait(run, fd);

        if (r == -ETIMEDOUT)
                return start_fail_timeout(run, what);
        if (r < 0 && r != -EINTR)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "poll: %s",
                                    strerror(-r));
        return r;
}

/* The scope's deadline runs since it was made: passed, it is why its processes are gone. To be
 * called before another cause is named, since the first one counts. */
static void explain_deadline(Run *run) {
        uint64_t deadline =
                clock_add_usec(run->requested_usec, scope_runtime_max_usec(run->policy));
        char span[VALUE_FORMAT_SIZE];

        if (clock_now_usec() < deadline)
                return;
        value_format_number(VALUE_SPAN, NULL, run->policy->runtime_max_usec, span);
        (void)outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATE_TIMEOUT,
                           "RuntimeMaxSec=%s passed before the program could be started, and "
                           "systemd ended '%s': see what keeps this machine busy, or raise it with "
                           "--timeout=",
                           span, run->unit);
}

static int find_scope(Run *run) {
        int r;

        run->scope_fd = cgroup_open_scope(run->keeper_pid, run->unit, &run->cgroup);
        if (run->scope_fd >= 0)
                return 0;
        r = run->scope_fd;
        explain_deadline(run);
        return outcome_fail(
                &run->outcome, CAUSE_ERROR, ERROR_CREATION,
                "systemd reported the scope '%s' as started, but its first process is in '%s' "
                "(%s): try again, and report it if it stays",
                run->unit, run->cgroup ? run->cgroup : "an unknown cgroup", strerror(-r));
}

static int settle_start_record(Run *run) {
        uint64_t deadline =
                MIN(run->start_deadline_usec, clock_add_usec(clock_now_usec(), AUDIT_TIMEOUT_USEC));
        int r = run->start_error;

        if (run->audit_fd < 0)
                return 0;
        if (r == 0)
                r = audit_confirm(run->audit_fd, deadline);
        if (r == 0)
                return 0;
        run->journal_stuck = true;
        if (run->policy->audit == AUDIT_REQUIRED)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_AUDIT,
                        "journald did not take the start record (%s), and without a record "
                        "there is no run: check 'systemctl status systemd-journald', or say "
                        "-p Audit=best-effort" DOCTOR_HINT,
                        strerror(-r));
        if (!run->invocation->quiet)
                log_line("journald did not take the start record (%s), ignoring", strerror(-r));
        run->audit_fd = fd_close(run->audit_fd);
        return 0;
}

int start_verify(Run *run) {
        const char *what;
        int r;

        r = find_scope(run);
        if (r < 0)
                return r;
        r = attributes_label(run);
        if (r < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot label the cgroup '%s': %s: leave the labels out, or "
                                    "see who else writes attributes there",
                                    run->cgroup, strerror(-r));
        r = cgroup_check_limits(run->scope_fd, run->cgroup, run->facts.system_manager, run->policy,
                                &run->outcome);
        if (r == 0)
                r = cgroup_check_slices(run->cgroup, run->invocation->settings, &run->facts,
                                        run->policy, &run->outcome);
        if (r < 0)
                return r;
        run->leaf_fd = cgroup_divide(run->scope_fd, run->keeper_pid, run->worker_pid,
                                     run_tasks_max(run), &what);
        if (run->leaf_fd < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "%s failed: %s: see whether this manager delegates cgroups "
                                    "with 'systemctl show -p DelegateControllers'" DOCTOR_HINT,
                                    what, strerror(-run->leaf_fd));
        slice_counts_note(run); /* while journald takes the start record */
        if (run->outcome.best_effort && !run->invocation->quiet)
                log_line("a cgroup controller is missing here, or nothing heeds it, so not every "
                         "limit is enforced "
                         "(Enforcement=best-effort)");
        if (run->invocation->verbose)
                log_line("starting '%s' as uid %u in '%s', Landlock ABI %d, %s", run->program.path,
                         (unsigned)run->identity.uid, run->cgroup, run->facts.landlock_abi,
                         run->view.made ? "in a private view that is read-only outside the grants"
                                        : "without a private view: chmod, chown and utime are "
                                          "denied");
        return settle_start_record(run);
}

/* Only under best-effort: the worker sends no listener otherwise. */
static int trace_worker(Run *run) {
        int r;

        run->outcome.best_effort = run->outcome.denials_unknown = true;
        if (!run->invocation->quiet)
                log_line("a seccomp listener is in use above this process, so denied calls are not "
                         "counted "
                         "(Enforcement=best-effort)");
        if (run->policy->subprocess)
                return 0; /* execve is allowed: nothing to let through */
        r = tracer_attach(run->worker_pid);
        if (r < 0)
                return outcome_fail(
                        &run->outcome, CAUSE_ERROR, ERROR_CREATION,
                        "cannot trace the worker, which stands in for the seccomp listener: %s",
                        strerror(-r));
        run->traced = true;
        return 0;
}

/* The listener is the worker's last message before it waits: every step before that was taken. */
static int await_worker(Run *run) {
        Message message = { 0 };
        int fd = -EBADF, r;

        for (;;) {
                r = message_recv(run->report_fd, &message, &fd, MSG_DONTWAIT);
                if (r > 0 && message.kind == MESSAGE_SCRATCH)
                        run->scratch_fd = fd;
                else if (r != -EAGAIN)
                        break;
                else if ((r = wait_readable(run, run->report_fd, "the worker")) < 0)
                        return r;
        }
        if (r > 0 && message.kind == MESSAGE_WORKER_ERROR)
                return step_failed(run, &message);
        if (r > 0 && message.kind == MESSAGE_LISTENER && fd < 0)
                return trace_worker(run);
        if (r <= 0 || message.kind != MESSAGE_LISTENER) {
                (void)fd_close(fd);
                explain_deadline(run);
                return outcome_fail(
                        &run->outcome, CAUSE_ERROR, ERROR_SANDBOX_GONE,
                        "the worker of '%s' ended before the program ran: look for who killed "
                        "it with 'journalctl -u %s'",
                        run->unit, run->unit);
        }
        run->listener_fd = fd;
        (void)kernel_notif_sync_wake_up(run->listener_fd); /* before 6.7: slower */
        return 0;
}

int start_program(Run *run) {
        const Message setup = { .kind = MESSAGE_SETUP }, start = { .kind = MESSAGE_START },
                      go = { .kind = MESSAGE_GO };
        int r;

        r = await_worker(run);
        if (r < 0)
                return r;
        r = start_check_signals(run);
        if (r < 0)
                return r;
        /* From here on signals are for the watch: the program may run already. */
        run->started_usec = clock_now_usec();
        /* The keeper first: from the program's first instruction on it can end the leaf. */
        r = message_send(run->keeper_fd, &setup, run->scope_fd);
        if (r == 0)
                r = message_send(run->keeper_fd, &start, run->leaf_fd);
        if (r == 0)
                r = message_send(run->report_fd, &go, -EBADF);
        if (r < 0) {
                explain_deadline(run);
                return outcome_fail(
                        &run->outcome, CAUSE_ERROR, ERROR_CREATION,
                        "cannot start the program: %s: look for who killed its keeper with "
                        "'journalctl -u %s'",
                        strerror(-r), run->unit);
        }
        /* While the program is executed. It runs, so this is no longer a reason not to. */
        r = attributes_write(run);
        if (r < 0 && !run->invocation->quiet)
                log_line("cannot write the attributes of '%s' (%s), ignoring: 'confine list' knows "
                         "less of it",
                         run->cgroup, strerror(-r));
        moment_watch_tasks(run); /* the program is on its way, and does not wait for that */
        return 0;
}
