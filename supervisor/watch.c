/* SPDX-License-Identifier: MIT */
/* The watch loop: descriptors become events, and a state x event table says what each does.
 *
 *   RUNNING      the program runs, until it ends, its deadline comes or somebody asks for its end
 *   TERMINATING  it got SIGTERM (or the signal that was forwarded) and has its grace
 *   KILLING      its whole cgroup was killed; only the kernel is in the way
 *   ENDED        it is reaped, or it cannot be */
#include "supervisor/watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/cgroup.h"
#include "supervisor/landlock-audit.h"
#include "supervisor/listener.h"
#include "supervisor/moment.h"
#include "supervisor/moved.h"
#include "supervisor/scope.h"
#include "supervisor/signals.h"
#include "supervisor/step-failure.h"
#include "supervisor/tracer.h"
#include "supervisor/worker/report.h"

/* How far apart the two signals of timeout(1) may be noticed on a busy machine. */
#define TIMEOUT_PAIR_USEC (200 * USEC_PER_MSEC)

typedef enum State {
        STATE_RUNNING,
        STATE_TERMINATING,
        STATE_KILLING,
        STATE_ENDED,
        _STATE_MAX,
} State;

typedef enum Event {
        EVENT_WORKER_ENDED,
        EVENT_DEADLINE,     /* RuntimeMaxSec */
        EVENT_GRACE_OVER,   /* TimeoutStopSec after the last step towards the end */
        EVENT_TERM_REQUEST, /* SIGTERM or SIGINT by kill(2) */
        EVENT_KEEPER_GONE,
        EVENT_MOVED, /* the program is not in its leaf any more */
        _EVENT_MAX,
} Event;

typedef struct Watch {
        Run *run;
        State state;
        Forwarder forwarder;
        uint64_t deadline_usec;
        uint64_t grace_usec;
        uint64_t request_usec; /* when somebody last asked for the end; 0: nobody did */
        bool request_to_group;
        ListenerPace pace;
        bool timed_out;
        bool killed;
        bool keeper_gone;
} Watch;

typedef State (*Action)(Watch *w);

static void start_grace(Watch *w) {
        w->grace_usec = clock_add_usec(clock_now_usec(), w->run->policy->timeout_stop_usec);
}

static State act_nothing(Watch *w) {
        return w->state;
}

static State act_ended(Watch *w _unused_) {
        return STATE_ENDED;
}

static State act_kill(Watch *w) {
        w->killed = true;
        w->grace_usec = clock_add_usec(clock_now_usec(),
                                       MAX(w->run->policy->timeout_stop_usec, ORPHAN_MIN_USEC));
        (void)cgroup_kill(w->run->leaf_fd); /* gone: there is nobody in it */
        /* It may be elsewhere. */
        (void)kernel_pidfd_send_signal(w->run->worker_pidfd, SIGKILL); /* ended: fine */
        return STATE_KILLING;
}

/* SIGCONT as well: a stopped program must see its SIGTERM. */
static State act_deadline(Watch *w) {
        w->timed_out = true;
        start_grace(w);
        moment_record(w->run, MOMENT_RUNTIME);
        (void)kernel_pidfd_send_signal(w->run->worker_pidfd, SIGTERM); /* ended: the event comes */
        (void)kernel_pidfd_send_signal(w->run->worker_pidfd, SIGCONT);
        return STATE_TERMINATING;
}

static State act_late_deadline(Watch *w) {
        w->timed_out = true;
        return w->state;
}

static State act_first_request(Watch *w) {
        start_grace(w);
        return STATE_TERMINATING;
}

static State act_orphan(Watch *w) {
        w->run->outcome.orphaned = true;
        return STATE_ENDED;
}

static State act_keeper_gone(Watch *w) {
        w->keeper_gone = true;
        /* Seen late, by a supervisor that was stopped: then the deadline was the cause. */
        w->timed_out = w->timed_out || clock_now_usec() >= w->deadline_usec;
        cgroup_read_oom(w->run->scope_fd, &w->run->outcome.counters); /* why, perhaps */
        return act_kill(w);
}

static const Action actions[_STATE_MAX][_EVENT_MAX] = {
        [STATE_RUNNING] = {
                [EVENT_WORKER_ENDED] = act_ended,
                [EVENT_DEADLINE] = act_deadline,
                [EVENT_GRACE_OVER] = act_nothing,
                [EVENT_TERM_REQUEST] = act_first_request,
                [EVENT_KEEPER_GONE] = act_keeper_gone,
                [EVENT_MOVED] = act_kill,
        },
        [STATE_TERMINATING] = {
                [EVENT_WORKER_ENDED] = act_ended,
                [EVENT_DEADLINE] = act_late_deadline,
                [EVENT_GRACE_OVER] = act_kill,
                [EVENT_TERM_REQUEST] = act_kill,
                [EVENT_KEEPER_GONE] = act_keeper_gone,
                [EVENT_MOVED] = act_kill,
        },
        [STATE_KILLING] = {
                [EVENT_WORKER_ENDED] = act_ended,
                [EVENT_DEADLINE] = act_nothing,
                [EVENT_GRACE_OVER] = act_orphan,
                [EVENT_TERM_REQUEST] = act_nothing,
                [EVENT_KEEPER_GONE] = act_nothing,
                [EVENT_MOVED] = act_nothing,
        },
        [STATE_ENDED] = {
                [EVENT_WORKER_ENDED] = act_nothing,
                [EVENT_DEADLINE] = act_nothing,
                [EVENT_GRACE_OVER] = act_nothing,
                [EVENT_TERM_REQUEST] = act_nothing,
                [EVENT_KEEPER_GONE] = act_nothing,
                [EVENT_MOVED] = act_nothing,
        },
};

