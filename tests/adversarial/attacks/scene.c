/* SPDX-License-Identifier: MIT */
/* The scene of the attacks. The neighbour makes it and stays, a process of the same uid outside of
 * the sandbox with something of everything that could be reached; the confederate, outside as well,
 * hands in descriptors over standard input. Both want the attacks to succeed. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>

#include "attacks.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef PR_SET_PTRACER
#define PR_SET_PTRACER 0x59616d61
#endif

/* ---- what the sandboxed side asks for */

int scene_signalled(const Scene *scene, uint32_t before) {
        const struct timespec nap = { .tv_nsec = 1000000 };

        for (int i = 0; i < 100; i++) {
                if (*scene->n_signals != before)
                        return 0;
                (void)nanosleep(&nap, NULL);
        }
        return EPERM;
}

int scene_fd(const Scene *scene, char what) {
        union {
                struct cmsghdr header;
                char room[CMSG_SPACE(sizeof(int))];
        } control;
        char byte;
        struct iovec data = { &byte, 1 };
        struct msghdr message = { .msg_iov = &data,
                                  .msg_iovlen = 1,
                                  .msg_control = &control,
                                  .msg_controllen = sizeof(control) };
        const struct cmsghdr *header;
        int fd;

        if (write(scene->channel, &what, 1) != 1 ||
            recvmsg(scene->channel, &message, MSG_CMSG_CLOEXEC) != 1)
                return -1;
        header = CMSG_FIRSTHDR(&message);
        if (!header) {
                errno = ENODATA;
                return -1;
        }
        memcpy(&fd, CMSG_DATA(header), sizeof(fd));
        return fd;
}

static int read_whole(const char *path, void *to, size_t size) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, to, size);

        if (fd >= 0)
                (void)close(fd);
        return (int)n;
}

/* What the confederate says about the run. */
typedef struct RunFacts {
        pid_t supervisor, keeper;
        char cgroup[256];
} RunFacts;

int scene_read(int channel, Scene *ret) {
        int fd = open("read/signals", O_RDONLY | O_CLOEXEC);
        RunFacts facts;

        if (fd < 0 || read_whole("read/scene", ret, sizeof(*ret)) != (int)sizeof(*ret))
                return -1;
        ret->n_signals = mmap(NULL, sizeof(*ret->n_signals), PROT_READ, MAP_SHARED, fd, 0);
        (void)close(fd);
        if (ret->n_signals == MAP_FAILED)
                return -1;
        if (write(channel, "s", 1) != 1 ||
            recv(channel, &facts, sizeof(facts), MSG_WAITALL) != (ssize_t)sizeof(facts))
                return -1;
        ret->supervisor = facts.supervisor;
        ret->keeper = facts.keeper;
        memcpy(ret->cgroup, facts.cgroup, sizeof(ret->cgroup));
        ret->channel = channel;
        return 0;
}

/* ---- the confederate */

/* The child of @supervisor that is its keeper; 0: none. On a busy machine it may not have given
 * itself its name yet; the worker has that of its program. */
static pid_t find_keeper(pid_t supervisor) {
        DIR *proc = opendir("/proc");
        const struct dirent *entry;
        pid_t keeper = 0;

        while (proc && keeper == 0 && (entry = readdir(proc))) {
                char path[300], text[512] = "", name[16] = "";
                int pid, parent;

                (void)snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
                if (read_whole(path, text, sizeof(text) - 1) > 0 &&
                    sscanf(text, "%d (%15[^)]) %*c %d", &pid, name, &parent) == 3 &&
                    parent == supervisor && strncmp(name, "confine", strlen("confine")) == 0)
                        keeper = pid;
        }
        if (proc)
                (void)closedir(proc);
        return keeper;
}

static RunFacts find_run(pid_t supervisor) {
        RunFacts facts = { .supervisor = supervisor, .keeper = find_keeper(supervisor) };
        char path[64], text[1024] = "";
        const char *begin, *end;

        (void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)facts.keeper);
        (void)read_whole(path, text, sizeof(text) - 1);
        begin = strstr(text, "0::/");
        end = begin ? strstr(begin, ".scope/") : NULL;
        if (end)
                (void)snprintf(facts.cgroup, sizeof(facts.cgroup), "%.*s.scope",
                               (int)(end - begin - 3), begin + 3);
        return facts;
}

static int made_socket(int family, int listening) {
        int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        struct sockaddr_un anywhere = { .sun_family = AF_UNIX };

        if (listening &&
            (bind(fd, (struct sockaddr *)&anywhere, sizeof(sa_family_t)) < 0 || listen(fd, 1) < 0))
                (void)fprintf(stderr, "listen: %s\n", strerror(errno));
        return fd;
}

