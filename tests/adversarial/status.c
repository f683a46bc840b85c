/* SPDX-License-Identifier: MIT */
/* status [KEY]: prints what the process is and may, as "key value" lines, by system calls alone:
 * /proc may be out of reach. With KEY only the values of that key. */
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "attack.h"

static void show(const char *only, const char *key, unsigned long long value, const char *format) {
        if (only && strcmp(only, key) != 0)
                return;
        if (!only)
                printf("%s ", key);
        if (format[0] == 'x')
                printf("%#llx\n", value);
        else
                printf("%lld\n", (long long)value);
}

static void show_ids(const char *only) {
        uid_t r, e, s;
        gid_t groups[256];
        int n;

        if (getresuid(&r, &e, &s) == 0) {
                show(only, "uid", r, "d");
                show(only, "euid", e, "d");
                show(only, "suid", s, "d");
        }
        if (getresgid(&r, &e, &s) == 0) {
                show(only, "gid", r, "d");
                show(only, "egid", e, "d");
                show(only, "sgid", s, "d");
        }
        n = getgroups((int)COUNT(groups), groups);
        show(only, "n_groups", (unsigned long long)n, "d");
        for (int i = 0; i < n; i++)
                show(only, "group", groups[i], "d");
        show(only, "pid", (unsigned long long)getpid(), "d");
        show(only, "ppid", (unsigned long long)getppid(), "d");
        show(only, "pgrp", (unsigned long long)getpgrp(), "d");
}

static void show_capabilities(const char *only) {
        struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
        struct __user_cap_data_struct data[2] = { { 0 } };
        unsigned long long bounding = 0, ambient = 0;

        if (syscall(SYS_capget, &header, data) == 0) {
                show(only, "cap_effective",
                     data[0].effective | (unsigned long long)data[1].effective << 32, "x");
                show(only, "cap_permitted",
                     data[0].permitted | (unsigned long long)data[1].permitted << 32, "x");
                show(only, "cap_inheritable",
                     data[0].inheritable | (unsigned long long)data[1].inheritable << 32, "x");
        }
        for (unsigned long cap = 0; cap < 64; cap++) {
                if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) == 1)
                        bounding |= 1ULL << cap;
                if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1)
                        ambient |= 1ULL << cap;
        }
        show(only, "cap_bounding", bounding, "x");
        show(only, "cap_ambient", ambient, "x");
        show(only, "securebits", (unsigned long long)prctl(PR_GET_SECUREBITS, 0, 0, 0, 0), "x");
}

static void show_process(const char *only) {
        int deathsig = -1;
        mode_t mask = umask(0);
        cpu_set_t cpus;

        (void)umask(mask);
        (void)prctl(PR_GET_PDEATHSIG, &deathsig, 0, 0, 0);
        show(only, "no_new_privs", (unsigned long long)prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), "d");
        show(only, "seccomp", (unsigned long long)prctl(PR_GET_SECCOMP, 0, 0, 0, 0), "d");
        show(only, "dumpable", (unsigned long long)prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), "d");
        show(only, "pdeathsig", (unsigned long long)deathsig, "d");
        show(only, "umask", mask, "x");
        if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
                show(only, "n_cpus", (unsigned long long)CPU_COUNT(&cpus), "d");
        errno = 0;
        show(only, "nice", (unsigned long long)getpriority(PRIO_PROCESS, 0), "d");
}

static void show_signals(const char *only) {
        unsigned long long ignored = 0, caught = 0, blocked = 0;
        struct sigaction action;
        sigset_t mask;

        (void)sigprocmask(SIG_BLOCK, NULL, &mask);
        for (int sig = 1; sig < NSIG; sig++) {
                if (sigismember(&mask, sig) == 1)
                        blocked |= 1ULL << (sig - 1);
                if (sigaction(sig, NULL, &action) < 0 || action.sa_handler == SIG_DFL)
                        continue;
                *(action.sa_handler == SIG_IGN ? &ignored : &caught) |= 1ULL << (sig - 1);
        }
        show(only, "sig_ignored", ignored, "x");
        show(only, "sig_caught", caught, "x");
        show(only, "sig_blocked", blocked, "x");
}

static void show_limits(const char *only) {
        static const struct {
                const char *name;
                int resource;
        } limits[] = {
                { "as", RLIMIT_AS },         { "core", RLIMIT_CORE },
                { "cpu", RLIMIT_CPU },       { "data", RLIMIT_DATA },
                { "fsize", RLIMIT_FSIZE },   { "memlock", RLIMIT_MEMLOCK },
                { "nofile", RLIMIT_NOFILE }, { "nproc", RLIMIT_NPROC },
                { "stack", RLIMIT_STACK },
        };
        char key[64];

        for (size_t i = 0; i < COUNT(limits); i++) {
                struct rlimit limit;

                if (getrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0)
                        continue;
                (void)snprintf(key, sizeof(key), "limit_%s_soft", limits[i].name);
                show(only, key, limit.rlim_cur, "d");
                (void)snprintf(key, sizeof(key), "limit_%s_hard", limits[i].name);
                show(only, key, limit.rlim_max, "d");
        }
}

static void show_texts(const char *only) {
        char cwd[4096];

        if (!only || strcmp(only, "cwd") == 0)
                printf("%s%s\n", only ? "" : "cwd ", getcwd(cwd, sizeof(cwd)) ? cwd : "unknown");
        for (char **entry = environ; *entry; entry++)
                if (!only || strcmp(only, "environ") == 0)
                        printf("%s%s\n", only ? "" : "environ ", *entry);
}

int main(int argc, char *argv[]) {
        const char *only = argc > 1 ? argv[1] : NULL;

        show_ids(only);
        show_capabilities(only);
        show_process(only);
        show_signals(only);
        show_limits(only);
        show_texts(only);
        return 0;
}
