/* SPDX-License-Identifier: MIT */
/* Signals of the supervisor.
 *
 * What the terminal sends (SI_KERNEL) goes to the whole foreground group and reached the program
 * already. What kill(2) sends to confine alone must be forwarded; what it sends to the group must
 * not, or the program would get it twice. The keeper is in the group for exactly this: a signal
 * that it reports too was sent to the group. */
#include "supervisor/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

static const int watched[] = {
        SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGTSTP, SIGTTIN,
        SIGTTOU, SIGCHLD, SIGCONT, SIGUSR1, SIGUSR2,
};

int signals_init(Signals *ret) {
        struct sigaction action;
        sigset_t set, blocked;

        (void)sigemptyset(&ret->ignored);
        for (int sig = 1; sig < NSIG; sig++)
                if (sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
                        (void)sigaddset(&ret->ignored, sig);
        (void)sigemptyset(&set);
        for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
                (void)sigaddset(&set, watched[i]);
        blocked = set;
        /* Not read: a write to a closed pipe or past the caller's RLIMIT_FSIZE shall fail, the
         * terminal's size is the program's, and O_ASYNC on a terminal raises SIGIO in the whole
         * group, for whom it was never asked for. */
        (void)sigaddset(&blocked, SIGXFSZ);
        (void)sigaddset(&blocked, SIGPIPE);
        (void)sigaddset(&blocked, SIGWINCH);
        (void)sigaddset(&blocked, SIGIO);
        if (sigprocmask(SIG_BLOCK, &blocked, &ret->mask) < 0)
                return -errno;
        /* A caller that ignores SIGCHLD would have the kernel reap the worker and lose its status.
         */
        action = (struct sigaction){ .sa_handler = SIG_DFL };
        if (sigaction(SIGCHLD, &action, NULL) < 0)
                return -errno;
        ret->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
        return ret->fd < 0 ? -errno : 0;
}

void signals_restore(const Signals *signals) {
        const struct sigaction ignore = { .sa_handler = SIG_IGN };

        /* Of the dispositions only this one was touched. */
        if (sigismember(&signals->ignored, SIGCHLD) == 1)
                (void)sigaction(SIGCHLD, &ignore, NULL);
        (void)sigprocmask(SIG_SETMASK, &signals->mask, NULL);
}

/* Raises @sig with its default action, unblocked for that moment. */
static void raise_default(int sig) {
        const struct sigaction action = { .sa_handler = SIG_DFL };
        struct sigaction before;
        sigset_t set, mask;

        (void)sigaction(sig, &action, &before); /* fails for SIGSTOP and SIGKILL, which need none */
        (void)sigemptyset(&set);
        (void)sigaddset(&set, sig);
        (void)raise(sig);
        (void)sigprocmask(SIG_UNBLOCK, &set, &mask);
        (void)sigprocmask(SIG_SETMASK, &mask, NULL);
        if (sig != SIGSTOP && sig != SIGKILL)
                (void)sigaction(sig, &before, NULL);
}

void signals_wake_at(uint64_t usec) {
        struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };
        const struct itimerspec when = {
                .it_value = { (time_t)(usec / USEC_PER_SEC),
                              (long)(usec % USEC_PER_SEC * NSEC_PER_USEC) },
        };
        timer_t timer;

        if (usec != USEC_INFINITY && timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
                (void)timer_settime(timer, TIMER_ABSTIME, &when, NULL); /* cannot fail with these */
}

void signals_stop_self(int sig) {
        raise_default(sig);
}

void signals_die(int sig) {
        const struct rlimit none = { 0 };

        (void)setrlimit(RLIMIT_CORE, &none);
        (void)prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L); /* a core_pattern pipe ignores the limit */
        raise_default(sig);
}

void forwarder_init(Forwarder *forwarder) {
        *forwarder = (Forwarder){ 0 };
}

static bool is_forwarded(int sig) {
        for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
                if (watched[i] == sig)
                        return sig != SIGCHLD;
        return false;
}

/* The first receipt of @sig from @sender, NULL if there is none. 0 for both finds a free one. */
static Receipt *find_receipt(Receipt receipts[static RECEIPTS_MAX], int sig, int32_t sender) {
        for (size_t i = 0; i < RECEIPTS_MAX; i++)
                if (receipts[i].sig == sig && (sig == 0 || receipts[i].sender == sender))
                        return &receipts[i];
        return NULL;
}

/* Every receipt counts by itself: one signal to the group and one to confine alone, from the same
 * sender at the same time, are two. Returns the receipt of @matching, now used up; without one @sig
 * is added to @waiting, and the returned receipt is a free one. */
static Receipt match(Receipt matching[static RECEIPTS_MAX], Receipt waiting[static RECEIPTS_MAX],
                     int sig, int32_t sender, uint64_t now_usec) {
        Receipt *receipt = find_receipt(matching, sig, sender);
        Receipt found = { 0 };

        if (receipt) {
                found = *receipt;
                *receipt = (Receipt){ 0 };
                return found;
        }
        receipt = find_receipt(waiting, 0, 0);
        if (receipt)
                *receipt = (Receipt){ .sig = sig, .sender = sender, .received_usec = now_usec };
        return found;
}

bool forwarder_own(Forwarder *forwarder, int sig, int32_t sender, uint64_t now_usec) {
        return match(forwarder->keeper, forwarder->own, sig, sender, now_usec).sig != 0;
}

uint64_t forwarder_keeper(Forwarder *forwarder, int sig, int32_t sender) {
        /* What the supervisor does not forward is never matched, and would fill the table. */
        if (!is_forwarded(sig))
                return 0;
        return match(forwarder->own, forwarder->keeper, sig, sender, clock_now_usec())
                .received_usec;
}

int32_t forwarder_ask(Forwarder *forwarder) {
        int32_t question = ++forwarder->n_asked;

        for (size_t i = 0; i < RECEIPTS_MAX; i++)
                if (forwarder->own[i].sig && forwarder->own[i].question == 0)
                        forwarder->own[i].question = question;
        return question;
}

void forwarder_answered(Forwarder *forwarder, int32_t question) {
        forwarder->n_answered = MAX(forwarder->n_answered, question);
}

static uint64_t due_usec(const Forwarder *forwarder, const Receipt *receipt) {
        bool answered = receipt->question > 0 && receipt->question <= forwarder->n_answered;

        return receipt->received_usec + (answered ? FORWARD_WAIT_USEC : FORWARD_LIMIT_USEC);
}

int forwarder_next(Forwarder *forwarder, uint64_t now_usec, uint64_t *ret_received_usec) {
        for (size_t i = 0; i < RECEIPTS_MAX; i++) {
                const Receipt receipt = forwarder->own[i];

                if (receipt.sig == 0 || due_usec(forwarder, &receipt) > now_usec)
                        continue;
                forwarder->own[i] = (Receipt){ 0 };
                *ret_received_usec = receipt.received_usec;
                return receipt.sig;
        }
        return 0;
}

uint64_t forwarder_due(const Forwarder *forwarder) {
        uint64_t due = USEC_INFINITY;

        for (size_t i = 0; i < RECEIPTS_MAX; i++)
                if (forwarder->own[i].sig)
                        due = MIN(due, due_usec(forwarder, &forwarder->own[i]));
        return due;
}

bool forwarder_unit_stopped(const Forwarder *forwarder) {
        for (size_t i = 0; i < RECEIPTS_MAX; i++)
                if (forwarder->keeper[i].sig == SIGTERM)
                        return true;
        return false;
}
