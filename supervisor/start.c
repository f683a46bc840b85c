/* SPDX-License-Identifier: MIT */
/* From the forked keeper to the running worker. */
#include "supervisor/start.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "policy/value.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/log.h"
#include "supervisor/cgroup.h"
#include "supervisor/record.h"
#include "supervisor/scope.h"
#include "supervisor/signals.h"
#include "supervisor/slots.h"
#include "supervisor/worker/keeper.h"
#include "supervisor/worker/report.h"

#define SYSTEMD_LAG_USEC   (2 * USEC_PER_SEC) /* see run_max_usec() */
#define AUDIT_TIMEOUT_USEC (5 * USEC_PER_SEC)
#define ABORT_WAIT_USEC    (1 * USEC_PER_SEC)
#define BACKOFF_MIN_MSEC   4
#define BACKOFF_MAX_MSEC   64

/* Unfinished starts at a time, machine-wide: each costs PID 1 a match rule, and dbus-daemon allows it
 * 512 before it cuts PID 1 off. Source: systemd's bus-track.c; dbus-daemon's system.conf. */
#define START_SLOTS     32
#define START_LOCK_FILE "/run/confine/starts"

/* Later than our own end, so that the true cause and the counters come first. */
static uint64_t run_max_usec(const Policy *p) {
        return clock_add_usec(clock_add_usec(p->runtime_max_usec, p->timeout_stop_usec),
                              SYSTEMD_LAG_USEC);
}

/* Reads signals during the start. Returns 0, or -EINTR with the outcome set if one of them asks for
 * the end: nothing runs yet that could answer it. */
static int check_signals(Run *run) {
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

static int fail_timeout(Run *run, const char *what) {
        char span[VALUE_FORMAT_SIZE];

        value_format_number(VALUE_SPAN, NULL, run->policy->start_timeout_usec, span);
        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATE_TIMEOUT,
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
                        return fail_timeout(run, what);
                if (r > 0 && fds[1].revents) {
                        r = check_signals(run);
                        if (r < 0)
                                return r;
                }
                if (r >= 0 && fds[0].revents)
                        return 0;
        }
}

/* A random pause, longer from try to try: launchers that met a limit together must not meet it again
 * together. Returns 0, or a negative errno if the start is over. */
static int back_off(Run *run, unsigned *msec) {
        unsigned random = 0;
        struct pollfd pfd = { .fd = run->signals.fd, .events = POLLIN };

        if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
                random = 0; /* only worse spread */
        if (poll(&pfd, 1, (int)(*msec / 2 + random % *msec)) > 0) {
                int r;

                r = check_signals(run);
                if (r < 0)
                        return r;
        }
        *msec = MIN(*msec * 2, (unsigned)BACKOFF_MAX_MSEC);
        if (clock_now_usec() >= run->start_deadline_usec)
                return fail_timeout(run, "a turn: too many starts at once");
        return 0;
}

/* Root's runs share PID 1 and take turns. User managers have a bus with wider limits each. */
static int take_turn(Run *run, int *ret_fd) {
        unsigned msec = BACKOFF_MIN_MSEC;
        uint32_t slot;

        if (!run->facts.system_manager)
                return 0;
        for (;;) {
                int r;

                r = slot_take(START_LOCK_FILE, 0, START_SLOTS, &slot);
                if (r >= 0) {
                        *ret_fd = r;
                        return 0;
                }
                if (r != -EAGAIN)
                        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                            "cannot lock '%s': %s", START_LOCK_FILE, strerror(-r));
                r = back_off(run, &msec);
                if (r < 0)
                        return r;
        }
}

static int fail_bus(Run *run, int error) {
        if (error != -ENOMEDIUM)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot connect to the bus: %s", strerror(-error));
        if (run->facts.system_manager)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "no system bus at '/run/dbus/system_bus_socket': start dbus, or run "
                                    "confine on a host that systemd manages; see 'confine doctor'");
        return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                            "no user manager for uid %u: run 'loginctl enable-linger' as an admin once, or "
                            "run confine as root with --system",
                            (unsigned)geteuid());
}

static int fail_scope(Run *run, const char *text) {
        /* Typical for a call from a cgroup that the user manager may not touch. */
        bool denied = strstr(text, "ermission") || strstr(text, "denied");

        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                            "systemd refused the scope '%s': %s: %s", run->unit, text,
                            denied && !run->facts.system_manager
                                    ? "call confine from a login session or a unit of your user manager "
                                      "('systemd-run --user'); see 'confine doctor'"
                                    : "see 'confine doctor'");
}

