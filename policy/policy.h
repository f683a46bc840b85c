/* SPDX-License-Identifier: MIT */
/* The resolved, immutable Policy of one run: what is allowed, nothing about how it is carried out.
 * Made by resolve.c, read by everybody, changed by nobody. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum GrantAccess {
        GRANT_READ = 1 << 0,
        GRANT_WRITE = 1 << 1, /* read, write, create, remove, rename and link within the grant */
        GRANT_EXEC = 1 << 2,  /* read and execute */
} GrantAccess;

typedef struct Grant {
        char *path;         /* absolute, owned by the Policy */
        const char *key;    /* "AllowRead", ...: for messages; static */
        GrantAccess access; /* one bit */
        bool optional;      /* a missing path is no error */
        bool implicit;      /* nobody wrote it: the path is canonical, and must lead to itself */
        bool from_project;  /* a project's own file asks for it: the path must lead to itself */
} Grant;

typedef enum BaseSet {
        BASE_NONE,
        BASE_SYSTEM,
        BASE_PYTHON, /* the interpreter's own files are among the grants */
        _BASE_MAX,
        _BASE_INVALID = -22,
} BaseSet;

typedef enum Enforcement {
        ENFORCEMENT_STRICT,
        ENFORCEMENT_BEST_EFFORT,
        _ENFORCEMENT_MAX,
        _ENFORCEMENT_INVALID = -22,
} Enforcement;

typedef enum AuditMode {
        AUDIT_REQUIRED,
        AUDIT_BEST_EFFORT,
        _AUDIT_MAX,
        _AUDIT_INVALID = -22,
} AuditMode;

typedef enum AuditArguments {
        AUDIT_ARGUMENTS_HASH,
        AUDIT_ARGUMENTS_FULL,
        _AUDIT_ARGUMENTS_MAX,
        _AUDIT_ARGUMENTS_INVALID = -22,
} AuditArguments;

/* Of isolation, in the order of what each resists. Unset is LIMIT_UNSET as a number. */
typedef enum Tier {
        TIER_UNKNOWN = -1, /* satisfies nothing */
        TIER_PROCESS,
        TIER_CONTAINER,
        TIER_GVISOR,
        TIER_MICROVM,
        _TIER_MAX,
} Tier;

/* TCP ports, ascending, each once. */
typedef struct Ports {
        uint16_t *ports; /* owned */
        size_t n_ports;
} Ports;

/* Numbers that are uids and gids, @last included. */
typedef struct UidRange {
        uint32_t first, last;
} UidRange;

#define LIMIT_UNSET UINT64_MAX

typedef struct Policy {
        /* Files */
        Grant *grants; /* what AllowRead, AllowWrite and AllowExec ask for; the base set is not in
                          it */
        size_t n_grants;
        BaseSet base;
        bool private_tmp;
        uint64_t disk_max_bytes; /* of the scratch; LIMIT_UNSET without private_tmp */
        uint64_t limit_fsize_bytes;
        /* Limits. Never unlimited: resolve.c refuses that. */
        uint64_t memory_max_bytes;
        uint64_t memory_swap_max_bytes;
        uint64_t cpu_quota_usec_per_sec; /* 100% = 1000000 */
        uint64_t cpu_weight;             /* 1 to 10000; LIMIT_UNSET: that of systemd, 100 */
        uint64_t tasks_max;
        uint64_t runtime_max_usec;
        uint64_t timeout_stop_usec;
        uint64_t start_timeout_usec;
        uint64_t limit_nofile;
        uint64_t limit_core_bytes;
        uint64_t limit_stack_bytes; /* LIMIT_UNSET: as inherited */
        uint64_t io_weight;         /* as cpu_weight */
        /* NULL-terminated vectors, never NULL themselves; see bandwidth.h */
        char **io_read_bandwidth_max; /* PATH SIZE */
        char **io_write_bandwidth_max;
        char *slice; /* that the run is in, with ".slice"; NULL only before it is resolved */
        /* Network */
        bool network;            /* TCP and UDP over IPv4 and IPv6 */
        Ports tcp_connect_ports; /* if there are any: nothing but connections to these */
        /* Process */
        bool subprocess;
        char *interpreter;     /* a name to be found in PATH, or absolute */
        char *seccomp_profile; /* absolute; NULL: the shipped one */
        Enforcement enforcement;
        /* Environment: NULL-terminated vectors, never NULL themselves */
        char **environment;      /* NAME=VALUE */
        char **pass_environment; /* NAME, taken from the caller if set there */
        /* Credentials: NULL-terminated vectors, never NULL themselves; see secret.h */
        char **secrets;          /* NAME[:env][=SOURCE] */
        char **load_credentials; /* ID[:PATH] */
        /* Identity: what is text is NULL when not given */
        char *user;
        char *group;
        UidRange uids;           /* where runs of root get theirs */
        char *working_directory; /* absolute */
        /* Labels: KEY=VALUE, like the vectors above */
        char **labels;
        /* Audit */
        AuditMode audit;
        AuditArguments audit_arguments;
        /* Isolation */
        Tier require_isolation; /* TIER_UNKNOWN: nobody requires any */
} Policy;

/* Frees @policy and all it owns. Accepts NULL. Returns NULL. */
Policy *policy_free(Policy *policy);

/* Makes a Policy of nothing but empty vectors. Returns it, the caller's; NULL: no memory. */
Policy *policy_new(void);

/* Gives every vector but that of the grants its canonical order. */
void policy_sort(Policy *policy);

/* For cleanup attributes. */
void policy_freep(Policy **policy);