static int open_for(char what) {
        Scene scene;

        switch (what) {
        case 'd':
                return open("scene", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        case 'o':
                return open("scene", O_PATH | O_DIRECTORY | O_CLOEXEC);
        case 'f':
                return open("scene/file", O_RDONLY | O_CLOEXEC);
        case 'x':
                return open("scene/elf", O_RDONLY | O_CLOEXEC);
        case 'u':
        case 'l':
                return made_socket(AF_UNIX, what == 'l');
        case 'i':
                return made_socket(AF_INET, 0);
        case 'p':
                if (read_whole("read/scene", &scene, sizeof(scene)) != (int)sizeof(scene))
                        return -1;
                return (int)syscall(SYS_pidfd_open, scene.neighbour, 0);
        default:
                return -1;
        }
}

static int send_fd(int channel, int fd) {
        union {
                struct cmsghdr header;
                char room[CMSG_SPACE(sizeof(int))];
        } control = { 0 };
        char byte = 0;
        struct iovec data = { &byte, 1 };
        struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
        int r;

        if (fd >= 0) {
                message.msg_control = &control;
                message.msg_controllen = sizeof(control);
                control.header.cmsg_level = SOL_SOCKET;
                control.header.cmsg_type = SCM_RIGHTS;
                control.header.cmsg_len = CMSG_LEN(sizeof(int));
                memcpy(CMSG_DATA(&control.header), &fd, sizeof(int));
        }
        r = sendmsg(channel, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
        if (fd >= 0)
                (void)close(fd);
        return r;
}

int scene_answer(int channel, pid_t supervisor) {
        char what;

        if (read(channel, &what, 1) != 1)
                return -1;
        if (what == 's') {
                const RunFacts facts = find_run(supervisor);

                return send(channel, &facts, sizeof(facts), MSG_NOSIGNAL) < 0 ? -1 : 0;
        }
        return send_fd(channel, open_for(what));
}

/* ---- the neighbour */

/* Ends the program with a message: nothing of the scene may be missing. */
static long made(const char *what, long r) {
        if (r < 0) {
                (void)fprintf(stderr, "the scene's %s: %s\n", what, strerror(errno));
                exit(1);
        }
        return r;
}

static void make_file(const char *path, const char *text, mode_t mode) {
        int fd = (int)made(path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));

        made(path, write(fd, text, strlen(text)));
        made(path, fchmod(fd, mode));
        (void)close(fd);
}

static void copy_file(const char *from, const char *path) {
        int in = (int)made(from, open(from, O_RDONLY | O_CLOEXEC));
        int out = (int)made(path, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
        char block[65536];
        ssize_t n;

        while ((n = read(in, block, sizeof(block))) > 0)
                made(path, write(out, block, (size_t)n));
        made(path, fchmod(out, 0755));
        (void)close(in);
        (void)close(out);
}

static void make_files(void) {
        static const char *const directories[] = { "scene",   "read",         "write",
                                                   "write/a", "write/a/deep", "write/swap" };

        for (size_t i = 0; i < COUNT(directories); i++)
                made(directories[i], mkdir(directories[i], 0755));
        make_file("scene/secret", SECRET, 0600);
        make_file("scene/file", "text\n", 0600);
        made("attribute", setxattr("scene/file", "user.scene", "x", 1, 0));
        make_file("read/file", "text\n", 0644);
        make_file("read/empty", "", 0644);
        make_file("write/file", "text\n", 0600);
        make_file("write/script", "#!/bin/sh\nexit 0\n", 0755);
        make_file("write/swap/secret", "harmless", 0600);
        made("link", symlink("../scene", "read/out"));
        made("link", symlink("../scene", "write/link"));
        copy_file("/proc/self/exe", "scene/elf");
        copy_file("/proc/self/exe", "write/elf");
        copy_file("/bin/true", "read/tool");
}

static int listen_at(const void *address, size_t length, int family, int type) {
        int fd = (int)made("socket", socket(family, type | SOCK_CLOEXEC, 0));

        made("address", bind(fd, address, (socklen_t)length));
        if (type == SOCK_STREAM)
                made("socket", listen(fd, 64));
        return fd;
}

static void listen_path(const char *path, int type) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };

        memcpy(address.sun_path, path, strlen(path));
        (void)listen_at(&address, sizeof(address), AF_UNIX, type);
}

