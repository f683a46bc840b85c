/* SPDX-License-Identifier: MIT */
/* Messages between supervisor, keeper and worker: fixed-size records over SOCK_SEQPACKET, at most
 * one descriptor each. The one place that knows the wire form. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

typedef enum MessageKind {
        /* supervisor -> keeper */
        MESSAGE_SETUP, /* the scope is up; carries its directory */
        MESSAGE_START, /* the program runs: count the deadline; carries the leaf directory */
        MESSAGE_QUIT,  /* counters are read and the leaf is gone: end */
        MESSAGE_SYNC,  /* value: number of the question; answered once all signals are reported */
        /* keeper -> supervisor */
        MESSAGE_SYNCED, /* value: that number */
        MESSAGE_SIGNAL, /* value: signal, detail: sender pid, step: si_code */
        /* supervisor -> worker */
        MESSAGE_GO, /* limits verified, record stored: execute the program */
        /* worker -> supervisor */
        MESSAGE_SCRATCH,  /* carries the directory of the scratch, O_PATH */
        MESSAGE_LISTENER, /* carries the seccomp listener; none: the tracer's filter is in force */
        MESSAGE_WORKER_ERROR, /* step: index into the step table, value: errno, detail: see step */
        _MESSAGE_MAX,
} MessageKind;

typedef struct Message {
        uint32_t kind; /* MessageKind */
        int32_t step;
        int32_t value;
        int32_t detail;
} Message;

/* Sends @message over @fd with the descriptor @pass_fd attached (-EBADF: none; not consumed).
 * Returns 0 or a negative errno, -EPIPE if the peer is gone. Never raises SIGPIPE. Safe after fork.
 */
int message_send(int fd, const Message *message, int pass_fd);

/* Receives one message into *@ret. A descriptor that came with it is put into *@ret_fd
 * (close-on-exec, owned by the caller; -EBADF if none). @flags: MSG_DONTWAIT or 0.
 * Returns 1; 0 at end of file; -EAGAIN; -EPROTO for a malformed message; a negative errno.
 * Safe after fork. */
int message_recv(int fd, Message *ret, int *ret_fd, int flags);
