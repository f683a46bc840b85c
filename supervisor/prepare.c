/* SPDX-License-Identifier: MIT */
/* What a run needs before anything of it exists. Each stage refuses by name what it cannot do. */
#include "supervisor/prepare.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "doctor/probe.h"
#include "policy/json-library.h"
#include "policy/value.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/log.h"
#include "supervisor/cgroup.h"
#include "supervisor/filters.h"
#include "supervisor/grants.h"
#include "supervisor/record.h"
#include "supervisor/ruleset.h"
#include "supervisor/secrets.h"
#include "supervisor/step-failure.h"
#include "supervisor/view.h"

/* Where systemd is not, neither cgroup v2 nor journald can be had by what their messages say. */
static int check_systemd(Run *run) {
        if (probe_systemd())
                return 0;
        return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                            "systemd does not manage this machine (no '/run/systemd/system'), and "
                            "its scopes hold the limits: run confine on a host that it manages, or "
                            "start this container with systemd as its first "
                            "process" NO_SANDBOX_HINT);
}

static int check_machine(Run *run) {
        int r = cgroup_check_mount();

        if (r < 0 && check_systemd(run) < 0)
                return -ENOTRECOVERABLE;
        if (r < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "cgroup v2 is not mounted at '/sys/fs/cgroup': boot with "
                                    "systemd.unified_cgroup_hierarchy=1" NO_SANDBOX_HINT);
        if (run->facts.system_manager && geteuid() != 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "--system needs root: drop it to use your own manager, or run "
                                    "'sudo confine'");
        return 0;
}

/* 128 random bits: no name is ever used twice, so none can collide with a failed unit's. */
static int make_id(Run *run) {
        unsigned char bytes[16];

        if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "getrandom failed: %s", strerror(errno));
        for (size_t i = 0; i < sizeof(bytes); i++)
                (void)snprintf(run->id + 2 * i, 3, "%02x", bytes[i]);
        (void)snprintf(run->unit, sizeof(run->unit), "confine-%s.scope", run->id);
        return 0;
}

/* The file of --result is written with the caller's rights, root's perhaps, where the program of an
 * earlier run may have been able to write too: neither a link nor somebody else's file is taken. */
static int open_result_file(const char *path) {
        _cleanup_close_ int fd = -EBADF;
        struct stat st;

        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (fd < 0)
                return -errno;
        if (fstat(fd, &st) < 0)
                return -errno;
        if (S_ISREG(st.st_mode) && (st.st_uid != geteuid() || st.st_nlink > 1))
                return -EPERM;
        if (S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0)
                return -errno;
        return TAKE_FD(fd);
}

static int open_result(const char *target) {
        uint64_t number;
        ValueHint hint;
        int fd;

        if (strncmp(target, "fd:", 3) != 0)
                return open_result_file(target);
        if (value_parse_number(VALUE_COUNT, NULL, target + 3, &number, &hint) < 0 ||
            number > INT32_MAX)
                return -EBADF;
        /* What a caller hands over survived an exec, so it is not close-on-exec; all of ours are.
         */
        if (fcntl((int)number, F_GETFD) != 0)
                return -EBADF;
        fd = fcntl((int)number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        return fd < 0 ? -errno : fd;
}

int prepare_result(Run *run) {
        const char *target = run->invocation->result;

        if (!target || run->invocation->dry_run)
                return 0;
        if (record_json_available() < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CAPABILITY,
                                    "--result='%.512s' needs the library " JSON_LIBRARY_NAME
                                    ": install the package " JSON_LIBRARY_PACKAGE,
                                    target);
        run->result_fd = open_result(target);
        if (run->result_fd < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "--result='%.512s' cannot be opened: %s: name a file of your "
                                    "own that is no "
                                    "link and can be written, or fd:N with an open descriptor",
                                    target, strerror(-run->result_fd));
        return 0;
}

static int open_journal(Run *run) {
        run->audit_fd = audit_open();
        if (run->audit_fd >= 0)
                return 0;
        if (check_systemd(run) < 0)
                return -ENOTRECOVERABLE;
        if (run->policy->audit == AUDIT_REQUIRED)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_AUDIT,
                        "journald cannot be reached (%s), and without a record there is no "
                        "run: start systemd-journald.socket, or say -p "
                        "Audit=best-effort" DOCTOR_HINT,
                        strerror(-run->audit_fd));
        if (!run->invocation->quiet)
                log_line("journald cannot be reached (%s), ignoring: this run leaves no record",
                         strerror(-run->audit_fd));
        return 0;
}

