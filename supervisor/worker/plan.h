/* SPDX-License-Identifier: MIT */
/* Everything the keeper and the worker need, prepared before they exist: they allocate nothing,
 * look nothing up and read no configuration. Built by spawn.c; read-only afterwards. */
#pragma once

#include <linux/filter.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "policy/policy.h"

/* One rule for Landlock. A grant may have none (missing and optional), or many. */
typedef struct OpenedGrant {
        int fd;       /* O_PATH */
        int grant;    /* index in policy->grants */
        bool is_part; /* of what the grant names: it may be useless for the ids of the run */
} OpenedGrant;

/* Foreign code is the first to go when memory ends, on the host as in its own leaf, where a keeper
 * that shares the limit must survive to be read. */
#define OOM_SCORE_FILE   "/proc/self/oom_score_adj"
#define OOM_SCORE_ADJUST 500
#define OOM_SCORE_MAX    1000

#define CORE_FILTER_FILE "/proc/self/coredump_filter"

/* A write grant in the private view: a mount of its own, so that it stays writable. */
typedef struct ViewMount {
        char *path; /* what the grant leads to: absolute, without links */
        dev_t device;
        ino_t inode;            /* of that when it was checked */
        int grant;              /* index in policy->grants */
        int target_fd, tree_fd; /* the worker's, while it makes the view */
} ViewMount;

/* The mount namespace of the run: everything read-only but the write grants. */
typedef struct View {
        bool made;           /* false: there is none, and all below means nothing */
        bool user_namespace; /* the worker is born into one, for want of root's privileges */
        const char *proc;    /* where a /proc without the host's processes goes; NULL: nowhere */
        /* Where the private tmpfs is, also twice; NULL: nowhere. Static. */
        const char *scratch[2];
        char scratch_options[128];
        const char *credentials; /* where the secrets go; NULL: there are none. Static. */
        const char *directory;   /* where the program starts: absolute, not owned; NULL: unknown */
        ViewMount *mounts;
        size_t n_mounts;
        unsigned taken; /* the supervisor's, while it decides */
} View;

typedef struct DeliveredSecret {
        char *name;
        char *text;  /* NAME=VALUE, in the memory of Secrets */
        char *value; /* in there */
        size_t size_bytes;
        bool as_variable;
} DeliveredSecret;

/* What is to be delivered. The supervisor's is wiped as soon as the worker is forked. */
typedef struct Secrets {
        char *memory; /* locked, in no core file; NULL: there are none */
        size_t memory_bytes;
        DeliveredSecret *items;
        size_t n_items;
        char **envp; /* of the program, with those that are variables; its texts are not owned */
} Secrets;

typedef struct Plan {
        const Policy *policy; /* not owned, like all below */

        /* Identity. Root only: a user's run keeps its ids. */
        bool switch_ids;
        uid_t uid;
        gid_t gid;
        const gid_t *groups;
        size_t n_groups;

        /* Program */
        const char *path; /* absolute, what execve gets */
        char *const *argv;
        char *const *envp;
        bool have_terminal; /* one of 0-2 is a terminal: /dev/tty is granted */

        /* Files */
        const OpenedGrant *opened;
        size_t n_opened;
        int landlock_abi;
        int ruleset_fd;     /* without rules */
        bool denial_logged; /* the kernel's audit log gets the one of step_landlock_check() */
        View view;
        Secrets secrets;

        /* Seccomp: @outer with a listener; @outer_trace where a filter above has one already
         * (EBUSY) and the policy allows best-effort. NULL: it does not. */
        const struct sock_fprog *outer;
        const struct sock_fprog *outer_trace;
        const struct sock_fprog *inner;
        bool must_bind; /* the inner one has the placeholder for the own pid */

        /* Signals as confine received them */
        sigset_t mask;
        sigset_t ignored; /* signals that were ignored */

        /* Sockets: the keeper's end towards the supervisor, the worker's report socket */
        int keeper_fd;
        int report_fd;
        /* What the children must not hold open, -EBADF for none: the supervisor's ends of both
         * sockets, the connection to the bus, the turn among the starts */
        int not_for_children[4];

        /* For the keeper, which is forked second */
        int worker_pidfd;
        int supervisor_pidfd; /* to wake it when it is stopped and the run has ended */

        /* The keeper's own deadline, counted from MESSAGE_START */
        uint64_t term_after_usec;
        uint64_t kill_after_usec;
} Plan;
