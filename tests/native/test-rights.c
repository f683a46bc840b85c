/* SPDX-License-Identifier: MIT */
/* Landlock with the rights of policy/rights.c, on real files: P5, P8, B72, B74, and the second
 * walls (TCP, signals, abstract sockets). Each deed is done without it first. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "policy/rights.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "tests/native/confined.h"
#include "tests/unit/tap.h"

/* The scene: a directory with ro/, rw/, rw2/, x/ and out/, each with a file, and bin/true in x/.
 * The deeds use paths relative to it; the working directory is not mediated. */
static const char *const directories[] = { "ro", "rw", "rw2", "x", "out", "rw/sub" };

static int try_open(const char *path, int flags) {
        _cleanup_close_ int fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);

        return fd < 0 ? errno : 0;
}

static int result(int r) {
        return r < 0 ? errno : 0;
}

static int read_file(const void *path) {
        return try_open(path, O_RDONLY);
}
static int list_directory(const void *path) {
        return try_open(path, O_RDONLY | O_DIRECTORY);
}
static int write_file(const void *path) {
        return try_open(path, O_WRONLY);
}
static int read_write_file(const void *path) {
        return try_open(path, O_RDWR);
}
static int open_truncated(const void *path) {
        return try_open(path, O_RDONLY | O_TRUNC);
}
static int truncate_file(const void *path) {
        return result(truncate(path, 0));
}
static int create_file(const void *path) {
        return try_open(path, O_WRONLY | O_CREAT | O_EXCL);
}
static int remove_file(const void *path) {
        return result(unlink(path));
}
static int make_directory(const void *path) {
        return result(mkdir(path, 0700));
}
static int remove_directory(const void *path) {
        return result(rmdir(path));
}
static int make_fifo(const void *path) {
        return result(mkfifo(path, 0600));
}
static int make_symlink(const void *path) {
        return result(symlink("target", path));
}
static int rename_into_rw(const void *path) {
        return result(rename(path, "rw/moved"));
}
static int rename_into_sub(const void *path) {
        return result(rename(path, "rw/sub/moved"));
}
static int link_into_sub(const void *path) {
        return result(link(path, "rw/sub/linked"));
}
static int exec_file(const void *path) {
        (void)execl(path, "true", NULL);
        return errno;
}
static int metadata(const void *path) {
        struct stat st;

        return result(stat(path, &st));
}
static int device_ioctl(const void *path) {
        _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
        int entropy;

        return fd < 0 ? EPROTO : result(ioctl(fd, _IOR('R', 0x00, int), &entropy));
}

/* One row: the deed on the path, plainly and confined. ABI: only from that one on. */
typedef struct Row {
        Deed deed;
        const char *path;
        int plain;
        int confined;
        int abi;
        const char *what;
} Row;

static const Row rows[] = {
#define ROW(deed, path, plain, confined, abi) { deed, path, plain, confined, abi, #deed },
#include "tests/native/landlock-rows.def"
#undef ROW
};

static const LandlockGrant grants[] = {
        { "ro", GRANT_READ },         { "rw", GRANT_WRITE },          { "rw2", GRANT_WRITE },
        { "x", GRANT_EXEC },          { "out/granted", GRANT_WRITE }, /* B72: a file */
        { "out/fifo", GRANT_WRITE },                                  /* B72: must not block */
        { "/dev/null", GRANT_WRITE }, { "/dev/urandom", GRANT_READ }, { "/usr", GRANT_EXEC },
        { "/lib", GRANT_EXEC },       { "/lib64", GRANT_EXEC },       { NULL, 0 },
};

static void make_file(const char *path, const char *text) {
        _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

        if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0)
                bail_out("%s: %m", path);
}

static void copy_true(const char *path) {
        _cleanup_close_ int from = open("/bin/true", O_RDONLY | O_CLOEXEC);
        _cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
        char buf[65536];
        ssize_t n;

        if (from < 0 || to < 0)
                bail_out("%s: %m", path);
        while ((n = read(from, buf, sizeof(buf))) > 0)
                if (fd_write_all(to, buf, (size_t)n) < 0)
                        bail_out("%s: %m", path);
}

static int remove_one(const char *path, const struct stat *st _unused_, int type _unused_,
                      struct FTW *ftw _unused_) {
        return remove(path);
}

static void scene_remove(void) {
        for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
                (void)nftw(directories[i], remove_one, 8, FTW_DEPTH | FTW_PHYS); /* may be absent */
}

