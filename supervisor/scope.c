/* SPDX-License-Identifier: MIT */
/* The transient scope, over sd-bus.
 *
 * Everything is queued at once: authentication, Hello, the match for JobRemoved, the call. The bus
 * keeps the order, so the match is in place before PID 1 sees the call, and no round trip is waited
 * for but the last. */
#include "supervisor/scope.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <systemd/sd-bus.h>

#include "doctor/bus.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/scope-check.h"
#include "supervisor/scope-properties.h"

#define DESTINATION BUS_MANAGER
#define OBJECT      "/org/freedesktop/systemd1"
#define MANAGER     "org.freedesktop.systemd1.Manager"

struct Scope {
        sd_bus *bus;
        sd_bus_slot *filter;
        sd_bus_slot *owner_call;
        char *owner; /* unique name of the manager, before anything of it can arrive */
        sd_bus_slot *match;
        sd_bus_slot *call;
        ScopeRequest request;
        char *unit;
        size_t variant;
        char *job;    /* object path, once the call was answered */
        char *result; /* of the job, once it is done */
        char *removed_job;
        ScopeCheck check;
        char *error;
        int failed; /* negative errno */
};

static void set_error(Scope *s, int error, const char *text) {
        free(s->error);
        s->error = strdup(text);
        s->failed = error;
}

const char *scope_error(const Scope *scope) {
        return scope->error ? scope->error : "no reason given";
}

Scope *scope_close(Scope *s) {
        if (!s)
                return NULL;
        (void)sd_bus_slot_unref(s->call);
        (void)sd_bus_slot_unref(s->match);
        (void)sd_bus_slot_unref(s->filter);
        (void)sd_bus_slot_unref(s->owner_call);
        free(s->owner);
        scope_check_done(&s->check);
        (void)sd_bus_close_unref(s->bus);
        free(s->unit);
        free(s->job);
        free(s->result);
        free(s->removed_job);
        free(s->error);
        free(s);
        return NULL;
}

void scope_closep(Scope **scope) {
        *scope = scope_close(*scope);
}

int scope_open(bool system, Scope **ret) {
        _cleanup_(scope_closep) Scope *s = calloc(1, sizeof(Scope));
        int r;

        if (!s)
                return -ENOMEM;
        r = bus_open(system, &s->bus);
        if (r == -ENOENT || r == -ECONNREFUSED)
                return -ENOMEDIUM;
        if (r < 0)
                return r;
        *ret = TAKE_PTR(s);
        return 0;
}

void scope_pump(Scope *s) {
        while (sd_bus_process(s->bus, NULL) > 0)
                ;
}

int scope_fd(const Scope *s) {
        return sd_bus_get_fd(s->bus);
}

/* JobRemoved may overtake the answer of the call in which the job's path comes. */
static void settle(Scope *s) {
        if (!s->job || !s->removed_job || !s->result || strcmp(s->job, s->removed_job) != 0)
                return;
        if (strcmp(s->result, "done") != 0)
                set_error(s, -EPROTO, s->result);
}

/* A filter, not a slot of its own for the match: sd-bus looks at arg2 itself only if the arguments
 * before it are strings, and the first one of JobRemoved is a number. */
static int on_message(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        Scope *s = userdata;
        const char *job, *unit, *result, *sender;
        uint32_t id;
        int r;

        if (!sd_bus_message_is_signal(m, MANAGER, "JobRemoved"))
                return 0;
        /* Anybody may send anybody a signal: the match rule holds for broadcasts only. */
        sender = sd_bus_message_get_sender(m);
        if (!sender || !s->owner || strcmp(sender, s->owner) != 0)
                return 0;
        r = sd_bus_message_read(m, "uoss", &id, &job, &unit, &result);
        if (r < 0 || strcmp(unit, s->unit) != 0)
                return 0;
        free(s->removed_job);
        free(s->result);
        s->removed_job = strdup(job);
        s->result = strdup(result);
        if (!s->removed_job || !s->result)
                set_error(s, -ENOMEM, "out of memory");
        settle(s);
        return 0;
}

