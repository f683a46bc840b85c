/* SPDX-License-Identifier: MIT */
/* From the forked processes to the running program. */
#include "supervisor/start.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "policy/value.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"
#include "supervisor/cgroup.h"
#include "supervisor/signals.h"
#include "supervisor/step-failure.h"
#include "supervisor/tracer.h"
#include "supervisor/worker/keeper.h"
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
                "its bus answer ('systemctl %sstatus'), or raise it",
                span, what, run->facts.system_manager ? "" : "--user ");
}

/* Waits for readability of @fd, for signals and for the deadline. 0: readable. */
static int wait_readable(Run *run, int fd, const char *what) {
        for (;;) {
                struct pollfd fds[] = {
                        { .fd = fd, .events = POLLIN },
                        { .fd = run->signals.fd, .events = POLLIN },
                };
                int r;

                r = poll(fds, ARRAY_SIZE(fds), clock_poll_timeout(run->start_deadline_usec));
                if (r < 0 && errno != EINTR)
                        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "poll: %s",
                                            strerror(errno));
                if (r == 0)
                        return start_fail_timeout(run, what);
                if (r > 0 && fds[1].revents) {
                        r = start_check_signals(run);
                        if (r < 0)
                                return r;
                }
                if (r >= 0 && fds[0].revents)
                        return 0;
        }
}

static int fail_keeper(Run *run, const Message *message) {
        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                            "%s failed: %s: see 'confine doctor'", keeper_step_name(message->step),
                            strerror(message->value));
}

/* Waits for the message @kind of the keeper. A descriptor that comes with it goes to *@ret_fd. */
static int expect_keeper(Run *run, MessageKind kind, Message *ret, int *ret_fd) {
        int r;

        do {
                r = wait_readable(run, run->keeper_fd, "the keeper");
                if (r < 0)
                        return r;
                r = message_recv(run->keeper_fd, ret, ret_fd, MSG_DONTWAIT);
        } while (r == -EAGAIN);
        if (r > 0 && ret->kind == MESSAGE_KEEPER_ERROR)
                return fail_keeper(run, ret);
        if (r <= 0 || ret->kind != kind)
                return outcome_fail(
                        &run->outcome, CAUSE_ERROR, ERROR_SANDBOX_GONE,
                        "the keeper of '%s' ended before the program ran: look for who killed "
                        "it with 'journalctl -u %s'",
                        run->unit, run->unit);
        return 0;
}

static int find_scope(Run *run) {
        int r;

        run->scope_fd = cgroup_open_scope(run->keeper_pid, run->unit, &run->cgroup);
        if (run->scope_fd >= 0)
                return 0;
        r = run->scope_fd;
        return outcome_fail(
                &run->outcome, CAUSE_ERROR, ERROR_CREATION,
                "systemd reported the scope '%s' as started, but its first process is in '%s' "
                "(%s): try again, and report it if it stays",
                run->unit, run->cgroup ? run->cgroup : "an unknown cgroup", strerror(-r));
}

static int send_start_record(Run *run) {
        uint64_t deadline =
                MIN(run->start_deadline_usec, clock_add_usec(clock_now_usec(), AUDIT_TIMEOUT_USEC));
        int r;

        if (run->audit_fd < 0)
                return 0;
        r = audit_send(run->audit_fd, &run->start_entry, deadline);
        if (r == 0)
                run->start_recorded = true;
        return r;
}

static int settle_start_record(Run *run, int sent) {
        uint64_t deadline =
                MIN(run->start_deadline_usec, clock_add_usec(clock_now_usec(), AUDIT_TIMEOUT_USEC));
        int r = sent;

        if (run->audit_fd < 0)
                return 0;
        if (r == 0)
                r = audit_confirm(run->audit_fd, deadline);
        if (r == 0)
                return 0;
        if (run->policy->audit == AUDIT_REQUIRED)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_AUDIT,
                        "journald did not take the start record (%s), and without a record "
                        "there is no run: check 'systemctl status systemd-journald', or say "
                        "-p Audit=best-effort",
                        strerror(-r));
        if (!run->invocation->quiet)
                log_line("journald did not take the start record (%s), ignoring", strerror(-r));
        run->audit_fd = fd_close(run->audit_fd);
        return 0;
}

int start_verify(Run *run) {
        Message message = { .kind = MESSAGE_SETUP };
        int fd = -EBADF, r, sent;

        r = find_scope(run);
        if (r < 0)
                return r;
        r = message_send(run->keeper_fd, &message, run->scope_fd);
        if (r < 0 && r != -EPIPE) /* EPIPE: it ended; its last message says why */
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot talk to the keeper: %s", strerror(-r));
        /* While the keeper works. */
        r = cgroup_check_limits(run->scope_fd, run->cgroup, run->facts.system_manager, run->policy,
                                &run->outcome);
        if (r < 0)
                return r;
        sent = send_start_record(run);
        r = expect_keeper(run, MESSAGE_READY, &message, &fd);
        if (r < 0)
                return r;
        run->leaf_fd = fd;
        if (fd < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "the keeper sent no leaf");
        if (run->outcome.best_effort && !run->invocation->quiet)
                log_line("a cgroup controller is missing here, so not every limit is enforced "
                         "(Enforcement=best-effort)");
        return settle_start_record(run, sent);
}

/* Only under best-effort: the worker sends no listener otherwise. */
static int trace_worker(Run *run) {
        int r;

        run->outcome.best_effort = true;
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

        do {
                r = wait_readable(run, run->report_fd, "the worker");
                if (r < 0)
                        return r;
                r = message_recv(run->report_fd, &message, &fd, MSG_DONTWAIT);
        } while (r == -EAGAIN);
        if (r > 0 && message.kind == MESSAGE_WORKER_ERROR)
                return step_failed(run, &message);
        if (r > 0 && message.kind == MESSAGE_LISTENER && fd < 0)
                return trace_worker(run);
        if (r <= 0 || message.kind != MESSAGE_LISTENER) {
                (void)fd_close(fd);
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
        const Message start = { .kind = MESSAGE_START }, go = { .kind = MESSAGE_GO };
        int r;

        r = await_worker(run);
        if (r < 0)
                return r;
        r = start_check_signals(run);
        if (r < 0)
                return r;
        /* From here on signals are for the watch: the program may run already. */
        run->started_usec = clock_now_usec();
        r = message_send(run->report_fd, &go, -EBADF);
        if (r == 0)
                r = message_send(run->keeper_fd, &start, -EBADF);
        if (r < 0 && r != -EPIPE) /* EPIPE: the watch sees who is gone */
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot start the program: %s", strerror(-r));
        return 0;
}
