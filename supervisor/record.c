/* SPDX-License-Identifier: MIT */
/* The record of a run: the facts as a list. */
#include "supervisor/record.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "policy/digest.h"
#include "policy/isolation.h"
#include "policy/wire.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/filters.h"
#include "supervisor/hash-key.h"
#include "supervisor/landlock-audit.h"

static const struct {
        const char *name;
        const char *message_id;
} events[_RECORD_EVENT_MAX] = {
        [RECORD_START] = { "start", "41b63d7f354140f48dcab0574a8b361d" },
        [RECORD_END] = { "end", "743415a3d5254f2baf0aeac9791fd846" },
        [RECORD_NO_SANDBOX] = { "no-sandbox", "35e730b1e24b4b8b8e034fb767c69f31" },
        [RECORD_REFUSED] = { "refused", "8f0b5d1c7e2a4936b1d47c05e9a36f28" },
        [RECORD_LIMIT] = { "limit", "6f260232d74f42ff9daacbe0e1c87efa" },
        [RECORD_ORPHAN] = { "orphan", "f11fda7082ad4fd987b988ed3f744913" },
        [RECORD_REAPED] = { "end", "743415a3d5254f2baf0aeac9791fd846" },
        [RECORD_KILLED_BY] = { "killed-by", "32923034b5d742bdafebfa05591de3ab" },
};

const char *record_message_id(RecordEvent event) {
        return events[event].message_id;
}

void record_done(Record *record) {
        for (size_t i = 0; i < record->n_fields; i++)
                free(record->fields[i].value);
        free(record->message);
        *record = (Record){ 0 };
}

/* Takes ownership of @value; NULL is out of memory. */
static int add(Record *record, const char *name, char *value, bool is_number) {
        if (!value)
                return -ENOMEM;
        if (record->n_fields == RECORD_FIELDS_MAX) {
                free(value);
                return -ENOBUFS;
        }
        record->fields[record->n_fields++] = (RecordField){ name, value, is_number };
        return 0;
}

static int add_text(Record *record, const char *name, const char *value) {
        return value && value[0] ? add(record, name, strdup(value), false) : 0;
}

static int add_number(Record *record, const char *name, uint64_t value) {
        char *text;

        if (value == COUNTER_UNKNOWN)
                return 0;
        if (asprintf(&text, "%" PRIu64, value) < 0)
                return -ENOMEM;
        return add(record, name, text, true);
}

static bool shows_command(const Run *run) {
        return run->policy && run->policy->audit_arguments == AUDIT_ARGUMENTS_FULL &&
               !run->shows_secret;
}

void record_hide_words(const Run *run) {
        if (shows_command(run))
                return;
        for (char **word = run->invocation->words; *word; word++)
                if (strcmp(*word, "run") != 0)
                        explicit_bzero(*word, strlen(*word));
}

/* The command as AuditArguments= wants it: a hash that says "the same again" to those who read the
 * records, and nothing else to whoever has not the key, or the words, quoted. */
static int add_command(Record *record, Run *run) {
        char *const *argv = run->invocation->command;
        struct iovec *parts;
        size_t n = 0, size = 1;

        while (argv && argv[n])
                size += STR_QUOTED_SIZE(strlen(argv[n++])) + 1;
        if (n == 0)
                return 0; /* the command line was refused before its command */
        if (shows_command(run)) {
                char *text = malloc(size), *end = text;

                for (size_t i = 0; text && i < n; i++)
                        end = str_quote(argv[i], stpcpy(end, i ? " " : ""));
                return add(record, "COMMAND", text, false);
        }
        if (run->command_sha256[0] || !hash_key_read(&run->hash_key))
                return add_text(record, "COMMAND_SHA256", run->command_sha256);
        parts = calloc(n, sizeof(*parts));
        if (!parts)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                parts[i] = (struct iovec){ argv[i], strlen(argv[i]) };
        digest_hmac_sha256_hex(run->hash_key.bytes, sizeof(run->hash_key.bytes), parts, n,
                               run->command_sha256);
        free(parts);
        return add_text(record, "COMMAND_SHA256", run->command_sha256);
}

static int add_policy_hash(Record *record, Run *run) {
        _cleanup_free_ char *text = NULL;
        int r;

        if (run->policy && !run->policy_sha256[0]) { /* none: refused */
                r = wire_format(run->policy, &text);
                if (r < 0)
                        return r;
                digest_sha256_hex(text, strlen(text), run->policy_sha256);
        }
        return add_text(record, "POLICY_SHA256", run->policy_sha256);
}

