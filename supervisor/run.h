/* SPDX-License-Identifier: MIT */
/* One run: everything that is known about it while it goes on. Owned by run.c; the other files of
 * this directory get it to read, or fill the part that is theirs. */
#pragma once

#include <signal.h>

#include "policy/digest.h"
#include "policy/facts.h"
#include "policy/policy.h"
#include "policy/shipped.h"
#include "supervisor/cli.h"
#include "supervisor/hash-key.h"
#include "supervisor/identity.h"
#include "supervisor/outcome.h"
#include "supervisor/process-mark.h"
#include "supervisor/program.h"
#include "supervisor/python.h"
#include "supervisor/scope.h"
#include "supervisor/worker/plan.h"

/* How far up from the scope it is told whose TasksMax or MemoryMax it was. */
#define SLICES_MAX 16

typedef struct SliceCounts {
        uint64_t n_tasks_refused; /* by its TasksMax */
        uint64_t n_ooms;          /* that its MemoryMax caused */
} SliceCounts;

#define RUN_ID_SIZE 33 /* 32 hex digits and the NUL */

typedef struct Signals {
        sigset_t mask;    /* as confine received it */
        sigset_t ignored; /* signals that were ignored then */
        int fd;           /* signalfd */
} Signals;

/* How the kernel tells what Landlock denied to the run; landlock-audit.c. */
typedef struct DomainWatch {
        int fd;      /* the kernel's audit socket; -EBADF: it does not tell */
        pid_t pid;   /* of the worker; it is reaped before this ends */
        uint64_t id; /* of its Landlock domain; 0: not seen yet */
} DomainWatch;

typedef struct OwnFilters OwnFilters; /* filters.c */

typedef struct Run {
        const Invocation *invocation;
        const Policy *policy;
        Facts facts;
        char *cwd; /* owned; facts.cwd is it */
        char id[RUN_ID_SIZE];
        char unit[64]; /* confine-<id>.scope */
        Identity identity;
        Python python;
        Program program;
        bool have_terminal;
        Signals signals;

        OwnFilters *own_filters;   /* NULL: the shipped ones; owned, filters.c */
        const FilterPair *filters; /* not owned */
        OpenedGrant *opened;       /* what is granted; owned, grants.c */
        size_t n_opened;
        int ruleset_fd; /* Landlock, without rules */
        View view;
        Secrets secrets;   /* from their reading to the fork of the worker; owned, secrets.c */
        bool shows_secret; /* the command or a label does, so it is refused, and recorded without */

        pid_t keeper_pid;
        int keeper_pidfd;
        int keeper_fd; /* socket */
        pid_t worker_pid;
        int worker_pidfd;
        int report_fd;   /* socket; end of file: the program is executed */
        int listener_fd; /* seccomp notifications */
        int scratch_fd;  /* the scratch, O_PATH: what is in it stays charged to the leaf with it */
        int turn_fd;     /* holds one of the machine's unfinished starts */
        Scope *scope;    /* connection to the manager until the scope is up; owned */
        int scope_error; /* why there is none, a negative errno */
        char *cgroup;    /* path of the scope below the cgroup mount, for messages */
        int scope_fd;
        int leaf_fd;
        int events_fd;  /* POLLPRI: the leaf has become empty; moved.c */
        char *moved_to; /* the cgroup that somebody put the program into; owned, NULL: none did */
        int audit_fd;
        int result_fd;
        DomainWatch domain;
        SliceCounts slices[SLICES_MAX]; /* what each above the scope had when it began */
        size_t n_slices;
        bool start_recorded;
        bool journal_stuck; /* it did not take the start record: not waited for again */
        int start_error;    /* why it could not be sent; 0: none */
        bool traced;        /* until its execve: there is no listener */
        bool worker_ended;  /* or orphaned */
        bool keeper_gone;   /* it ended before it was told to */
        bool told_to_end;   /* by a signal to confine */
        bool unit_stopped; /* it got a SIGTERM that was not for the group: systemd stops the unit */

        ProcessMark supervisor_mark;
        ProcessMark worker_mark;
        int tasks_fd;              /* POLLPRI: TasksMax refused something; moment.c */
        unsigned moments_told;     /* a bit for each Moment, moment.c */
        const char *limit_reached; /* that RECORD_LIMIT tells, static; moment.c */
        HashKey hash_key;
        char command_sha256[DIGEST_HEX_SIZE]; /* "": not made yet, or there is no key */
        char policy_sha256[DIGEST_HEX_SIZE];  /* "": not made yet */
        char code_sha256[DIGEST_HEX_SIZE];    /* "": not made yet, or there is none; code-hash.c */
        uint64_t start_deadline_usec;
        uint64_t requested_usec; /* before it the scope was not, and systemd's deadline did not run
                                  */
        uint64_t started_usec;
        Outcome outcome;
} Run;

/* Makes @ret a run of @invocation of which nothing is done yet, with what is known of the machine.
 */
void run_init(const Invocation *invocation, Run *ret);

/* Frees what @run holds; the struct itself is the caller's. */
void run_done(Run *run);

/* How many tasks @run may have, the keeper not counted: what was asked for, or less by a drop-in.
 */
uint64_t run_tasks_max(const Run *run);

/* The verb run: carries @invocation out. Returns the exit status; *@ret_signal is the signal to die
 * of instead, 0 = none. Prints its own messages. */
int run(const Invocation *invocation, const Signals *signals, int *ret_signal);

/* A run whose command line was refused with the messages in @diag: prints them, writes the file of
 * --result if there is one. Returns @status. */
int run_refused(const Invocation *invocation, const Diag *diag, int status);
