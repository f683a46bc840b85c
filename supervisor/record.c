/* SPDX-License-Identifier: MIT */
/* The record of a run: the facts as a list. */
#include "supervisor/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "policy/digest.h"
#include "policy/wire.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/filters.h"
#include "supervisor/hash-key.h"

static const struct {
        const char *name;
        const char *message_id;
} events[_RECORD_EVENT_MAX] = {
        [RECORD_START] = { "start", "41b63d7f354140f48dcab0574a8b361d" },
        [RECORD_END] = { "end", "743415a3d5254f2baf0aeac9791fd846" },
        [RECORD_NO_SANDBOX] = { "no-sandbox", "35e730b1e24b4b8b8e034fb767c69f31" },
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

/* The command as AuditArguments= wants it: a hash that says "the same again" to those who read the
 * records, and nothing else to whoever has not the key, or the words, quoted. */
static int add_command(Record *record, Run *run) {
        char *const *argv = run->invocation->command;
        char hex[DIGEST_HEX_SIZE];
        struct iovec *parts;
        size_t n = 0, size = 1;

        while (argv && argv[n])
                size += STR_QUOTED_SIZE(strlen(argv[n++])) + 1;
        if (n == 0)
                return 0; /* the command line was refused before its command */
        if (run->policy && run->policy->audit_arguments == AUDIT_ARGUMENTS_FULL) {
                char *text = malloc(size), *end = text;

                for (size_t i = 0; text && i < n; i++)
                        end = str_quote(argv[i], stpcpy(end, i ? " " : ""));
                return add(record, "COMMAND", text, false);
        }
        if (!hash_key_read(&run->hash_key))
                return 0;
        parts = calloc(n, sizeof(*parts));
        if (!parts)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                parts[i] = (struct iovec){ argv[i], strlen(argv[i]) };
        digest_hmac_sha256_hex(run->hash_key.bytes, sizeof(run->hash_key.bytes), parts, n, hex);
        free(parts);
        return add_text(record, "COMMAND_SHA256", hex);
}

static int add_policy_hash(Record *record, const Policy *policy) {
        _cleanup_free_ char *text = NULL;
        char hex[DIGEST_HEX_SIZE];
        int r;

        if (!policy)
                return 0; /* refused: there is none */
        r = wire_format(policy, &text);
        if (r < 0)
                return r;
        digest_sha256_hex(text, strlen(text), hex);
        return add_text(record, "POLICY_SHA256", hex);
}

const char *record_isolation(const Run *run) {
        return run->view.made &&
                               !(run->policy && run->policy->enforcement == ENFORCEMENT_BEST_EFFORT)
                       ? "container"
                       : "process";
}

static int add_identity(Record *record, Run *run) {
        bool best_effort = run->policy && run->policy->enforcement == ENFORCEMENT_BEST_EFFORT;
        bool sandbox = record->event != RECORD_NO_SANDBOX;
        struct utsname uts = { 0 };
        const struct {
                const char *name;
                const char *value;
        } rows[] = {
                { "EVENT", events[record->event].name },
                { "ID", run->id },
                { "UNIT", run->unit },
                { "MANAGER", !sandbox                    ? NULL
                             : run->facts.system_manager ? "system"
                                                         : "user" },
                { "ISOLATION", sandbox ? record_isolation(run) : NULL },
                { "VIEW", !sandbox         ? NULL
                          : run->view.made ? "private"
                                           : "none" },
                { "ENFORCEMENT", !sandbox      ? NULL
                                 : best_effort ? "best-effort"
                                               : "strict" },
                { "KERNEL", uts.release },
        };
        int r;

        (void)uname(&uts); /* cannot fail with a valid buffer */
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                r = add_text(record, rows[i].name, rows[i].value);
                if (r < 0)
                        return r;
        }
        r = add_number(record, "UID", run->identity.uid);
        if (r < 0)
                return r;
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
        return add_policy_hash(record, run->policy);
}

