/* SPDX-License-Identifier: MIT */
/* The stage of the start that waits for systemd: turns, tries and back-off. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>

#include "supervisor/attributes.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/cgroup.h"
#include "supervisor/code-hash.h"
#include "supervisor/grants.h"
#include "supervisor/landlock-audit.h"
#include "supervisor/record.h"
#include "supervisor/scope.h"
#include "supervisor/slots.h"
#include "supervisor/start.h"

#define AUDIT_TIMEOUT_USEC (5 * USEC_PER_SEC)
#define ABORT_WAIT_USEC    (1 * USEC_PER_SEC)
#define LOOK_USEC          (1 * USEC_PER_SEC)
#define BACKOFF_MIN_MSEC   4
#define BACKOFF_MAX_MSEC   64

/* Unfinished starts at a time, machine-wide: each costs PID 1 a match rule, and dbus-daemon allows
 * it 512 before it cuts PID 1 off. Source: systemd's bus-track.c; dbus-daemon's system.conf. */
#define START_SLOTS     32
#define START_LOCK_FILE "/run/confine/starts"

/* A random pause, longer from try to try: launchers that met a limit together must not meet it
 * again together. Returns 0, or a negative errno if the start is over. */
static int back_off(Run *run, unsigned *msec, const char *what) {
        unsigned random = 0;
        struct pollfd pfd = { .fd = run->signals.fd, .events = POLLIN };

        if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
                random = 0; /* only worse spread */
        if (poll(&pfd, 1, (int)(*msec / 2 + random % *msec)) > 0) {
                int r;

                r = start_check_signals(run);
                if (r < 0)
                        return r;
        }
        *msec = MIN(*msec * 2, (unsigned)BACKOFF_MAX_MSEC);
        if (clock_now_usec() >= run->start_deadline_usec)
                return start_fail_timeout(run, what);
        return 0;
}

/* Root's runs share PID 1 and take turns. User managers have a bus with wider limits each.
 * Returns 0 with the turn, -EAGAIN if all are taken, or another negative errno. */
static int try_turn(Run *run) {
        uint32_t slot;
        int r;

        if (!run->facts.system_manager || run->turn_fd >= 0)
                return 0;
        r = slot_take(START_LOCK_FILE, 0, START_SLOTS, &slot);
        if (r < 0)
                return r;
        run->turn_fd = r;
        return 0;
}

static int take_turn(Run *run) {
        unsigned msec = BACKOFF_MIN_MSEC;
        int r;

        while ((r = try_turn(run)) == -EAGAIN) {
                r = back_off(run, &msec, "a turn: too many starts at once");
                if (r < 0)
                        return r;
        }
        return r < 0 ? outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot lock '%s': %s", START_LOCK_FILE, strerror(-r))
                     : 0;
}

void start_connect(Run *run) {
        /* Not without a turn: waiting runs must not use up root's connections to the bus. */
        if (try_turn(run) == 0)
                run->scope_error = scope_open(run->facts.system_manager, &run->scope);
}

static int fail_bus(Run *run, int error) {
        if (error != -ENOMEDIUM)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot connect to the bus: %s: %ssee what 'confine doctor' "
                                    "says",
                                    strerror(-error),
                                    run->facts.system_manager
                                            ? ""
                                            : "set DBUS_SESSION_BUS_ADDRESS and XDG_RUNTIME_DIR "
                                              "as a login of yours has them, or neither, and ");
        if (run->facts.system_manager)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                        "no system bus at '/run/dbus/system_bus_socket': start dbus, or run "
                        "confine on a host that systemd manages" NO_SANDBOX_HINT);
        return outcome_fail(
                &run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                "no user manager for uid %u: run 'loginctl enable-linger' as an admin once, or "
                "run confine as root with --system" NO_SANDBOX_HINT,
                (unsigned)geteuid());
}

static int fail_scope(Run *run, const char *text) {
        return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                            "systemd refused the scope '%s': %s: %s" DOCTOR_HINT, run->unit, text,
                            run->facts.system_manager
                                    ? "see what its manager logged with 'journalctl -n 50'"
                                    : "see what its manager logged with 'journalctl --user -n 50'; "
                                      "if it may not add the processes, " CALL_FROM_UNIT);
}

static bool is_inside(const Run *run, pid_t pid) {
        _cleanup_free_ char *path = NULL;
        _cleanup_close_ int fd = cgroup_open_scope(pid, run->unit, &path);

        return fd >= 0;
}

/* Whether the scope has taken in both of its processes, so that it is up, whatever was heard of
 * it. */
static bool is_made(const Run *run) {
        return is_inside(run, run->keeper_pid) && is_inside(run, run->worker_pid);
}

/* @made: the scope is up. Returns 0, -EAGAIN or another negative errno with the outcome failed. */
static int request_scope(Run *run, bool made) {
        const ScopeRequest request = {
                .unit = run->unit,
                .pids = { run->keeper_pid, run->worker_pid },
                .pidfds = { run->keeper_pidfd, run->worker_pidfd },
                .policy = run->policy,
                .made = made,
        };
        int r;

        if (!run->scope)
                run->scope_error = scope_open(run->facts.system_manager, &run->scope);
        if (!run->scope)
                return run->scope_error == -EAGAIN ? -EAGAIN : fail_bus(run, run->scope_error);
        r = scope_request(run->scope, &request);
        return r < 0 ? fail_scope(run, strerror(-r)) : 0;
}

