/* SPDX-License-Identifier: MIT */
/* The end of a run. The order matters: the leaf is emptied before its counters are read, they are
 * read before the keeper goes, and with the keeper the scope goes. */
#include "supervisor/finish.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "policy/value.h"
#include "supervisor/audit.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/log.h"
#include "supervisor/cgroup.h"
#include "supervisor/explain.h"
#include "supervisor/landlock-audit.h"
#include "supervisor/moment.h"
#include "supervisor/record.h"
#include "supervisor/refusal.h"
#include "supervisor/slice-counts.h"
#include "supervisor/spawn.h"
#include "supervisor/worker/report.h"

#define AUDIT_TIMEOUT_USEC  (5 * USEC_PER_SEC)
#define RESULT_TIMEOUT_USEC (5 * USEC_PER_SEC)

static void empty_leaf(Run *run) {
        uint64_t deadline = clock_add_usec(clock_now_usec(),
                                           MAX(run->policy->timeout_stop_usec, ORPHAN_MIN_USEC));
        Outcome *o = &run->outcome;

        int populated = cgroup_populated(run->leaf_fd);

        /* Killed unless it is known to be empty or gone. */
        if (populated == 0 || populated == -ENODEV || populated == -ENOENT)
                return;
        o->counters.n_killed_after_exit = cgroup_count(run->leaf_fd);
        (void)cgroup_kill(run->leaf_fd); /* checked by what follows */
        if (cgroup_wait_empty(run->leaf_fd, deadline) == -ETIMEDOUT)
                o->orphaned = true;
}

/* The kernel does not count what a tmpfs refused, so this is what can be seen: how full it is, once
 * the program has ended and before what it left behind is killed. */