static void set_owner(Scope *s, const char *owner) {
        if (!owner || s->owner)
                return;
        s->owner = strdup(owner);
        if (!s->owner)
                set_error(s, -ENOMEM, "out of memory");
}

/* The bus answers before it hands our call to the manager, so before any signal about our job. A
 * user's manager that the call itself has to wake owns no name yet: then its reply names it, which
 * comes before its signals too, and which nobody else can send. */
static int on_owner(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        const char *owner;

        if (!sd_bus_message_get_error(m) && sd_bus_message_read(m, "s", &owner) >= 0)
                set_owner(userdata, owner);
        return 0;
}

static int on_match_reply(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        const sd_bus_error *e = sd_bus_message_get_error(m);

        if (e)
                set_error(userdata,
                          sd_bus_error_has_name(e, SD_BUS_ERROR_LIMITS_EXCEEDED) ? -EAGAIN
                                                                                 : -EPROTO,
                          e->message ? e->message : e->name);
        return 0;
}

/* Not right behind the call: PID 1 answers before it starts the job. Now it is at that. */
static void ask_check(Scope *s) {
        int r;

        s->check = (ScopeCheck){ .bus = s->bus, .request = &s->request, .unit = s->unit };
        r = scope_check_ask(&s->check);
        if (r < 0)
                set_error(s, r, "cannot ask for the drop-ins of the unit");
}

static int send_call(Scope *s);

static int on_reply(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        Scope *s = userdata;
        const sd_bus_error *e = sd_bus_message_get_error(m);
        const char *job;
        int r;

        if (!e) {
                r = sd_bus_message_read(m, "o", &job);
                if (r < 0) {
                        set_error(s, r, "malformed answer to StartTransientUnit");
                        return 0;
                }
                set_owner(s, sd_bus_message_get_sender(m));
                s->job = strdup(job);
                if (!s->job)
                        set_error(s, -ENOMEM, "out of memory");
                settle(s);
                ask_check(s);
                return 0;
        }
        if ((sd_bus_error_has_name(e, SD_BUS_ERROR_PROPERTY_READ_ONLY) ||
             sd_bus_error_has_name(e, SD_BUS_ERROR_UNKNOWN_PROPERTY)) &&
            s->variant + 1 < SCOPE_VARIANTS) {
                s->variant++;
                r = send_call(s);
                if (r < 0)
                        set_error(s, r, "cannot send StartTransientUnit");
                return 0;
        }
        /* No name is used twice: that unit is the run's own, by a call whose answer was lost. */
        if (sd_bus_error_has_name(e, SD_BUS_ERROR_LIMITS_EXCEEDED) || scope_is_lost(e) ||
            sd_bus_error_has_name(e, "org.freedesktop.systemd1.UnitExists"))
                set_error(s, -EAGAIN, e->message ? e->message : e->name);
        else
                set_error(s, -EPROTO, e->message ? e->message : e->name);
        return 0;
}

static int send_call(Scope *s) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;
        int r;

        r = sd_bus_message_new_method_call(s->bus, &m, DESTINATION, OBJECT, MANAGER,
                                           "StartTransientUnit");
        if (r < 0)
                return r;
        r = sd_bus_message_append(m, "ss", s->unit, "fail");
        if (r < 0)
                return r;
        r = sd_bus_message_open_container(m, 'a', "(sv)");
        if (r < 0)
                return r;
        r = scope_append_properties(m, &s->request, s->variant);
        if (r < 0)
                return r;
        r = sd_bus_message_close_container(m);
        if (r < 0)
                return r;
        r = sd_bus_message_append(m, "a(sa(sv))", 0);
        if (r < 0)
                return r;
        s->call = sd_bus_slot_unref(s->call);
        /* The deadline is ours, in scope_wait(). */
        return sd_bus_call_async(s->bus, &s->call, m, on_reply, s, UINT64_MAX);
}

/* Not before the bus has answered the greeting: sd-bus waits for that, for ever, when a message
 * carries descriptors. */
static int send_when_ready(Scope *s) {
        int r;

        if (s->call || s->check.bus)
                return 0;
        r = sd_bus_is_ready(s->bus);
        if (r <= 0)
                return r;
        if (!s->request.made)
                return send_call(s);
        ask_check(s);
        return 0;
}

