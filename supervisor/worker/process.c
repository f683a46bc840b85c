/* SPDX-License-Identifier: MIT */
/* Steps of the worker on its own process: descriptors, signals, limits, directory, ids. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/str.h"
#include "supervisor/worker/report.h"
#include "supervisor/worker/steps.h"

/* The only descriptors above 2 from here on. */
enum {
        REPORT_FD = 3,
        RULESET_FD = 4,
        FD_END,
};

int step_descriptors(Worker *worker) {
        /* Both move up first, so that neither is overwritten by the other's dup. */
        int report = fcntl(worker->report_fd, F_DUPFD_CLOEXEC, FD_END);
        int ruleset = fcntl(worker->ruleset_fd, F_DUPFD_CLOEXEC, FD_END);
        int r;

        if (report < 0 || ruleset < 0)
                return -errno;
        if (dup3(report, REPORT_FD, O_CLOEXEC) < 0 || dup3(ruleset, RULESET_FD, O_CLOEXEC) < 0)
                return -errno;
        worker->report_fd = REPORT_FD;
        worker->ruleset_fd = RULESET_FD;
        r = kernel_close_range(FD_END, UINT_MAX, 0);
        if (r < 0)
                return r;
        return fcntl(report, F_GETFD) < 0 ? 0 : -ENOTRECOVERABLE;
}

int step_no_new_privs(Worker *worker _unused_) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0)
                return -errno;
        return prctl(PR_GET_NO_NEW_PRIVS, 0L, 0L, 0L, 0L) == 1 ? 0 : -ENOTRECOVERABLE;
}

int step_oom_score(Worker *worker _unused_) {
        char text[16];
        uint64_t adjust;
        ssize_t n;

        n = fd_read_file(AT_FDCWD, OOM_SCORE_FILE, text, sizeof(text));
        if (n < 0)
                return (int)n;
        if (!str_read_number(text, NULL, &adjust))
                adjust = 0; /* below it: nothing of that is handed on */
        adjust = MIN(adjust + OOM_SCORE_ADJUST, (uint64_t)OOM_SCORE_MAX);
        (void)snprintf(text, sizeof(text), "%" PRIu64, adjust); /* fits: four digits */
        return fd_write_file(AT_FDCWD, OOM_SCORE_FILE, text);
}

/* A core_pattern that is a pipe gets memory under a hard limit of 0, which not everybody may raise
 * to what step_limits() sets instead. No page goes there with this, which execve and fork hand on;
 * the registers do. Source: core(5), "Controlling which mappings are written". */
int step_core_filter(Worker *worker) {
        struct rlimit found;
        char text[16];
        ssize_t n;
        int r;

        if (worker->plan->policy->limit_core_bytes != 0)
                return 0;
        if (getrlimit(RLIMIT_CORE, &found) < 0)
                return -errno;
        if (found.rlim_max > 0)
                return 0;
        r = fd_write_file(AT_FDCWD, CORE_FILTER_FILE, "0");
        if (r < 0)
                return r == -ENOENT ? 0 : r; /* a kernel without core files */
        n = fd_read_file(AT_FDCWD, CORE_FILTER_FILE, text, sizeof(text));
        if (n < 0)
                return (int)n;
        return strspn(text, "0") == (size_t)n ? 0 : -ENOTRECOVERABLE;
}

static int set_limit(int resource, uint64_t value) {
        const struct rlimit wanted = { .rlim_cur = value, .rlim_max = value };
        struct rlimit found = { 0 };

        if (setrlimit((__rlimit_resource_t)resource, &wanted) < 0)
                return -errno;
        if (getrlimit((__rlimit_resource_t)resource, &found) < 0)
                return -errno;
        return found.rlim_cur == value && found.rlim_max == value ? 0 : -ENOTRECOVERABLE;
}

/* A limit of 0 stops a core file, but not a core_pattern that is a pipe, which gets the memory of
 * the run outside of it. 1 stops that too. Source: the kernel's fs/coredump.c, which reserves it
 * for that. */
static int forbid_core(void) {
        int r;

        r = set_limit(RLIMIT_CORE, 1);
        /* The caller's own hard limit is 0: that is what step_core_filter() is for. */
        return r == -EPERM ? set_limit(RLIMIT_CORE, 0) : r;
}

