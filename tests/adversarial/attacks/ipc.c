/* SPDX-License-Identifier: MIT */
/* Attacks by what the host shares between processes without a file: System V and POSIX objects,
 * keyrings. A run that could use one would meet the next run there. */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>

#include "attacks.h"

static int attach_shm(const Scene *scene, const char *argument UNUSED) {
        void *memory = shmat(scene->shm_id, NULL, SHM_RDONLY);

        return memory == (void *)-1 ? errno : result(shmdt(memory));
}

static int make_shm(const Scene *scene UNUSED, const char *argument UNUSED) {
        int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

        return id < 0 ? errno : result(shmctl(id, IPC_RMID, NULL));
}

static int send_message(const Scene *scene, const char *argument UNUSED) {
        struct {
                long type;
                char text[4];
        } message = { 1, "abc" };

        return result(msgsnd(scene->msg_id, &message, sizeof(message.text), IPC_NOWAIT));
}

static int make_queue(const Scene *scene UNUSED, const char *argument UNUSED) {
        int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600);

        return id < 0 ? errno : result(msgctl(id, IPC_RMID, NULL));
}

static int raise_semaphore(const Scene *scene, const char *argument UNUSED) {
        struct sembuf operation = { .sem_op = 1 };

        return result(semop(scene->sem_id, &operation, 1));
}

static int open_queue(const Scene *scene, const char *argument UNUSED) {
        char name[40];
        mqd_t queue;

        (void)snprintf(name, sizeof(name), "/%s", scene->name);
        queue = mq_open(name, O_WRONLY);
        return queue == (mqd_t)-1 ? errno : result(mq_close(queue));
}

static int open_memory(const Scene *scene, const char *argument UNUSED) {
        char path[48];
        int fd;

        (void)snprintf(path, sizeof(path), "/dev/shm/%s", scene->name);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? errno : result(close(fd));
}

static int read_key(const Scene *scene, const char *argument UNUSED) {
        char text[sizeof(SECRET)] = "";

        return result(syscall(SYS_keyctl, 11 /* KEYCTL_READ */, scene->key, text, sizeof(text)));
}

static int find_key(const Scene *scene, const char *argument UNUSED) {
        return result(syscall(SYS_keyctl, 10 /* KEYCTL_SEARCH */, -4 /* user keyring */, "user",
                              scene->name, 0));
}

/* @keyring: its number, -4 the user's, -1 the thread's. */
static int add_key(const Scene *scene UNUSED, const char *keyring) {
        const int number = keyring[1] - '0';
        long key = syscall(SYS_add_key, "user", "confine-attack", "x", 1, -number);

        if (key < 0)
                return errno;
        return result(syscall(SYS_keyctl, 9 /* KEYCTL_UNLINK */, key, -number));
}

static int request_key(const Scene *scene, const char *argument UNUSED) {
        return result(syscall(SYS_request_key, "user", scene->name, NULL, 0));
}

static int join_keyring(const Scene *scene UNUSED, const char *argument UNUSED) {
        return result(syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL));
}

/* clang-format off */
const Attack attacks_ipc[] = {
        { "shmat", "P11 B94", "a neighbour's shared memory", attach_shm, "", 0, EPERM, 0 },
        { "shmget", "P11 B94", "shared memory that outlives the run", make_shm, "", 0, EPERM, 0 },
        { "msgsnd", "P11 B94", "a message to a neighbour's queue", send_message, "", 0, EPERM, 0 },
        { "msgget", "P11 B94", "a message queue that outlives the run", make_queue, "", 0, EPERM, 0 },
        { "semop", "P11 B94", "a neighbour's semaphore", raise_semaphore, "", 0, EPERM, 0 },
        { "mq-open", "P11", "a neighbour's POSIX queue", open_queue, "", 0, EPERM, 0 },
        { "shm-open", "P11", "a neighbour's POSIX shared memory", open_memory, "", 0, EACCES, 0 },
        { "key-read", "S14", "a key of the user's keyring", read_key, "", 0, EPERM, 0 },
        { "key-search", "S14", "a search of the user's keyring", find_key, "", 0, EPERM, 0 },
        { "key-add", "P11", "a key that outlives the run", add_key, "-4", 0, EPERM, 0 },
        { "key-add-thread", "P11", "a key for the thread", add_key, "-1", 0, EPERM, 0 },
        { "key-request", "S14", "request_key", request_key, "", ANY, EPERM, 0 },
        { "key-session", "P11", "another session keyring", join_keyring, "", 0, EPERM, 0 },
};
/* clang-format on */
const size_t n_attacks_ipc = COUNT(attacks_ipc);
