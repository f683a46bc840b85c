/* SPDX-License-Identifier: MIT */
/* The transient scope, over sd-bus: the only bus client. The connection lives from scope_open() to
 * scope_close(), which comes before the program runs: connections are few on a busy host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/policy.h"

typedef struct Scope Scope;

typedef struct ScopeRequest {
        const char *unit; /* confine-<id>.scope; copied */
        pid_t pids[2];    /* keeper and worker: unreaped children of the caller, so the numbers are
                             safe */
        int pidfds[2];    /* of the same */
        const Policy *policy;
        bool made; /* by a request whose answer was lost: only what drop-ins did to it is asked for
                    */
} ScopeRequest;

#define SCOPE_PROPERTIES_MAX 16

/* A property of the unit, but for its processes. */
typedef struct ScopeProperty {
        const char *name;      /* as on the bus */
        const char *signature; /* "t", "s", "as" or "a(st)", and so one of: */
        uint64_t number;
        const char *text;
        const char *words[3];
        char *const *bandwidths; /* see policy/bandwidth.h */
} ScopeProperty;

/* Writes what the unit is described by, @unit and the labels of @policy, to *ret, which is the
 * caller's. Returns 0 or -ENOMEM. */
int scope_describe(const char *unit, const Policy *policy, char **ret);

/* Fills @ret with what a scope for @policy is asked for. Returns how many there are. The texts are
 * static, but for @description. */
size_t scope_properties(const Policy *policy, const char *description,
                        ScopeProperty ret[static SCOPE_PROPERTIES_MAX]);

/* The deadline that systemd is to hold, later than our own. */
uint64_t scope_runtime_max_usec(const Policy *policy);

/* Starts to connect to the manager: PID 1, or the caller's own user manager.
 * Returns 0 and *ret (free with scope_close()); -ENOMEDIUM if there is no such bus; a negative
 * errno. Does not block. Source: sd_bus_open_system(3); systemd's man page
 * org.freedesktop.systemd1. */
int scope_open(bool system, Scope **ret);

/* Lets the connection make what progress it can without waiting. Failures show in scope_wait(). */
void scope_pump(Scope *scope);

/* The descriptor of the connection, for a forked child to close. Not owned by the caller. */
int scope_fd(const Scope *scope);

/* Queues StartTransientUnit for @request, or what is asked for if the unit is made. Returns 0 or a
 * negative errno. Does not block. */
int scope_request(Scope *scope, const ScopeRequest *request);

/* Drives the connection until the start job is done.
 * @interrupt_fd: when it becomes readable, -EINTR is returned; call again to go on.
 * Returns 0; -EINTR; -ETIMEDOUT at @deadline_usec; -EAGAIN if the bus is at one of its limits, or
 * it or the manager went away (close, wait, see whether the unit is made, and try again); another
 * negative errno with scope_error() telling what systemd said.
 */
int scope_wait(Scope *scope, int interrupt_fd, uint64_t deadline_usec);

/* Waits, after scope_wait() and like it, until the manager has told whether a drop-in loosens what
 * makes systemd hold the deadline. Returns like it; -EPERM if one does, and scope_error() says
 * which. */
int scope_check(Scope *scope, int interrupt_fd, uint64_t deadline_usec);

/* Asks the manager to stop the unit of a start that was given up: one that took in processes which
 * were dying would stay, empty, until its deadline. Does not wait for it. */
void scope_stop(Scope *scope);

/* What the bus or systemd said last, one line, never NULL. Valid until scope_close(). */
const char *scope_error(const Scope *scope);

typedef enum ScopeEnd {
        SCOPE_END_UNKNOWN,
        SCOPE_END_RUNNING, /* nobody stopped it */
        SCOPE_END_STOPPED, /* stopped by an admin (systemctl stop) */
        SCOPE_END_TIMEOUT, /* RuntimeMaxSec of the unit */
} ScopeEnd;

/* Asks the manager how @unit ended or is ending, on a connection of its own, within
 * @timeout_usec. For the rare end that was not ours. Blocks. */
ScopeEnd scope_query_end(bool system, const char *unit, uint64_t timeout_usec);

/* Asks the manager what state @unit is in, like scope_query_end(). Returns 0 and *ret, such as
 * "active (running)", which is the caller's; a negative errno. */
int scope_query_state(bool system, const char *unit, uint64_t timeout_usec, char **ret);

/* Has the manager stop @unit, and waits until it has taken that on. Like scope_query_end().
 * Returns 1; 0 if it knows no such unit; a negative errno. */
int scope_stop_unit(bool system, const char *unit, uint64_t timeout_usec);

/* Closes the connection and frees @scope. Accepts NULL. Returns NULL. */
Scope *scope_close(Scope *scope);
void scope_closep(Scope **scope);
