/* SPDX-License-Identifier: MIT */
/* Signals of the supervisor: all blocked and read from a descriptor, handed on or not by who sent
 * them, and the state of a terminal job mirrored. */
#pragma once

#include <stdint.h>

#include "supervisor/run.h"

/* Notes mask and dispositions as received, blocks what the supervisor reads, opens the signalfd.
 * First thing of main(). Returns 0 or a negative errno. Source: signalfd(2). */
int signals_init(Signals *ret);

/* Gives mask and dispositions back as they were received: before the process becomes another. */
void signals_restore(const Signals *signals);

/* Sends confine a SIGCONT at @usec of the clock: if it is stopped then, and its keeper gone, nobody
 * else would. At most once. */
void signals_wake_at(uint64_t usec);

/* Stops confine itself by @sig (SIGTSTP, SIGTTIN, SIGTTOU or SIGSTOP), so that the shell sees a
 * stopped job. Returns when it was continued. */
void signals_stop_self(int sig);

/* Ends the process by @sig as its default action would, without a core file. Returns only if the
 * signal cannot end it (PID 1). */
void signals_die(int sig);

/* A signal to confine is forwarded once the keeper, asked after it came, had none of the same to
 * report; not sooner than the first, since kill(2) queues a group's signal member by member and its
 * processor may be taken away in between; at the latter without an answer, from a keeper that is
 * stopped. */
#define FORWARD_WAIT_USEC  (20 * USEC_PER_MSEC)
#define FORWARD_LIMIT_USEC (500 * USEC_PER_MSEC)

/* A receipt that is not matched yet: by the supervisor, and then it waits to be forwarded, or by
 * the keeper, and then it came first. */
typedef struct Receipt {
        int sig; /* 0: free */
        int32_t sender;
        uint64_t received_usec;
        int32_t question; /* to the keeper; of the supervisor's */
} Receipt;

#define RECEIPTS_MAX 32 /* of each; the kernel merges what is pending, so that few ever wait */

typedef struct Forwarder {
        Receipt own[RECEIPTS_MAX];
        Receipt keeper[RECEIPTS_MAX];
        int32_t n_asked;    /* questions to the keeper */
        int32_t n_answered; /* the last one it answered */
} Forwarder;

/* Makes @forwarder one in which nothing waits. */
void forwarder_init(Forwarder *forwarder);

/* Notes that the supervisor received @sig by kill(2) from @sender, at @now_usec.
 * Returns true if the keeper had reported the same: the group got it, and the worker with it. */
bool forwarder_own(Forwarder *forwarder, int sig, int32_t sender, uint64_t now_usec);

/* Notes that the keeper received @sig by kill(2) from @sender. Returns when the supervisor received
 * the same, if that was waiting: it no longer does, the group got it. Else 0. */
uint64_t forwarder_keeper(Forwarder *forwarder, int sig, int32_t sender);

/* The number of a question to the keeper (MESSAGE_SYNC) about what just came. */
int32_t forwarder_ask(Forwarder *forwarder);

/* Notes that the keeper answered @question, and with it all before. */
void forwarder_answered(Forwarder *forwarder, int32_t question);

/* The next signal that is due at @now_usec, 0 if none; it no longer waits then. *@ret_received_usec
 * is when the supervisor received it. */
int forwarder_next(Forwarder *forwarder, uint64_t now_usec, uint64_t *ret_received_usec);

/* When the next waiting signal is due, USEC_INFINITY if none waits. */
uint64_t forwarder_due(const Forwarder *forwarder);

/* Whether the keeper alone received SIGTERM: the unit is being stopped by its manager. */
bool forwarder_unit_stopped(const Forwarder *forwarder);
