/* SPDX-License-Identifier: MIT */
/* The runs of this machine, as their cgroups tell of them. What they tell is the word of whoever
 * owns the cgroup: it is shown, and acted on no further than its owner could. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/digest.h"
#include "supervisor/cgroup.h"
#include "supervisor/process-mark.h"
#include "supervisor/run.h"

typedef enum SandboxState {
        SANDBOX_STARTING, /* its supervisor has not written yet who it is */
        SANDBOX_RUNNING,
        SANDBOX_ENDING,   /* the program is gone, its supervisor is at the end of the run */
        SANDBOX_ORPHANED, /* its supervisor is gone */
        _SANDBOX_STATE_MAX,
} SandboxState;

typedef struct Sandbox {
        char id[RUN_ID_SIZE];
        bool system;  /* of the system manager; else of the user manager of */
        uid_t owner;  /* the owner of the cgroup */
        char *cgroup; /* path of the scope below the cgroup mount; owned */
        SandboxState state;
        ProcessMark supervisor;
        ProcessMark main;
        uint64_t started_usec; /* on CLOCK_MONOTONIC; COUNTER_UNKNOWN here and below: not told */
        uint64_t deadline_usec;
        uint64_t uid;                         /* of the program */
        char command_sha256[DIGEST_HEX_SIZE]; /* "": not told */
        char policy_sha256[DIGEST_HEX_SIZE];
        char **labels; /* KEY=VALUE, sorted, valid; owned */
        CgroupUsage usage;
        bool chosen; /* for the verb to act on */
        bool untold; /* no line is printed about it */
} Sandbox;

typedef struct Sandboxes {
        Sandbox *items; /* the oldest first; owned, as is what they hold */
        size_t n;
} Sandboxes;

/* Which managers' runs are looked for. */
typedef enum SandboxRealm {
        REALM_OWN,    /* for root those of all managers, for others those of their own */
        REALM_SYSTEM, /* those of the system manager */
        REALM_USER,   /* those of the caller's own user manager */
} SandboxRealm;

/* Finds the runs of @realm that have all of the @labels, KEY=VALUE (NULL: none is asked for).
 * Returns 0 and *ret, to be freed with sandboxes_done(), or a negative errno. */
int sandboxes_find(SandboxRealm realm, char *const *labels, Sandboxes *ret);

/* Frees what @sandboxes holds; the struct itself is the caller's. Accepts a zeroed one. */
void sandboxes_done(Sandboxes *sandboxes);

/* Opens the scope of @sandbox. Returns the descriptor, owned by the caller, or a negative errno;
 * -ENOENT: it is gone. Its name is never used again. */
int sandbox_open(const Sandbox *sandbox);

/* Reads into @ret, whose id, cgroup and system are set, what the scope behind @fd tells.
 * Returns 0 or a negative errno. */
int sandbox_read(int fd, Sandbox *ret);

/* The name of @state. Static. */
const char *sandbox_state_name(SandboxState state);
