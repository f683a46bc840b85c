/* SPDX-License-Identifier: MIT */
/* Signals of the supervisor: all blocked and read from a descriptor, handed on or not by who sent
 * them, and the state of a terminal job mirrored. */
#pragma once

#include <stdint.h>

#include "supervisor/run.h"

/* Notes mask and dispositions as received, blocks what the supervisor reads, opens the signalfd.
 * First thing of main(). Returns 0 or a negative errno. Source: signalfd(2). */
int signals_init(Signals *ret);

/* Stops confine itself by @sig (SIGTSTP, SIGTTIN, SIGTTOU or SIGSTOP), so that the shell sees a
 * stopped job. Returns when it was continued. */
void signals_stop_self(int sig);

/* Ends the process by @sig as its default action would, without a core file. Returns only if the
 * signal cannot end it (PID 1). */
void signals_die(int sig);

#define FORWARD_WAIT_USEC (5 * USEC_PER_MSEC)

/* One signal that waits: the keeper may still say that the whole group got it. */
typedef struct Forward {
        uint64_t due_usec;         /* USEC_INFINITY: nothing waits */
        uint64_t keeper_seen_usec; /* when the keeper reported it, unmatched; 0: not */
        int32_t sender;            /* of either report */
} Forward;

typedef struct Forwarder {
        Forward by_signal[32];
} Forwarder;

/* Makes @forwarder one in which nothing waits. */
void forwarder_init(Forwarder *forwarder);

/* Notes that the supervisor received @sig by kill(2) from @sender.
 * Returns true if the keeper had reported the same: the group got it, and the worker with it. */
bool forwarder_own(Forwarder *forwarder, int sig, int32_t sender);

/* Notes that the keeper received @sig by kill(2) from @sender. Cancels a waiting one of the same.
 */
void forwarder_keeper(Forwarder *forwarder, int sig, int32_t sender);

/* The next signal that is due at @now_usec, 0 if none. It no longer waits then. */
int forwarder_next(Forwarder *forwarder, uint64_t now_usec);

/* When the next waiting signal is due, USEC_INFINITY if none waits. */
uint64_t forwarder_due(const Forwarder *forwarder);

/* Whether the keeper alone received SIGTERM: the unit is being stopped by its manager. */
bool forwarder_unit_stopped(const Forwarder *forwarder);