static int add_labels(Record *record, const Run *run) {
        for (size_t i = 0; run->policy && !run->shows_secret && run->policy->labels[i]; i++) {
                const char *label = run->policy->labels[i];
                char *name = record->label_names[i], *end = stpcpy(name, "LABEL_");
                int r;

                for (; *label != '='; label++)
                        *end++ = (char)toupper(*label);
                *end = '\0';
                r = add_text(record, name, label + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

const char *record_isolation(const Run *run) {
        return isolation_name(run->policy ? isolation_provided(run->policy, run->view.made)
                                          : TIER_PROCESS);
}

/* What it was that ran. */
static int add_request(Record *record, Run *run) {
        int r;

        if (record->event == RECORD_REAPED) {
                r = add_text(record, "COMMAND_SHA256", run->command_sha256);
                return r < 0 ? r : add_text(record, "POLICY_SHA256", run->policy_sha256);
        }
        if (run->facts.landlock_abi > 0) {
                r = add_number(record, "LANDLOCK_ABI", (uint64_t)run->facts.landlock_abi);
                if (r < 0)
                        return r;
        }
        r = add_text(record, "SECCOMP_SHA256", filters_sha256(run));
        if (r < 0)
                return r;
        r = add_command(record, run);
        if (r < 0)
                return r;
        r = add_text(record, "CODE_SHA256", run->code_sha256);
        if (r < 0)
                return r;
        return add_policy_hash(record, run);
}

static int add_identity(Record *record, Run *run) {
        bool best_effort = run->policy && run->policy->enforcement == ENFORCEMENT_BEST_EFFORT;
        bool nothing = record->event == RECORD_NO_SANDBOX;
        bool sandbox = !nothing && record->event != RECORD_REAPED; /* how it was made is known */
        struct utsname uts = { 0 };
        const struct {
                const char *name;
                const char *value;
        } rows[] = {
                { "EVENT", events[record->event].name },
                { "ID", run->id },
                { "UNIT", run->unit },
                { "MANAGER", nothing                     ? NULL
                             : run->facts.system_manager ? "system"
                                                         : "user" },
                { "ISOLATION", sandbox   ? record_isolation(run)
                               : nothing ? isolation_name(TIER_UNKNOWN)
                                         : NULL },
                { "ERROR", nothing ? error_name(ERROR_UNVERIFIED_ISOLATION) : NULL },
                { "VIEW", !sandbox         ? NULL
                          : run->view.made ? "private"
                                           : "none" },
                { "ENFORCEMENT", !sandbox      ? NULL
                                 : best_effort ? "best-effort"
                                               : "strict" },
                { "KERNEL", uts.release },
                { "UNOBSERVED", sandbox && !landlock_audit_tells(run) ? "file-denials" : NULL },
                { "POLICY", sandbox ? run->invocation->policy : NULL },
        };
        int r;

        (void)uname(&uts); /* cannot fail with a valid buffer */
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                r = add_text(record, rows[i].name, rows[i].value);
                if (r < 0)
                        return r;
        }
        /* A run that never began may have got none: journald's _UID says who asked. */
        r = record->event == RECORD_REFUSED ? 0 : add_number(record, "UID", run->identity.uid);
        return r < 0 ? r : add_request(record, run);
}

static uint64_t n_denials(const Outcome *o, DenialFamily family) {
        return o->denials_unknown ? COUNTER_UNKNOWN : o->denials.n_families[family];
}

static int add_denials(Record *record, const Outcome *o) {
        _cleanup_free_ char *text = NULL;
        int r;

        r = denials_format(&o->denials, &text);
        return r < 0 ? r : add_text(record, "DENIALS", text);
}

/* What best-effort went without: the keys of limits that nothing enforces, and the counts. */
static int add_missing(Record *record, const Outcome *o) {
        char text[256] = "", *end = text;

        if (!o->best_effort)
                return 0;
        for (Key key = 0; key < _KEY_MAX; key++)
                if (o->keys_missing & UINT64_C(1) << key)
                        end = stpcpy(stpcpy(end, " "), key_info(key)->name);
        if (o->denials_unknown)
                (void)stpcpy(end, " denials");
        return add_text(record, "MISSING", text[0] ? text + 1 : text);
}

static int add_cause(Record *record, const Outcome *o) {
        const struct {
                const char *name;
                const char *value;
        } rows[] = {
                { "CAUSE", cause_name(o->cause) }, { "LIMIT", o->limit },
                { "SLICE_LIMIT", o->slice_limit }, { "ERROR", error_name(o->error) },
                { "REASON", o->message },
        };
        int r = 0;

        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(rows); i++)
                r = add_text(record, rows[i].name, rows[i].value);
        return r;
}

static int add_outcome(Record *record, const Run *run) {
        const Outcome *o = &run->outcome;
        const Counters *c = &o->counters;
        const struct {
                const char *name;
                uint64_t value;
        } numbers[] = {
                { "EXIT_STATUS", o->signal ? COUNTER_UNKNOWN : (uint64_t)o->exit_status },
                { "SIGNAL", o->signal ? (uint64_t)o->signal : COUNTER_UNKNOWN },
                { "DURATION_USEC", o->duration_usec },
                { "CPU_USEC", c->cpu_usec },
                { "CPU_THROTTLED_USEC", c->throttled_usec },
                { "CPU_THROTTLED_PERIODS", c->n_throttled },
                { "MEMORY_PEAK_BYTES", c->memory_peak_bytes },
                { "OOM_KILLS", c->n_oom_kills },
                { "TASKS_PEAK", c->tasks_peak },
                { "TASKS_REFUSED", c->n_tasks_refused },
                { "SLICE_TASKS_REFUSED", c->n_slice_tasks_refused },
                { "DISK_BYTES", c->disk_bytes },
                { "DISK_FULL", c->disk_is_full },
                { "EXEC_DENIALS", n_denials(o, DENIAL_EXEC) },
                { "PROCESS_DENIALS", n_denials(o, DENIAL_PROCESS) },
                { "NETWORK_DENIALS", n_denials(o, DENIAL_NETWORK) },
                { "LOCAL_DENIALS", n_denials(o, DENIAL_LOCAL) },
                { "INSPECT_DENIALS", n_denials(o, DENIAL_INSPECT) },
                { "LANDLOCK_DENIALS", c->n_landlock_denials },
                { "DENIALS_DROPPED", o->denials_unknown ? COUNTER_UNKNOWN : o->denials.n_others },
                { "KILLED_AFTER_EXIT", c->n_killed_after_exit },
                { "KILLED_BY_UID", o->killed_by_uid },
        };
        int r;

        r = add_cause(record, o);
        if (r < 0)
                return r;
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
                r = add_number(record, numbers[i].name, numbers[i].value);
                if (r < 0)
                        return r;
        }
        r = add_denials(record, o);
        if (r < 0)
                return r;
        return add_missing(record, o);
}