static int request_scope(Run *run) {
        const ScopeRequest request = {
                .unit = run->unit,
                .description = run->unit,
                .pid = run->keeper_pid,
                .pidfd = run->keeper_pidfd,
                .policy = run->policy,
                .runtime_max_usec = run_max_usec(run->policy),
        };
        int r;

        if (!run->scope)
                run->scope_error = scope_open(run->facts.system_manager, &run->scope);
        if (!run->scope)
                return run->scope_error == -EAGAIN ? -EAGAIN : fail_bus(run, run->scope_error);
        r = scope_request(run->scope, &request);
        return r < 0 ? fail_scope(run, strerror(-r)) : 0;
}

/* One try. -EAGAIN: the bus is at a limit. */
static int await_scope(Run *run) {
        int r;

        while ((r = scope_wait(run->scope, run->signals.fd, run->start_deadline_usec)) == -EINTR) {
                r = check_signals(run);
                if (r == 0)
                        continue;
                /* The call is under way: a keeper reaped now could lend its number to a stranger,
                 * whom an older systemd would then put into the scope. */
                (void)scope_wait(run->scope, -1, clock_now_usec() + ABORT_WAIT_USEC);
                return r;
        }
        if (r == -ETIMEDOUT)
                return fail_timeout(run, "the scope");
        return r < 0 && r != -EAGAIN ? fail_scope(run, scope_error(run->scope)) : r;
}

/* Rendered while systemd works. */
static int render_start_record(Run *run) {
        _cleanup_(record_done) Record record = { 0 };
        int r;

        if (run->audit_fd < 0 || run->start_entry.data)
                return 0;
        r = record_build(run, RECORD_START, &record);
        if (r == 0)
                r = audit_format(&record, run->unit, run->facts.system_manager, &run->start_entry);
        return r < 0 ? outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_AUDIT,
                                    "cannot make the start record: %s", strerror(-r))
                     : 0;
}

int start_scope(Run *run) {
        _cleanup_close_ int turn_fd = -EBADF;
        unsigned msec = BACKOFF_MIN_MSEC;
        int r;

        r = take_turn(run, &turn_fd);
        if (r < 0)
                return r;
        for (;;) {
                r = request_scope(run);
                if (r == 0)
                        r = render_start_record(run);
                if (r == 0)
                        r = await_scope(run);
                if (r != -EAGAIN)
                        break;
                run->scope = scope_close(run->scope);
                r = back_off(run, &msec);
                if (r < 0)
                        return r;
        }
        run->scope = scope_close(run->scope);
        return r;
}

static int fail_keeper(Run *run, const Message *message) {
        const Policy *policy = run->policy;
        const char *reason = strerror(message->value);

        if (message->step == KEEPER_STEP_LANDLOCK && message->detail >= 0 &&
            (size_t)message->detail < policy->n_grants)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "%s= '%s' cannot be granted: %s: grant a file or directory on a file "
                                    "system that Landlock supports",
                                    policy->grants[message->detail].key,
                                    policy->grants[message->detail].path, reason);
        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "%s failed: %s: see 'confine doctor'",
                            keeper_step_name(message->step), reason);
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
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_SANDBOX_GONE,
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
        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
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
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_AUDIT,
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
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "the keeper sent no leaf");
        if (run->outcome.best_effort && !run->invocation->quiet)
                log_line("a cgroup controller is missing here, so not every limit is enforced "
                         "(Enforcement=best-effort)");
        return settle_start_record(run, sent);
}

int start_worker(Run *run) {
        Message message = { .kind = MESSAGE_START };
        int fd = -EBADF, r;

        r = check_signals(run);
        if (r < 0)
                return r;
        run->started_usec = clock_now_usec();
        r = message_send(run->keeper_fd, &message, -EBADF);
        if (r < 0 && r != -EPIPE)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot talk to the keeper: %s", strerror(-r));
        /* From here on signals are for the watch: the worker may exist already. */
        r = expect_keeper(run, MESSAGE_WORKER, &message, &fd);
        (void)fd_close(fd);
        if (r < 0)
                return r;
        run->worker_pid = message.value;
        /* Our own unreaped child: the number cannot have been given to anybody else. */
        run->worker_pidfd = kernel_pidfd_open(run->worker_pid);
        if (run->worker_pidfd < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot open a pidfd: %s", strerror(-run->worker_pidfd));
        return 0;
}