static void read_scratch(Run *run) {
        Counters *c = &run->outcome.counters;
        struct statfs fs;

        if (run->scratch_fd < 0 || fstatfs(run->scratch_fd, &fs) < 0)
                return;
        c->disk_bytes = (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
        c->disk_is_full = fs.f_bfree == 0 || fs.f_ffree == 0;
        run->scratch_fd = fd_close(run->scratch_fd);
}

/* Until the keeper knows that it may go; it removes the leaf itself, while the record is made. */
static void settle(Run *run) {
        const Message quit = { .kind = MESSAGE_QUIT };
        Outcome *o = &run->outcome;

        if (run->started_usec) {
                o->duration_usec = clock_now_usec() - run->started_usec;
                read_scratch(run);
        }
        if (run->leaf_fd >= 0)
                empty_leaf(run);
        if (!o->orphaned)
                spawn_end_worker(run);
        if (!run->started_usec) {
                /* The keeper knows no leaf yet, and it is not alone either. */
                if (run->leaf_fd >= 0)
                        (void)cgroup_remove_leaf(run->scope_fd); /* finish_run() looks */
                if (run->keeper_fd >= 0)
                        (void)message_send(run->keeper_fd, &quit, -EBADF); /* gone: the same end */
                return;
        }
        cgroup_read_counters(run->scope_fd, run->leaf_fd, &o->counters);
        slice_counts_explain_tasks(run);
        explain_end(run);
        moment_record_outcome(run);
        if (run->keeper_fd >= 0)
                (void)message_send(run->keeper_fd, &quit, -EBADF); /* gone: the end is the same */
}

static void note_audit_failure(Run *run, const char *what, int error) {
        const char *reason =
                error == -ETIMEDOUT ? "journald does not read its socket" : strerror(-error);

        if (run->policy->audit == AUDIT_REQUIRED)
                (void)outcome_fail(&run->outcome, CAUSE_AUDIT, ERROR_AUDIT,
                                   "the %s record could not be stored: %s: check 'systemctl status "
                                   "systemd-journald' and 'confine doctor'",
                                   what, reason);
        else if (!run->invocation->quiet)
                log_line("the %s record could not be stored: %s, ignoring", what, reason);
}

/* A file of confine's own: that it is still the one behind its name, since a program that may write
 * to the directory may leave another there, and that nothing stands in it. */
static int clear_result_file(const Run *run) {
        struct stat opened, named;

        if (strncmp(run->invocation->result, "fd:", 3) == 0)
                return 0;
        if (fstat(run->result_fd, &opened) < 0)
                return -errno;
        if (lstat(run->invocation->result, &named) < 0 || named.st_dev != opened.st_dev ||
            named.st_ino != opened.st_ino)
                return -ESTALE;
        if (S_ISREG(opened.st_mode) && ftruncate(run->result_fd, 0) < 0)
                return -errno;
        return 0;
}

/* Rendered anew, not from the record that was sent: whether that was stored belongs into it. */
static int write_result(Run *run) {
        _cleanup_(record_done) Record record = { 0 };
        _cleanup_free_ char *json = NULL;
        int r;

        r = record_build(run, RECORD_END, &record);
        if (r < 0)
                return r;
        r = record_to_json(&record, &json);
        if (r < 0)
                return r;
        r = clear_result_file(run);
        if (r < 0)
                return r;
        r = fd_write_until(run->result_fd, json, strlen(json),
                           clock_add_usec(clock_now_usec(), RESULT_TIMEOUT_USEC));
        if (r < 0)
                return r;
        return close(TAKE_FD(run->result_fd)) < 0 ? -errno : 0; /* where a quota may show */
}

void finish_result(Run *run) {
        const char *reason;
        int r;

        if (run->result_fd < 0)
                return;
        r = write_result(run);
        if (r == 0)
                return;
        reason = r == -ESTALE      ? "it was replaced or removed: name a file in a directory that "
                                     "the program cannot write to"
                 : r == -ETIMEDOUT ? "nobody reads it: start its reader first"
                                   : strerror(-r);
        log_line("the result could not be stored in '%s': %s [%s]", run->invocation->result, reason,
                 error_name(ERROR_AUDIT)); /* also with -q: the file does not say it */
        (void)outcome_fail(&run->outcome, CAUSE_AUDIT, ERROR_AUDIT, "%s", reason);
}

static void send_record(Run *run, const Record *record, uint64_t deadline_usec) {
        _cleanup_(audit_entry_done) AuditEntry entry = { 0 };
        int r;

        if (run->audit_fd < 0 || !run->start_recorded)
                return;
        r = audit_format(record, run->unit, run->facts.system_manager, &entry);
        if (r == 0)
                r = audit_send(run->audit_fd, &entry, deadline_usec);
        if (r == 0)
                return;
        note_audit_failure(run, "end", r);
        run->start_recorded = false; /* nothing to confirm */
}

static void store_end(Run *run, uint64_t deadline_usec) {
        _cleanup_(record_done) Record record = { 0 };
        int r;

        if (!run->start_recorded && !run->started_usec) {
                if (!run->journal_stuck)
                        refusal_record(run);
                return;
        }
        r = record_build(run, RECORD_END, &record);
        if (r < 0)
                note_audit_failure(run, "end", r);
        else
                send_record(run, &record, deadline_usec);
}

void finish_run(Run *run) {
        uint64_t deadline;
        int r;

        if (!run->worker_ended)
                spawn_end_worker(run);
        settle(run);
        landlock_audit_finish(run); /* while the keeper ends */
        deadline = clock_add_usec(clock_now_usec(), AUDIT_TIMEOUT_USEC);
        store_end(run, deadline);
        spawn_end_keeper(run);
        if (run->leaf_fd >= 0 && cgroup_has_leaf(run->scope_fd) && !run->outcome.orphaned)
                log_line("the cgroup of '%s' could not be removed, ignoring", run->unit);
        if (run->start_recorded && run->audit_fd >= 0 && !run->journal_stuck) {
                r = audit_confirm(run->audit_fd, deadline);
                if (r < 0)
                        note_audit_failure(run, "end", r);
        }
}

static void report_verbose(const Run *run) {
        const Outcome *o = &run->outcome;
        _cleanup_free_ char *denials = NULL;

        if (!run->invocation->verbose || !o->started)
                return;
        (void)denials_format(&o->denials, &denials); /* out of memory: left out */
        log_line("'%s' ended: %s, %" PRIu64 ".%03" PRIu64 "s, denied: %s", run->unit,
                 cause_name(o->cause), o->duration_usec / USEC_PER_SEC,
                 o->duration_usec % USEC_PER_SEC / USEC_PER_MSEC,
                 denials              ? denials
                 : o->denials_unknown ? "not counted"
                                      : "nothing");
}

/* A program that fails rarely says that it was for want of a grant. */
static void report_denials(const Run *run) {
        const Invocation *invocation = run->invocation;
        const char *name = invocation->command[invocation->form == FORM_MODULE]; /* not "-m" */
        const Outcome *o = &run->outcome;
        _cleanup_free_ char *what = NULL;

        if (!(o->cause == CAUSE_EXIT && o->exit_status != 0) && o->cause != CAUSE_SIGNAL)
                return;
        if (denials_explain(&o->denials, run->policy, &what) == 0 && what)
                log_line("'%s' was denied %s, which may be why it failed", name, what);
        if (o->counters.n_landlock_denials != COUNTER_UNKNOWN && o->counters.n_landlock_denials > 0)
                log_line("Landlock denied '%s' access %" PRIu64
                         " time%s, which may be why it failed: "
                         "grant files with --allow-read=, --allow-write= or --allow-exec=",
                         name, o->counters.n_landlock_denials,
                         o->counters.n_landlock_denials == 1 ? "" : "s");
        if (run->python.unlisted)
                log_line("a home directory is granted without its hidden entries, so Python cannot "
                         "list it and finds no modules there, which may be why '%s' failed: put it "
                         "into a directory of its own",
                         name);
}

/* Not to a program that got along: others of the slice may have met the limit. */
static void report_slice(const Outcome *o) {
        _cleanup_free_ char *name = NULL;

        if (!o->slice_limit || (o->cause == CAUSE_EXIT && o->exit_status == 0))
                return;
        name = strndup(o->slice_limit, strcspn(o->slice_limit, " "));
        if (name)
                log_line("'%s' reached its TasksMax, and %" PRIu64 " forks or threads were refused "
                         "meanwhile: not the run's own TasksMax; see 'systemctl show -p TasksMax "
                         "%s' [%s]",
                         name, o->counters.n_slice_tasks_refused, name,
                         error_name(ERROR_RESOURCE_LIMIT));
}

/* Limits that a program lives with, so that they are not the cause of its end. */
static void report_limits(const Run *run) {
        const Counters *c = &run->outcome.counters;
        const char *error = error_name(ERROR_RESOURCE_LIMIT);
        char size[VALUE_FORMAT_SIZE];

        if (c->n_tasks_refused != COUNTER_UNKNOWN && c->n_tasks_refused > 0)
                log_line("TasksMax=%" PRIu64 " reached: %" PRIu64 " %s refused: raise it with "
                         "--tasks=%s [%s]",
                         run_tasks_max(run), c->n_tasks_refused,
                         run->policy->subprocess ? "forks or threads" : "threads",
                         run->policy->subprocess ? ""
                                                 : ", or have numerical libraries start fewer with "
                                                   "-p Environment=OMP_NUM_THREADS=1",
                         error);
        if (c->disk_is_full == 1) {
                value_format_number(VALUE_SIZE, NULL, run->policy->disk_max_bytes, size);
                log_line("DiskMax=%s reached: scratch was full at the end: raise it with "
                         "-p DiskMax= [%s]",
                         size, error);
        }
}

void finish_report(const Run *run) {
        const Outcome *o = &run->outcome;

        if (run->invocation->quiet)
                return;
        report_verbose(run);
        if (o->message)
                log_line("%s%s%s%s", o->message, o->error == ERROR_NONE ? "" : " [",
                         error_name(o->error), o->error == ERROR_NONE ? "" : "]");
        report_denials(run);
        report_limits(run);
        report_slice(o);
}