static char *compose_end(const Run *run) {
        const Outcome *o = &run->outcome;
        char how[64], age[64] = "";

        (void)snprintf(how, sizeof(how), o->signal ? "signal %d" : "status %d",
                       o->signal ? o->signal : o->exit_status);
        if (o->duration_usec != COUNTER_UNKNOWN)
                (void)snprintf(age, sizeof(age), ", %.3fs", (double)o->duration_usec / 1e6);
        return str_format("%s: ended: %s, %s%s%s%s", run->unit, cause_name(o->cause), how, age,
                          o->message ? ": " : "", o->message ? o->message : "");
}

static char *compose_message(const Run *run, RecordEvent event) {
        const Outcome *o = &run->outcome;
        unsigned uid = (unsigned)run->identity.uid;
        const char *error = error_name(o->error); /* "": none */

        switch (event) {
        case RECORD_NO_SANDBOX:
                return str_format(
                        "python3 is run without sandbox by uid %u: its isolation is unknown [%s]",
                        uid, error_name(ERROR_UNVERIFIED_ISOLATION));
        case RECORD_START:
                return str_format("%s: started for uid %u, %s manager", run->unit, uid,
                                  run->facts.system_manager ? "system" : "user");
        case RECORD_REFUSED:
                return str_format("%s%s: %s%s%s%s", run->unit[0] ? run->unit : "a run",
                                  o->cause == CAUSE_REFUSED ? " was refused"
                                                            : " could not be started",
                                  o->message ? o->message : "no reason is known",
                                  error[0] ? " [" : "", error, error[0] ? "]" : "");
        case RECORD_LIMIT:
                return str_format("%s: reached %s", run->unit, run->limit_reached);
        case RECORD_ORPHAN:
                return str_format("%s: processes survive their kill", run->unit);
        case RECORD_KILLED_BY:
                return str_format("%s: killed by uid %" PRIu64, run->unit, o->killed_by_uid);
        case RECORD_REAPED:
                return str_format("%s: ended: %s", run->unit, o->message);
        case RECORD_END:
        case _RECORD_EVENT_MAX:
                break;
        }
        return compose_end(run);
}

static int add_event(Record *record, const Run *run) {
        switch (record->event) {
        case RECORD_END:
        case RECORD_REAPED:
                return add_outcome(record, run);
        case RECORD_REFUSED:
                return add_cause(record, &run->outcome);
        case RECORD_LIMIT:
                return add_text(record, "LIMIT", run->limit_reached);
        case RECORD_KILLED_BY:
                return add_number(record, "KILLED_BY_UID", run->outcome.killed_by_uid);
        case RECORD_START:
                return run->supervisor_mark.pid == 0 /* a /proc that hides it */
                               ? 0
                               : add_number(record, "PROCESS_START", run->supervisor_mark.start);
        case RECORD_NO_SANDBOX:
        case RECORD_ORPHAN:
        case _RECORD_EVENT_MAX:
                break;
        }
        return 0;
}

static int build(Run *run, Record *record) {
        int r;

        record->message = compose_message(run, record->event);
        if (!record->message)
                return -ENOMEM;
        r = add_identity(record, run);
        if (r < 0)
                return r;
        r = add_labels(record, run);
        if (r < 0)
                return r;
        return add_event(record, run);
}

int record_build(Run *run, RecordEvent event, Record *ret) {
        int r;

        *ret = (Record){ .event = event };
        r = build(run, ret);
        if (r < 0)
                record_done(ret);
        return r;
}
