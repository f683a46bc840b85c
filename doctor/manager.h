/* SPDX-License-Identifier: MIT */
/* A service manager: whether it answers, what it has, and whether it makes a scope. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What a manager was found to be. */
typedef struct Manager {
        bool looked;           /* false: nobody asked */
        bool connected;        /* it answered */
        char version[64];      /* of systemd, if so */
        char reason[128];      /* why not, if not */
        char controllers[128]; /* of cgroup v2 that it has, each with a space on both sides */
        bool told;             /* they are what PID 1 says that managers of users get */
        char below[128];       /* of PID 1: those that managers of users get; "": unknown */
        bool tried;            /* a scope was asked for */
        bool started;          /* it came to be */
        char start_reason[128];
        char loose[96];      /* limits that the scope had not got, by name; "": none */
        bool swap_limited;   /* the one on swap was read back */
        bool no_oom_policy;  /* of scopes: it had to be left out */
        char drop_ins[512];  /* files that systemd read for the scope beside what was asked for */
        uint64_t start_usec; /* what it took from the call to the job's end */
        uint64_t again_usec; /* the same for another one at once after that; 0: there was none */
} Manager;

/* Looks at PID 1 or the caller's own manager. With @try_scope a scope with limits is made around a
 * process of its own, its limits are read back, and the process is ended, the scope with it; then
 * once more, since only the first start is one after a pause. What does not answer is given three
 * seconds, the start of a scope five. Never logs. */
void manager_look(bool system, bool try_scope, Manager *ret);

/* Says in @ret what @system, which is PID 1, gives the managers of users, without asking one. */
void manager_look_below(const Manager *system, Manager *ret);

/* Whether @manager has the controller @name of cgroup v2; "" is none, which each one has. */
bool manager_has_controller(const Manager *manager, const char *name);