/* The start is given up, but the call is under way. A keeper reaped now could lend its number to a
 * stranger, whom an older systemd would then put into the scope; and a scope that takes in dying
 * processes never notices that it is empty. */
static void abandon_scope(Run *run) {
        int r;

        r = scope_wait(run->scope, -1, clock_now_usec() + ABORT_WAIT_USEC);
        if (r == -ETIMEDOUT || r == -EAGAIN)
                scope_stop(run->scope);
}

/* One try. -EAGAIN: the bus is at a limit, or the manager was executed anew and what it had to say
 * is lost. A signal of it is lost without a trace, so the scope is looked at now and then. */
static int await_scope(Run *run) {
        for (;;) {
                uint64_t look = clock_now_usec() + LOOK_USEC;
                int r;

                r = scope_wait(run->scope, run->signals.fd, MIN(look, run->start_deadline_usec));
                if (r == -EINTR) {
                        r = start_check_signals(run);
                        if (r == 0)
                                continue;
                        abandon_scope(run);
                        return r;
                }
                if (r != -ETIMEDOUT)
                        return r < 0 && r != -EAGAIN ? fail_scope(run, scope_error(run->scope)) : r;
                if (clock_now_usec() >= run->start_deadline_usec) {
                        abandon_scope(run);
                        return start_fail_timeout(run, "the scope");
                }
                if (is_made(run))
                        return -EAGAIN;
        }
}

/* Sent while systemd works, and taken by journald by the time the scope is up. A start that fails
 * after it gets its end record like every other. */
static void send_start_record(Run *run) {
        uint64_t now = clock_now_usec();
        /* Half of what is left at most: the scope is waited for after it, and else it would be
         * blamed. */
        uint64_t left = run->start_deadline_usec > now ? run->start_deadline_usec - now : 0;
        uint64_t deadline = clock_add_usec(now, MIN(left / 2, AUDIT_TIMEOUT_USEC));
        _cleanup_(audit_entry_done) AuditEntry entry = { 0 };
        _cleanup_(record_done) Record record = { 0 };
        int r;

        if (run->audit_fd < 0 || run->start_recorded || run->start_error < 0)
                return;
        r = record_build(run, RECORD_START, &record);
        if (r == 0)
                r = audit_format(&record, run->unit, run->facts.system_manager, &entry);
        if (r == 0)
                r = audit_send(run->audit_fd, &entry, deadline);
        run->start_recorded = r == 0;
        run->start_error = r; /* judged once the scope is up */
}

/* Between two tries. Given up, the scope of the last one must not stay. */
static int try_later(Run *run, unsigned *msec, const char *what) {
        int r;

        r = back_off(run, msec, what);
        if (r < 0 && run->scope)
                abandon_scope(run);
        run->scope = scope_close(run->scope);
        return r;
}

int start_scope(Run *run) {
        unsigned msec = BACKOFF_MIN_MSEC;
        bool made = false;
        int r;

        r = take_turn(run);
        if (r < 0)
                return r;
        run->requested_usec = clock_now_usec();
        for (;;) {
                r = request_scope(run, made);
                if (r == 0) {
                        code_hash(run);
                        attributes_prepare(run);
                        landlock_audit_open(run);
                        send_start_record(run);
                        r = grants_check_mounts(run);
                        if (r < 0) {
                                abandon_scope(run);
                                return r;
                        }
                        r = await_scope(run);
                }
                if (r != -EAGAIN)
                        break;
                r = try_later(run, &msec, "the scope");
                if (r < 0)
                        return r;
                made = is_made(run);
        }
        run->turn_fd = fd_close(run->turn_fd);
        return r;
}

/* One try. Returns 0; -EAGAIN as await_scope(); another negative errno, -EINTR with the outcome
 * set. */
static int await_check(Run *run) {
        int r;

        while ((r = scope_check(run->scope, run->signals.fd, run->start_deadline_usec)) == -EINTR) {
                r = start_check_signals(run);
                if (r < 0)
                        break;
        }
        return r;
}

int start_check_scope(Run *run) {
        unsigned msec = BACKOFF_MIN_MSEC;
        int r;

        while ((r = await_check(run)) == -EAGAIN) {
                do {
                        r = try_later(run, &msec, "the drop-ins of the scope");
                        if (r < 0)
                                return r;
                        r = request_scope(run, true);
                } while (r == -EAGAIN);
                if (r < 0)
                        return r;
        }
        if (r == -EINTR)
                return r;
        if (r == -ETIMEDOUT)
                return start_fail_timeout(run, "the drop-ins of the scope");
        if (r == -EPERM)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "%s" DOCTOR_HINT, scope_error(run->scope));
        if (r < 0)
                return fail_scope(run, scope_error(run->scope));
        run->scope = scope_close(run->scope);
        return 0;
}