static void make_sockets(Scene *scene) {
        struct sockaddr_in port = { .sin_family = AF_INET,
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        struct sockaddr_un abstract = { .sun_family = AF_UNIX };
        socklen_t length = sizeof(port);
        int fd;

        listen_path("scene/docker.sock", SOCK_STREAM);
        listen_path("write/docker.sock", SOCK_STREAM);
        listen_path("scene/datagram", SOCK_DGRAM);
        memcpy(abstract.sun_path + 1, scene->name, strlen(scene->name));
        (void)listen_at(&abstract, offsetof(struct sockaddr_un, sun_path) + 1 + strlen(scene->name),
                        AF_UNIX, SOCK_STREAM);
        fd = listen_at(&port, sizeof(port), AF_INET, SOCK_STREAM);
        made("port", getsockname(fd, (struct sockaddr *)&port, &length));
        scene->tcp_port = ntohs(port.sin_port);
        (void)listen_at(&port, sizeof(port), AF_INET, SOCK_DGRAM);
}

/* Readable for the whole uid, whoever has which session keyring. */
static void make_key(Scene *scene) {
        made("keyring", syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL));
        scene->key = (int)made("key", syscall(SYS_add_key, "user", scene->name, SECRET,
                                              strlen(SECRET), -3 /* session keyring */));
        made("key", syscall(SYS_keyctl, 5 /* KEYCTL_SETPERM */, scene->key, 0x3f3f0000));
        made("key", syscall(SYS_keyctl, 8 /* KEYCTL_LINK */, scene->key, -4 /* user keyring */));
}

static void make_objects(Scene *scene) {
        char name[64];
        struct {
                unsigned bytes;
                int type;
                unsigned char handle[128];
        } handle = { .bytes = 128 };
        struct mq_attr small = { .mq_maxmsg = 1, .mq_msgsize = 16 }; /* a uid has little room */
        int mount_id;

        scene->shm_id = (int)made("shm", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
        scene->msg_id = (int)made("msg", msgget(IPC_PRIVATE, IPC_CREAT | 0600));
        scene->sem_id = (int)made("sem", semget(IPC_PRIVATE, 1, IPC_CREAT | 0600));
        (void)snprintf(name, sizeof(name), "/%s", scene->name);
        made("queue", mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &small));
        (void)snprintf(name, sizeof(name), "/dev/shm/%s", scene->name);
        make_file(name, SECRET, 0600);
        make_key(scene);
        if (syscall(SYS_name_to_handle_at, AT_FDCWD, "scene/secret", &handle, &mount_id, 0) == 0) {
                scene->handle_bytes = handle.bytes;
                scene->handle_type = handle.type;
                memcpy(scene->handle, handle.handle, sizeof(scene->handle));
        }
}

static void remove_objects(const Scene *scene) {
        char name[64];

        (void)shmctl(scene->shm_id, IPC_RMID, NULL);
        (void)msgctl(scene->msg_id, IPC_RMID, NULL);
        (void)semctl(scene->sem_id, 0, IPC_RMID);
        (void)syscall(SYS_keyctl, 21 /* KEYCTL_INVALIDATE */, scene->key);
        (void)snprintf(name, sizeof(name), "/%s", scene->name);
        (void)mq_unlink(name);
        (void)snprintf(name, sizeof(name), "/dev/shm/%s", scene->name);
        (void)unlink(name);
}

static uint32_t *make_counter(void) {
        int fd = (int)made("counter", open("read/signals", O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        void *counter;

        made("counter", ftruncate(fd, sizeof(uint32_t)));
        counter = mmap(NULL, sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        made("counter", counter == MAP_FAILED ? -1 : 0);
        (void)close(fd);
        return counter;
}

int scene_play(void) {
        static char secret[] = SECRET; /* at an address that others shall read and write */
        Scene scene = { .neighbour = getpid(), .secret_address = (uintptr_t)secret };
        volatile uint32_t *counter;
        sigset_t signals;
        int fd, sig;

        (void)sigemptyset(&signals);
        (void)sigaddset(&signals, SIGURG);
        (void)sigaddset(&signals, SIGTERM);
        (void)sigprocmask(SIG_BLOCK, &signals, NULL);
        (void)prctl(PR_SET_PDEATHSIG, (long)SIGTERM, 0L, 0L, 0L); /* not longer than the test */
        (void)prctl(PR_SET_PTRACER, -1L, 0L, 0L, 0L);             /* where there is Yama */
        (void)umask(022);
        (void)snprintf(scene.name, sizeof(scene.name), "confine-attack-%d", (int)getpid());
        make_files();
        counter = make_counter();
        make_sockets(&scene);
        make_objects(&scene);
        scene.secret_fd = (int)made("secret", open("scene/secret", O_RDONLY));
        fd = (int)made("facts", open("read/scene", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        made("facts", write(fd, &scene, sizeof(scene)));
        made("directory", chdir("scene"));
        (void)puts("ready");
        (void)fflush(stdout);
        while (sigwait(&signals, &sig) == 0 && sig != SIGTERM)
                ++*counter;
        remove_objects(&scene);
        return 0;
}
