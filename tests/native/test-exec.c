/* SPDX-License-Identifier: MIT */
/* Whole programs under the real filters, started by the one exec that the listener lets pass: P8,
 * P9, P14, B62, B63, B66. The program runs its libc start, its loader and its threads under the
 * allowlist. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "policy/shipped.h"
#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "tests/native/confined.h"
#include "tests/unit/tap.h"

/* ---- the programs: this file itself, called with a verb */

static void *nothing(void *argument) {
        return argument;
}

static int program_thread(void) {
        pthread_t thread;
        int r = pthread_create(&thread, NULL, nothing, NULL);

        return r > 0 ? r : pthread_join(thread, NULL);
}

static int program_again(void) {
        (void)execl("/bin/true", "true", NULL);
        return errno;
}

/* B66: no file, no execute right, no path: only the filter stands in the way. */
static int program_memfd(void) {
        _cleanup_close_ int fd = memfd_create("program", MFD_CLOEXEC);
        _cleanup_close_ int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        char *const argv[] = { (char[]){ "program" }, (char[]){ "nothing" }, NULL };
        char *const envp[] = { NULL };
        char buf[65536];
        ssize_t n;

        if (fd < 0 || from < 0)
                return EPROTO;
        while ((n = read(from, buf, sizeof(buf))) > 0)
                if (write(fd, buf, (size_t)n) != n)
                        return EPROTO;
        (void)syscall(__NR_execveat, fd, "", argv, envp, AT_EMPTY_PATH);
        return errno;
}

static int program_loader(void) {
        static const char *const loaders[] = { "/lib64/ld-linux-x86-64.so.2",
                                               "/lib/ld-linux-aarch64.so.1" };

        for (size_t i = 0; i < ARRAY_SIZE(loaders); i++)
                if (access(loaders[i], X_OK) == 0) {
                        (void)execl(loaders[i], "ld.so", "/bin/true", NULL);
                        return errno;
                }
        return EPROTO;
}

static int program_filter(void) {
        struct sock_filter allow[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
        const struct sock_fprog program = { .len = 1, .filter = allow };

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 && errno != EPERM)
                return EPROTO;
        return -kernel_seccomp_filter(&program, 0);
}

static int program_nothing(void) {
        return 0;
}

static const struct {
        const char *verb;
        int (*run)(void);
        int plain;
        unsigned grants;
        int confined;
        size_t n_notified; /* the launcher's exec included */
} programs[] = {
        { "nothing", program_nothing, 0, 0, 0, 1 },
        { "thread", program_thread, 0, 0, 0, 1 },
        { "thread", program_thread, 0, FILTER_SUBPROCESS, 0, 0 },
        { "again", program_again, 0, 0, EPERM, 2 },
        { "again", program_again, 0, FILTER_SUBPROCESS, 0, 0 },
        { "memfd", program_memfd, 0, 0, EPERM, 2 },
        { "memfd", program_memfd, 0, FILTER_SUBPROCESS, EPROTO, 0 }, /* memfd_create itself fails */
        { "loader", program_loader, 0, 0, EPERM, 2 },
        { "filter", program_filter, 0, 0, EPERM, 1 },
};

/* ---- the tests */

static char own_path[4096];

static int exec_self(const void *verb) {
        char *const argv[] = { own_path, strdup(verb), NULL };
        char *const envp[] = { NULL };

        (void)execve(own_path, argv, envp);
        return CONFINED_SETUP_FAILED;
}

static void test_programs(void) {
        for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
                const char *verb = programs[i].verb;
                Outcome outcome;

                is_int(plain_run(exec_self, verb).result, programs[i].plain, "control: %s", verb);
                outcome = confined_run(programs[i].grants, 1, exec_self, verb);
                is_int(outcome.result, programs[i].confined, "%s, confined", verb);
                is_uint(outcome.n_notified, programs[i].n_notified, "%s: calls asked about", verb);
        }
}

static int exec_script(const void *path) {
        char *const argv[] = { strdup(path), NULL };
        char *const envp[] = { NULL };

        (void)execve(path, argv, envp);
        return CONFINED_SETUP_FAILED;
}

/* The interpreter of a script and the loader of a program are part of the one exec. */
static void test_script(void) {
        char path[] = "/tmp/confine-test-exec-XXXXXX";
        Outcome outcome;
        int fd = mkostemp(path, O_CLOEXEC);

        if (fd < 0)
                bail_out("%s: %m", path);
        if (fd_write_all(fd, "#!/bin/sh\nexit 3\n", 17) < 0 || fchmod(fd, 0755) < 0)
                bail_out("%s", path);
        (void)close(fd);
        outcome = confined_run(0, 1, exec_script, path);
        is_int(outcome.result, 3, "a script runs");
        is_uint(outcome.n_notified, 1, "and its interpreter is not asked about again");
        (void)unlink(path);
}

static int exec_python(const void *code) {
        char *const argv[] = { (char[]){ "python3" }, (char[]){ "-I" }, (char[]){ "-c" },
                               strdup(code), NULL };
        /* Without HOME libc asks nscd for the home directory, by a socket that is then counted. */
        char *const envp[] = { (char[]){ "HOME=/" }, NULL };

        (void)execve("/usr/bin/python3", argv, envp);
        return CONFINED_SETUP_FAILED;
}

static void test_python(void) {
        static const char works[] =
                "import asyncio, hashlib, json, os, random, tempfile, threading, time\n"
                "t = threading.Thread(target=time.sleep, args=(0.001,)); t.start(); t.join()\n"
                "asyncio.run(asyncio.sleep(0.001))\n"
                "with tempfile.TemporaryDirectory() as d:\n"
                "    p = os.path.join(d, 'f')\n"
                "    open(p, 'w').write(json.dumps([1])); os.rename(p, p + '2')\n"
                "    assert os.access(p + '2', os.R_OK); os.replace(p + '2', p)\n"
                "hashlib.sha256(os.urandom(9)); random.random(); os.cpu_count(); os.nice(0)\n";
        static const char denied[] =
                "import os, socket, subprocess\n"
                "def no(f, *a):\n"
                "    try: f(*a)\n"
                "    except PermissionError: return\n"
                "    raise SystemExit(99)\n"
                "no(socket.socket); no(os.fork); no(subprocess.run, ['true'])\n"
                "no(os.chmod, '/', 0o755); no(os.execv, '/bin/true', ['true'])\n"
                "no(os.setsid); no(os.waitpid, -1, 0); no(os.setuid, os.getuid())\n";
        Outcome outcome;

        if (access("/usr/bin/python3", X_OK) < 0) {
                skip("/usr/bin/python3", "Python under the filters");
                return;
        }
        is_int(plain_run(exec_python, works).result, 0, "control: Python's own life");
        outcome = confined_run(0, 1, exec_python, works);
        is_int(outcome.result, 0, "P6 B63: the same under the filters");
        is_uint(outcome.n_notified, 1, "and nothing in it is counted as an attempt");
        is_int(plain_run(exec_python, denied).result, 99, "control: what it must not do");
        outcome = confined_run(0, 1, exec_python, denied);
        is_int(outcome.result, 0, "P8: each is a PermissionError under the filters");
}

int main(int argc, char *argv[]) {
        for (size_t i = 0; argc > 1 && i < ARRAY_SIZE(programs); i++)
                if (strcmp(argv[1], programs[i].verb) == 0)
                        return programs[i].run();
        if (readlink("/proc/self/exe", own_path, sizeof(own_path) - 1) < 0)
                bail_out("/proc/self/exe: %m");
        test_programs();
        test_script();
        test_python();
        return done_testing();
}