int scope_request(Scope *s, const ScopeRequest *request) {
        _cleanup_free_ char *rule = NULL;
        int r;

        s->request = *request;
        s->unit = strdup(request->unit);
        /* arg2: else every launcher of the host is woken by every job of the host. */
        if (!s->unit || asprintf(&rule,
                                 "type='signal',sender='" DESTINATION "',path='" OBJECT
                                 "',interface='" MANAGER "',member='JobRemoved',arg2='%s'",
                                 s->unit) < 0) {
                rule = NULL;
                return -ENOMEM;
        }
        r = sd_bus_add_filter(s->bus, &s->filter, on_message, s);
        if (r < 0)
                return r;
        r = sd_bus_call_method_async(s->bus, &s->match, "org.freedesktop.DBus",
                                     "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch",
                                     on_match_reply, s, "s", rule);
        if (r < 0)
                return r;
        r = sd_bus_call_method_async(s->bus, &s->owner_call, "org.freedesktop.DBus",
                                     "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     "GetNameOwner", on_owner, s, "s", DESTINATION);
        if (r < 0)
                return r;
        return send_when_ready(s);
}

static bool job_done(const Scope *s) {
        return s->request.made || (s->job && s->removed_job && strcmp(s->job, s->removed_job) == 0);
}

static int wait_for_io(Scope *s, int interrupt_fd, uint64_t deadline_usec) {
        struct pollfd fds[] = {
                { .fd = sd_bus_get_fd(s->bus), .events = 0 },
                { .fd = interrupt_fd, .events = POLLIN },
        };
        int r;

        if (clock_now_usec() >= deadline_usec)
                return -ETIMEDOUT;
        r = sd_bus_get_events(s->bus);
        if (r < 0)
                return r;
        fds[0].events = (short)r;
        r = poll(fds, ARRAY_SIZE(fds), clock_poll_timeout(deadline_usec));
        if (r < 0 && errno != EINTR)
                return -errno;
        return r > 0 && fds[1].revents ? -EINTR : 0;
}

static bool check_done(const Scope *s) {
        return s->check.done;
}

/* Drives the connection until @done. */
static int drive(Scope *s, bool (*done)(const Scope *s), int interrupt_fd, uint64_t deadline_usec) {
        for (;;) {
                int r;

                r = sd_bus_process(s->bus, NULL);
                if (s->failed < 0)
                        return s->failed;
                if (r < 0) {
                        set_error(s, r, "the connection to the bus was lost");
                        /* dbus-daemon drops a client over its limits before it can say so. */
                        return r == -ECONNRESET || r == -ENOTCONN || r == -EPIPE ? -EAGAIN : r;
                }
                if (done(s))
                        return 0;
                if (r > 0)
                        continue;
                r = send_when_ready(s);
                if (r < 0)
                        return r;
                r = wait_for_io(s, interrupt_fd, deadline_usec);
                if (r < 0)
                        return r;
        }
}

int scope_wait(Scope *s, int interrupt_fd, uint64_t deadline_usec) {
        return drive(s, job_done, interrupt_fd, deadline_usec);
}

int scope_check(Scope *s, int interrupt_fd, uint64_t deadline_usec) {
        int r;

        r = drive(s, check_done, interrupt_fd, deadline_usec);
        if (r < 0 || s->check.error == 0)
                return r;
        set_error(s, s->check.error,
                  s->check.finding ? s->check.finding : "a drop-in loosens the unit");
        return s->check.error;
}

void scope_stop(Scope *s) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;

        /* A bus that never answered has not heard of the unit. */
        if (sd_bus_is_ready(s->bus) <= 0)
                return;
        if (sd_bus_message_new_method_call(s->bus, &m, DESTINATION, OBJECT, MANAGER, "StopUnit") <
                    0 ||
            sd_bus_message_append(m, "ss", s->unit, "replace") < 0 ||
            sd_bus_message_set_expect_reply(m, 0) < 0)
                return;
        /* Written at once where the socket has room; not flushed, which could wait for ever. */
        (void)sd_bus_send(s->bus, m, NULL);
}