static void happen(Watch *w, Event event) {
        w->state = actions[w->state][event](w);
}

/* A pidfd does not poll for stops: SIGCHLD is looked behind instead. */
static void mirror_stop(Watch *w) {
        siginfo_t info;

        if (w->run->traced) {
                w->run->traced = tracer_serve(w->run->worker_pid) == 0;
                return;
        }
        if (kernel_pidfd_wait(w->run->worker_pidfd, &info, WSTOPPED | WNOHANG) < 0 ||
            info.si_pid == 0 || info.si_code != CLD_STOPPED)
                return;
        int sig = info.si_status;
        /* Continued meanwhile: stopping now would stop a job whose program runs. */
        if (kernel_pidfd_wait(w->run->worker_pidfd, &info, WCONTINUED | WNOHANG) == 0 &&
            info.si_pid != 0)
                return;
        signals_stop_self(sig);
        (void)kernel_pidfd_send_signal(w->run->worker_pidfd, SIGCONT); /* `fg` reaches the group; */
        /* a SIGCONT to confine alone does not, and twice does no harm */
}

/* @sig reached the program by kill(2), to confine alone or to the group, and confine at
 * @received_usec. One that the caller had ignored the program ignores too, by inheritance: no
 * request to end. One to confine and one to the group at about the same time are one request: that
 * is how timeout(1) signals its child. */
static void note_request(Watch *w, int sig, uint64_t received_usec, bool to_group) {
        uint64_t last = w->request_usec;
        uint64_t same = to_group == w->request_to_group ? FORWARD_WAIT_USEC : TIMEOUT_PAIR_USEC;

        if ((sig != SIGTERM && sig != SIGINT) || sigismember(&w->run->signals.ignored, sig) == 1)
                return;
        if (MAX(received_usec, last) - MIN(received_usec, last) < same)
                return;
        w->request_usec = MAX(received_usec, last);
        w->request_to_group = to_group;
        happen(w, EVENT_TERM_REQUEST);
}

static void ask_keeper(Watch *w) {
        const Message message = { .kind = MESSAGE_SYNC, .value = forwarder_ask(&w->forwarder) };

        if (w->run->keeper_fd >= 0)
                (void)message_send(w->run->keeper_fd, &message, -EBADF); /* gone: seen elsewhere */
}

/* Meant for confine alone, by its keeper or its own timer. */
static bool is_wake(const Run *run, const struct signalfd_siginfo *info) {
        return info->ssi_code == SI_TIMER || (pid_t)info->ssi_pid == run->keeper_pid;
}

static void handle_signal(Watch *w, const struct signalfd_siginfo *info) {
        int sig = (int)info->ssi_signo;
        bool by_kill = info->ssi_code <= 0 && !is_wake(w->run, info);
        uint64_t now = clock_now_usec();

        if (sig == SIGCHLD) {
                mirror_stop(w);
                return;
        }
        /* The terminal's reached the program by itself. A stop sent by kill(2) to confine alone is
         * forwarded like the others, and comes back as a stopped worker. */
        if (!by_kill)
                return;
        if (forwarder_own(&w->forwarder, sig, (int32_t)info->ssi_pid, now))
                note_request(w, sig, now, true);
        else
                ask_keeper(w);
}