static uint64_t n_denials(const Outcome *o, DenialFamily family) {
        return o->denials_unknown ? COUNTER_UNKNOWN : o->denials.n_families[family];
}

static int add_denials(Record *record, const Outcome *o) {
        _cleanup_free_ char *text = NULL;
        int r;

        r = denials_format(&o->denials, &text);
        if (r < 0)
                return r;
        return add_text(record, "DENIALS", text);
}

/* What best-effort went without: the keys of limits that nothing enforces, and the counts. */
static int add_missing(Record *record, const Outcome *o) {
        const LimitsFound *found = &o->limits;
        const struct {
                const char *word;
                bool missing;
        } rows[] = {
                { " MemoryMax", found->memory_max_bytes == COUNTER_UNKNOWN },
                { " MemorySwapMax", found->memory_swap_max_bytes == COUNTER_UNKNOWN },
                { " CPUQuota", found->cpu_quota_usec_per_sec == COUNTER_UNKNOWN },
                { " TasksMax", found->tasks_max == COUNTER_UNKNOWN },
                { " denials", o->denials_unknown },
        };
        char text[128] = "", *end = text;

        if (!o->best_effort)
                return 0;
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                if (rows[i].missing)
                        end = stpcpy(end, rows[i].word);
        return add_text(record, "MISSING", text[0] ? text + 1 : text);
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
                { "EXEC_DENIALS", n_denials(o, DENIAL_EXEC) },
                { "PROCESS_DENIALS", n_denials(o, DENIAL_PROCESS) },
                { "NETWORK_DENIALS", n_denials(o, DENIAL_NETWORK) },
                { "LOCAL_DENIALS", n_denials(o, DENIAL_LOCAL) },
                { "INSPECT_DENIALS", n_denials(o, DENIAL_INSPECT) },
                { "KILLED_AFTER_EXIT", c->n_killed_after_exit },
        };
        int r;

        r = add_text(record, "CAUSE", cause_name(o->cause));
        if (r < 0)
                return r;
        r = add_text(record, "LIMIT", o->limit);
        if (r < 0)
                return r;
        r = add_text(record, "ERROR", error_name(o->error));
        if (r < 0)
                return r;
        r = add_text(record, "REASON", o->message);
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

static int compose_message(const Run *run, RecordEvent event, char **ret) {
        const Outcome *o = &run->outcome;
        char how[64] = "";
        int r;

        if (event == RECORD_NO_SANDBOX) {
                r = asprintf(ret, "python3 is run without sandbox by uid %u",
                             (unsigned)run->identity.uid);
                return r < 0 ? -ENOMEM : 0;
        }
        if (event == RECORD_START) {
                r = asprintf(ret, "%s: started for uid %u, %s manager", run->unit,
                             (unsigned)run->identity.uid,
                             run->facts.system_manager ? "system" : "user");
                return r < 0 ? -ENOMEM : 0;
        }
        (void)snprintf(how, sizeof(how), o->signal ? "signal %d" : "status %d",
                       o->signal ? o->signal : o->exit_status);
        r = asprintf(ret, "%s: ended: %s, %s, %" PRIu64 ".%03" PRIu64 "s%s%s", run->unit,
                     cause_name(o->cause), how, o->duration_usec / USEC_PER_SEC,
                     o->duration_usec % USEC_PER_SEC / USEC_PER_MSEC, o->message ? ": " : "",
                     o->message ? o->message : "");
        return r < 0 ? -ENOMEM : 0;
}

int record_build(Run *run, RecordEvent event, Record *ret) {
        _cleanup_(record_done) Record record = { .event = event };
        int r;

        r = compose_message(run, event, &record.message);
        if (r < 0) {
                record.message = NULL; /* asprintf leaves it undefined */
                return r;
        }
        r = add_identity(&record, run);
        if (r < 0)
                return r;
        if (event == RECORD_END) {
                r = add_outcome(&record, run);
                if (r < 0)
                        return r;
        }
        *ret = record;
        record = (Record){ 0 };
        return 0;
}
