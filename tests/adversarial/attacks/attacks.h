/* SPDX-License-Identifier: MIT */
/* The table of attacks: what one is, what it may use, and what it returns. Nothing of confine is in
 * it: the same sources are built static against two C libraries, as a shared library for Python,
 * and into tests/native. The working directory is the scene's, and holds
 *     scene/   without a grant     read/   --allow-read     write/   --allow-write */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HIGH     (UINT64_C(1) << 32) /* the kernel mostly looks at the lower half alone */
#define UNUSED   __attribute__((unused))
#define SECRET   "the neighbour's secret"

/* What an attack is about: things of a neighbour, a process of the same uid outside of the sandbox,
 * and of the run itself. */
typedef struct Scene {
        pid_t neighbour;
        uint64_t secret_address; /* of SECRET in the neighbour's memory */
        int32_t secret_fd;       /* the neighbour's descriptor of scene/secret */
        int32_t shm_id, msg_id, sem_id;
        int32_t key;           /* in the user's keyring */
        uint16_t tcp_port;     /* 127.0.0.1 */
        char name[32];         /* of its abstract socket, its POSIX objects and its key */
        unsigned handle_bytes; /* of scene/secret, for open_by_handle_at; 0: none */
        int32_t handle_type;
        unsigned char handle[128];

        pid_t supervisor, keeper;           /* of this run; in a control run, of another one */
        char cgroup[256];                   /* of its scope */
        int channel;                        /* the confederate's socket */
        const volatile uint32_t *n_signals; /* SIGURG that the neighbour got */
} Scene;

/* Returns 0 if the attack worked, else the errno it met. */
typedef int (*Attempt)(const Scene *scene, const char *argument);

enum {
        ANY = -1,    /* plain: whatever the host says, unless it is what the sandbox says */
        FATAL = 300, /* confined: SIGSYS */
};

enum {
        ROOT = 1 << 0,      /* needs privileges: only as root with --uid=root */
        OWN = 1 << 1,       /* on the run itself: only where its caller has the same uid */
        USER = 1 << 2,      /* on the own manager of a user */
        PROCESSES = 1 << 3, /* only with --allow-run */
        ALONE = 1 << 4,     /* only without */
        TERMINAL = 1 << 5,  /* standard error is a terminal */
        SERVICES = 1 << 6,  /* on services of a machine that systemd booted */
        INTERNET = 1 << 7,  /* with --allow-net it is granted */
        VIEW = 1 << 8,      /* in a private view; no row's, it changes what is expected */
        OWN_PROC = 1 << 9,  /* with a /proc of its own; the same */
};

typedef struct Attack {
        const char *name;
        const char *ids; /* requirements and cases */
        const char *what;
        Attempt attempt;
        const char *argument;
        int plain;    /* control run: 0, an errno, ANY */
        int confined; /* 0 for what the manual discloses, an errno, FATAL */
        unsigned flags;
} Attack;

extern const Attack attacks_descriptors[], attacks_exec[], attacks_files[], attacks_ipc[],
        attacks_kernel[], attacks_processes[], attacks_sockets[];
extern const size_t n_attacks_descriptors, n_attacks_exec, n_attacks_files, n_attacks_ipc,
        n_attacks_kernel, n_attacks_processes, n_attacks_sockets;

/* The row @i of all tables together, NULL past the end. */
const Attack *attack_row(size_t i);

/* Whether @attack is made where the flags @with hold. INTERNET is no condition. */
int attack_applies(const Attack *attack, unsigned with);

/* The program: see attacks.c. Returns the exit status. */
int attacks_main(int argc, char *argv[]);

/* "ok" for 0, else the name of an errno, or "SIGSYS". */
const char *result_name(int result);

/* What a call returned as the result of an attack. */
static inline int result(long r) {
        return r < 0 ? errno : 0;
}

/* Waits, for 0.1 s at most, for the neighbour to get more SIGURG than @before. Returns 0 if it did,
 * else EPERM. */
int scene_signalled(const Scene *scene, uint32_t before);

/* Asks the confederate for a descriptor: 'd' scene/, 'o' the same with O_PATH, 'f' scene/file for
 * reading, 'x' a static program, 'u' a Unix socket, 'l' a listening one, 'i' an Internet socket,
 * 'p' the neighbour's pidfd. Returns it, or -1 with errno. The caller owns it. */
int scene_fd(const Scene *scene, char what);

/* Fills *@ret from read/scene, which the neighbour wrote, and by asking the confederate at
 * @channel. Returns 0, or -1 with errno. */
int scene_read(int channel, Scene *ret);

/* The confederate: answers one request at @channel. @supervisor: whom it tells to be that, with its
 * keeper and cgroup. Returns 0, or -1 at the end of file. */
int scene_answer(int channel, pid_t supervisor);

/* The neighbour: makes the scene in the working directory, writes read/scene, prints "ready", and
 * lives until SIGTERM. Returns 0, or 1 after a message. */
int scene_play(void);