static void explain_grants(const Run *run) {
        for (size_t i = 0; run->invocation->verbose && i < run->n_opened; i++) {
                const Grant *grant = &run->policy->grants[run->opened[i].grant];

                if (i == 0 || run->opened[i].grant != run->opened[i - 1].grant)
                        log_line("granted: %s='%s'%s", grant->key, grant->path,
                                 grant->implicit ? ", by what is run" : "");
        }
}

static void warn_about_output(const Run *run) {
        struct stat st;
        char limit[VALUE_FORMAT_SIZE];

        if (run->invocation->quiet || fstat(STDOUT_FILENO, &st) < 0 || !S_ISREG(st.st_mode) ||
            (uint64_t)st.st_size < run->policy->limit_fsize_bytes)
                return;
        value_format_number(VALUE_SIZE, NULL, run->policy->limit_fsize_bytes, limit);
        log_line("stdout is a file that is already past LimitFSIZE=%s: appending to it will fail "
                 "with "
                 "EFBIG: raise it with -p LimitFSIZE=",
                 limit);
}

/* Early: systemctl status shows the keeper's to everybody. */
static int hide_command(Run *run) {
        record_hide_words(run);
        return 0;
}

/* The caller's limit on the size of files is not the program's, which has LimitFSIZE, but would
 * meet what confine writes itself: marks of uids, secrets, the result. */
static int lift_file_limit(Run *run) {
        struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

        if (setrlimit(RLIMIT_FSIZE, &limit) == 0)
                return 0;
        if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_max < run->policy->limit_fsize_bytes)
                return step_limit_failed(run, RLIMIT_FSIZE, strerror(EPERM));
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
                return step_limit_failed(run, RLIMIT_FSIZE, strerror(errno));
        return 0;
}

static int prepare_program(Run *run) {
        const Setting *asked = settings_last(run->invocation->settings, KEY_User);
        int r;

        r = form_program(run->invocation, &run->facts, run->policy, &run->python, &run->program,
                         &run->outcome);
        if (r < 0)
                return r;
        r = identity_resolve(run->policy, run->invocation->settings, !run->invocation->dry_run,
                             &run->identity, &run->outcome);
        if (r < 0)
                return r;
        if (run->identity.switch_ids && run->identity.uid == 0 && asked && !run->invocation->quiet)
                log_line("the program runs as root, as 'User=%s' (%s) says: file permissions do "
                         "not protect this machine from it",
                         asked->value, asked->origin);
        run->have_terminal = isatty(STDIN_FILENO) || isatty(STDOUT_FILENO) || isatty(STDERR_FILENO);
        return 0;
}

static int take(Run *run, int (*const stages[])(Run *run), size_t n) {
        for (size_t i = 0; i < n; i++) {
                int r;

                r = stages[i](run);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int prepare_environment(Run *run) {
        int r;

        r = program_environment(run->policy, &run->identity, environ, run->have_terminal,
                                run->view.scratch[0], run->view.credentials, &run->program);
        if (r < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot build the environment: %s", strerror(-r));
        return 0;
}

int prepare_sandbox(Run *run) {
        static int (*const stages[])(Run * run) = {
                check_machine,       prepare_program, grants_open,  view_decide,
                prepare_environment, secrets_read,    ruleset_make, filters_prepare,
        };

        return take(run, stages, ARRAY_SIZE(stages));
}

int prepare_run(Run *run) {
        static int (*const stages[])(Run * run) = {
                make_id,      hide_command,    prepare_result,
                open_journal, lift_file_limit, prepare_sandbox,
        };
        int r;

        run->start_deadline_usec =
                clock_add_usec(clock_now_usec(), run->policy->start_timeout_usec);
        r = take(run, stages, ARRAY_SIZE(stages));
        if (r < 0)
                return r;
        explain_grants(run);
        warn_about_output(run);
        return 0;
}