/* A caller that runs under a realtime policy hands it on. */
int step_scheduling(Worker *worker _unused_) {
        const struct sched_param param = { .sched_priority = 0 };
        int policy = sched_getscheduler(0);

        if (policy < 0)
                return -errno;
        if (policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE)
                return 0;
        if (sched_setscheduler(0, SCHED_OTHER, &param) < 0)
                return -errno;
        return sched_getscheduler(0) == SCHED_OTHER ? 0 : -ENOTRECOVERABLE;
}

int step_limits(Worker *worker) {
        const Plan *plan = worker->plan;
        const Policy *p = plan->policy;
        const struct {
                int resource;
                uint64_t value;
        } limits[] = {
                { RLIMIT_FSIZE, p->limit_fsize_bytes },
                { RLIMIT_NOFILE, p->limit_nofile },
                { RLIMIT_CORE, p->limit_core_bytes },
                { RLIMIT_STACK, p->limit_stack_bytes },
                /* CPUQuota does not bound realtime tasks: none may become one. */
                { RLIMIT_RTPRIO, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
                int r;

                if (limits[i].value == LIMIT_UNSET)
                        continue;
                worker->detail = limits[i].resource;
                r = limits[i].resource == RLIMIT_CORE && limits[i].value == 0
                            ? forbid_core()
                            : set_limit(limits[i].resource, limits[i].value);
                if (r < 0)
                        return r;
        }
        return 0;
}

int step_directory(Worker *worker) {
        const Plan *plan = worker->plan;

        if (plan->policy->working_directory)
                return chdir(plan->policy->working_directory) < 0 ? -errno : 0;
        /* One that cannot be entered again, below a directory that the caller may not search,
         * stays, on a mount that is read-only by now. */
        if (plan->view.made && plan->view.directory && chdir(plan->view.directory) < 0)
                return 0;
        return 0;
}

int step_ids(Worker *worker) {
        const Plan *plan = worker->plan;
        uid_t ruid, euid, suid;
        gid_t rgid, egid, sgid;

        if (!plan->switch_ids)
                return 0;
        /* The calls themselves: libc's wrappers would signal threads that a clone does not have. */
        if (syscall(SYS_setgroups, plan->n_groups, plan->groups) < 0)
                return -errno;
        /* Filters that fake root answer all of these with success, and do nothing. */
        if (syscall(SYS_getgroups, 0, NULL) != (long)plan->n_groups)
                return -ENOTRECOVERABLE;
        if (syscall(SYS_setresgid, plan->gid, plan->gid, plan->gid) < 0)
                return -errno;
        if (syscall(SYS_setresuid, plan->uid, plan->uid, plan->uid) < 0)
                return -errno;
        if (getresuid(&ruid, &euid, &suid) < 0 || getresgid(&rgid, &egid, &sgid) < 0)
                return -errno;
        if (ruid != plan->uid || euid != plan->uid || suid != plan->uid || rgid != plan->gid ||
            egid != plan->gid || sgid != plan->gid)
                return -ENOTRECOVERABLE;
        return 0;
}

int step_parent_death(Worker *worker _unused_) {
        /* A second line only: the keeper is the first. The supervisor is our parent. */
        return prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L) < 0 ? -errno : 0;
}

int step_go(Worker *worker) {
        Message message;

        /* read(2): the inner filter is in force. End of file: the supervisor is gone. */
        if (read(worker->report_fd, &message, sizeof(message)) != (ssize_t)sizeof(message) ||
            message.kind != MESSAGE_GO)
                _exit(125);
        return 0;
}

int step_signals(Worker *worker) {
        const Plan *plan = worker->plan;
        for (int sig = 1; sig < NSIG; sig++) {
                struct sigaction action = { .sa_handler = SIG_DFL };

                if (sig == SIGKILL || sig == SIGSTOP)
                        continue;
                /* A file that reaches LimitFSIZE fails the write with EFBIG; the task lives. */
                if (sigismember(&plan->ignored, sig) == 1 || sig == SIGXFSZ)
                        action.sa_handler = SIG_IGN;
                else if (sig != SIGCHLD)
                        continue; /* still as confine received it; only SIGCHLD was touched */
                if (sigaction(sig, &action, NULL) < 0 && errno != EINVAL)
                        return -errno;
        }
        return sigprocmask(SIG_SETMASK, &plan->mask, NULL) < 0 ? -errno : 0;
}