static void read_signals(Watch *w) {
        struct signalfd_siginfo info;

        while (read(w->run->signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
                handle_signal(w, &info);
}

static void forward_due(Watch *w) {
        uint64_t received;
        int sig;

        while ((sig = forwarder_next(&w->forwarder, clock_now_usec(), &received)) != 0) {
                (void)kernel_pidfd_send_signal(w->run->worker_pidfd,
                                               sig); /* ended: the event comes */
                note_request(w, sig, received, false);
        }
}

static void read_keeper(Watch *w) {
        Message message;
        uint64_t received;
        int fd = -EBADF, r;

        while ((r = message_recv(w->run->keeper_fd, &message, &fd, MSG_DONTWAIT)) > 0) {
                fd = fd_close(fd);
                if (message.kind == MESSAGE_SYNCED)
                        forwarder_answered(&w->forwarder, message.value);
                if (message.kind != MESSAGE_SIGNAL || message.step > 0)
                        continue;
                received = forwarder_keeper(&w->forwarder, message.value, message.detail);
                if (received)
                        note_request(w, message.value, received, true);
        }
        if (r == -EAGAIN)
                return;
        w->run->keeper_fd = fd_close(w->run->keeper_fd);
        happen(w, EVENT_KEEPER_GONE);
}

static void read_report(Watch *w) {
        Run *run = w->run;
        Message message;
        int fd = -EBADF, r;

        r = message_recv(run->report_fd, &message, &fd, MSG_DONTWAIT);
        if (r == -EAGAIN)
                return;
        (void)fd_close(fd);
        if (r > 0 && message.kind == MESSAGE_WORKER_ERROR)
                (void)step_failed(run, &message);
        else
                run->outcome.started = r == 0;
        /* End of file: it is executed, or dead. After an error: it waits for this to end. */
        run->report_fd = fd_close(run->report_fd);
}

static void check_timers(Watch *w) {
        uint64_t now = clock_now_usec();

        forward_due(w);
        if (now >= w->deadline_usec) {
                w->deadline_usec = USEC_INFINITY;
                happen(w, EVENT_DEADLINE);
        }
        if (now >= w->grace_usec) {
                w->grace_usec = USEC_INFINITY;
                happen(w, EVENT_GRACE_OVER);
        }
}

/* Not reaped: its number must not be another's while the leaf has processes, which may signal it
 * where Landlock has no scope for that (before ABI 6). */
static bool note_end(Watch *w) {
        Outcome *o = &w->run->outcome;
        siginfo_t info;

        if (kernel_pidfd_wait(w->run->worker_pidfd, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
            info.si_pid == 0)
                return false;
        if (o->cause == CAUSE_NONE) {
                if (info.si_code == CLD_EXITED)
                        o->exit_status = info.si_status;
                else
                        o->signal = info.si_status;
        }
        return true;
}

static void answer_calls(Watch *w) {
        Run *run = w->run;

        if (listener_serve(run->listener_fd, run->report_fd, run->filters, &run->outcome.denials) <
            0)
                run->listener_fd = fd_close(run->listener_fd);
        listener_pay(&w->pace);
}

static void wait_and_dispatch(Watch *w) {
        Run *run = w->run;
        bool paused = clock_now_usec() < w->pace.pause_usec;
        struct pollfd fds[] = {
                { .fd = run->worker_pidfd, .events = POLLIN },
                { .fd = run->signals.fd, .events = POLLIN },
                { .fd = run->keeper_fd, .events = POLLIN },
                { .fd = run->report_fd, .events = POLLIN },
                { .fd = paused ? -EBADF : run->listener_fd, .events = POLLIN },
                { .fd = run->tasks_fd, .events = POLLPRI },
                { .fd = run->events_fd, .events = POLLPRI },
                { .fd = landlock_audit_fd(run), .events = POLLIN },
        };
        uint64_t next = MIN(MIN(w->deadline_usec, w->grace_usec), forwarder_due(&w->forwarder));

        if (paused)
                next = MIN(next, w->pace.pause_usec);
        (void)poll(fds, ARRAY_SIZE(fds), clock_poll_timeout(next));
        if (fds[6].revents && !fds[0].revents && moved_read(run))
                happen(w, EVENT_MOVED);
        if (fds[7].revents)
                landlock_audit_read(run);
        if (fds[5].revents)
                moment_read_tasks(run);
        if (fds[4].revents)
                answer_calls(w);
        if (fds[3].revents)
                read_report(w);
        if (fds[2].revents)
                read_keeper(w);
        if (fds[1].revents)
                read_signals(w);
        check_timers(w);
        if (fds[0].revents && note_end(w))
                happen(w, EVENT_WORKER_ENDED);
}

static void name_cause(const Watch *w, Outcome *o) {
        if (o->cause != CAUSE_NONE)
                return;
        if (w->timed_out)
                o->cause = CAUSE_TIMEOUT;
        else if (w->killed && (o->orphaned || o->signal == SIGKILL))
                o->cause = CAUSE_KILLED; /* not one that had ended when the kill came */
        else
                o->cause = o->signal ? CAUSE_SIGNAL : CAUSE_EXIT;
}

int watch_worker(Run *run) {
        Watch w = { .run = run, .grace_usec = USEC_INFINITY };

        forwarder_init(&w.forwarder);
        w.deadline_usec = clock_add_usec(run->started_usec, run->policy->runtime_max_usec);
        signals_wake_at(clock_add_usec(run->started_usec,
                                       clock_add_usec(scope_runtime_max_usec(run->policy),
                                                      run->policy->timeout_stop_usec)));
        moved_watch(run);
        if (moved_read(run))
                happen(&w, EVENT_MOVED);
        while (w.state != STATE_ENDED)
                wait_and_dispatch(&w);
        moved_look(run);
        if (run->report_fd >= 0)
                read_report(&w);
        run->worker_ended = true;
        run->keeper_gone = w.keeper_gone;
        run->unit_stopped = forwarder_unit_stopped(&w.forwarder);
        run->told_to_end = w.request_usec != 0;
        name_cause(&w, &run->outcome);
        run->listener_fd = fd_close(run->listener_fd);
        run->report_fd = fd_close(run->report_fd);
        return run->outcome.orphaned ? -EBUSY : 0;
}