/* Made anew for each row, so that no deed sees what another one left. */
static void scene_make(void) {
        char path[64];

        scene_remove();
        for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
                if (mkdir(directories[i], 0700) < 0)
                        bail_out("%s: %m", directories[i]);
                (void)snprintf(path, sizeof(path), "%s/file", directories[i]);
                make_file(path, "text\n");
        }
        copy_true("x/true");
        copy_true("rw/true");
        make_file("out/granted", "text\n");
        if (mkfifo("out/fifo", 0600) < 0 || mkdir("rw/empty", 0700) < 0 ||
            mkdir("out/empty", 0700) < 0)
                bail_out("%m");
}

static void test_rows(int abi) {
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                const Row *row = &rows[i];

                if (abi < row->abi)
                        continue;
                scene_make();
                is_int(plain_run(row->deed, row->path).result, row->plain, "control: %s(%s)",
                       row->what, row->path);
                scene_make();
                is_int(landlocked_run(abi, grants, row->deed, row->path).result, row->confined,
                       "P5 ABI %d: %s(%s)", abi, row->what, row->path);
        }
}

/* ---- the second walls */

static int signal_parent(const void *argument _unused_) {
        return result(kill(getppid(), 0));
}

static int signal_child(const void *argument _unused_) {
        pid_t pid = fork();
        int r;

        if (pid == 0) {
                (void)pause();
                _exit(0);
        }
        r = result(kill(pid, SIGKILL));
        (void)waitpid(pid, NULL, 0);
        return r;
}

static int connect_tcp(const void *address) {
        _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        return fd < 0 ? EPROTO : result(connect(fd, address, sizeof(struct sockaddr_in)));
}

static int bind_tcp(const void *argument _unused_) {
        const struct sockaddr_in address = { .sin_family = AF_INET };
        _cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

        return fd < 0 ? EPROTO
                      : result(bind(fd, (const struct sockaddr *)&address, sizeof(address)));
}

static int connect_abstract(const void *address) {
        _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

        return fd < 0 ? EPROTO : result(connect(fd, address, sizeof(struct sockaddr_un)));
}

static void test_wall(int abi, int needed, Deed deed, const void *argument, int wanted,
                      const char *what) {
        if (abi < needed)
                return;
        is_int(plain_run(deed, argument).result, 0, "control: %s", what);
        is_int(landlocked_run(abi, grants, deed, argument).result, wanted, "ABI %d: %s", abi, what);
}

static void test_walls(int abi) {
        struct sockaddr_in tcp = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        struct sockaddr_un abstract = { .sun_family = AF_UNIX };
        _cleanup_close_ int tcp_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        _cleanup_close_ int unix_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        socklen_t length = sizeof(tcp);

        (void)snprintf(abstract.sun_path + 1, sizeof(abstract.sun_path) - 1, "confine-test-%d",
                       (int)getpid());
        if (bind(tcp_fd, (const struct sockaddr *)&tcp, sizeof(tcp)) < 0 || listen(tcp_fd, 8) < 0 ||
            getsockname(tcp_fd, (struct sockaddr *)&tcp, &length) < 0 ||
            bind(unix_fd, (const struct sockaddr *)&abstract, sizeof(abstract)) < 0 ||
            listen(unix_fd, 8) < 0)
                bail_out("listening: %m");
        test_wall(abi, 3, signal_child, NULL, 0, "a signal to the own child");
        test_wall(abi, 6, signal_parent, NULL, EPERM, "a signal to the parent outside");
        test_wall(abi, 4, connect_tcp, &tcp, EACCES, "a TCP connection");
        test_wall(abi, 4, bind_tcp, NULL, EACCES, "a TCP port of one's own");
        test_wall(abi, 6, connect_abstract, &abstract, EPERM, "an abstract socket outside");
}

int main(void) {
        static const int abis[] = { 3, 4, 5, 6, 7, 8, 9, 10 };
        char path[] = "/tmp/confine-test-rights-XXXXXX";
        int newest = kernel_landlock_abi();

        if (newest < rights_floor()) {
                skip("Landlock ABI 3", "P5: file rights");
                return done_testing();
        }
        if (!mkdtemp(path) || chdir(path) < 0)
                bail_out("%s: %m", path);
        for (size_t i = 0; i < ARRAY_SIZE(abis) && abis[i] <= newest; i++) {
                test_rows(abis[i]);
                test_walls(abis[i]);
        }
        scene_remove();
        (void)rmdir(path);
        return done_testing();
}
