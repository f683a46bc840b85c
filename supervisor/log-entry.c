/* SPDX-License-Identifier: MIT */
/* A record that was read back. Pure: what journald and the clock say is handed in. */
#include "supervisor/log-entry.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

typedef struct Known {
        char name[32];
        bool is_number;
} Known;

static const Known known[] = {
        { "_UID", true },      { "_EXE", false },        { "_TRANSPORT", false }, { "_PID", true },
        { "_BOOT_ID", false }, { "_MACHINE_ID", false }, { "_HOSTNAME", false },
#define FIELD(name_, is_number_) { "CONFINE_" name_, is_number_ },
#include "supervisor/log-fields.def"
};

/* The name of a label: letters, digits and '_', as a journal's field. */
static bool is_label(const char *name, size_t length) {
        return length > strlen(LOG_LABEL) && memcmp(name, LOG_LABEL, strlen(LOG_LABEL)) == 0;
}

static bool find_known(const char *name, size_t length, bool *ret_is_number) {
        for (size_t i = 0; i < ARRAY_SIZE(known); i++)
                if (strlen(known[i].name) == length && memcmp(known[i].name, name, length) == 0) {
                        *ret_is_number = known[i].is_number;
                        return true;
                }
        *ret_is_number = false;
        return is_label(name, length);
}

static const LogField *find(const LogEntry *entry, const char *name, size_t length) {
        for (size_t i = 0; i < entry->n_fields; i++)
                if (strlen(entry->fields[i].name) == length &&
                    memcmp(entry->fields[i].name, name, length) == 0)
                        return &entry->fields[i];
        return NULL;
}

int log_entry_add(LogEntry *entry, const char *data, size_t size) {
        const char *equals = memchr(data, '=', size);
        size_t length = equals ? (size_t)(equals - data) : 0;
        bool is_number;
        char *copy;

        if (!equals || !find_known(data, length, &is_number) || find(entry, data, length))
                return 0;
        /* Labels of any number crowd out nothing else, who sent it least of all. */
        if (is_label(data, length) && entry->n_fields >= LOG_FIELDS_MAX - ARRAY_SIZE(known))
                return 0;
        assert(entry->n_fields < LOG_FIELDS_MAX);
        copy = malloc(size + 1);
        if (!copy)
                return -ENOMEM;
        memcpy(copy, data, size);
        for (char *nul = copy; (nul = memchr(nul, '\0', (size_t)(copy + size - nul)));)
                *nul = '?';
        copy[size] = '\0';
        copy[length] = '\0';
        entry->fields[entry->n_fields++] = (LogField){ copy, copy + length + 1, is_number };
        return 0;
}

void log_entry_done(LogEntry *entry) {
        for (size_t i = 0; i < entry->n_fields; i++)
                free(entry->fields[i].name);
        entry->n_fields = 0;
}

const char *log_entry_get(const LogEntry *entry, const char *name) {
        const LogField *field = find(entry, name, strlen(name));

        return field ? field->value : "";
}

static bool has(const LogEntry *entry, const char *name, const char *value) {
        return strcmp(log_entry_get(entry, name), value) == 0;
}

LogTrust log_entry_trust(const LogEntry *entry, const char *own_exe) {
        const char *uid = log_entry_get(entry, "_UID");

        /* Not its _COMM: that is the name of the link, or of the script with #!, it was run by. */
        if (!has(entry, "_TRANSPORT", "journal") || !uid[0])
                return LOG_FORGED;
        if (!has(entry, "_EXE", "/usr/bin/confine") &&
            !has(entry, "_EXE", "/usr/local/bin/confine") &&
            !(own_exe && has(entry, "_EXE", own_exe)))
                return LOG_FORGED;
        if (strcmp(uid, "0") == 0)
                return LOG_AUTHENTIC;
        if (has(entry, "CONFINE_EVENT", "refused"))
                return LOG_ASSERTED;
        /* A user makes no run of the system manager, and none for somebody else. */
        if (!has(entry, "CONFINE_EVENT", "no-sandbox") && !has(entry, "CONFINE_MANAGER", "user"))
                return LOG_FORGED;
        return has(entry, "CONFINE_UID", uid) ? LOG_ASSERTED : LOG_FORGED;
}

const char *log_entry_cause(const LogEntry *entry, LogState state) {
        const char *cause = log_entry_get(entry, "CONFINE_CAUSE");

        if (state == LOG_RUNNING)
                return "running";
        if (state == LOG_NO_END)
                return "no-end";
        return cause[0] ? cause : log_entry_get(entry, "CONFINE_EVENT");
}

bool log_entry_denials(const LogEntry *entry, uint64_t *ret) {
        static const char names[][25] = {
                "CONFINE_EXEC_DENIALS",  "CONFINE_PROCESS_DENIALS", "CONFINE_NETWORK_DENIALS",
                "CONFINE_LOCAL_DENIALS", "CONFINE_INSPECT_DENIALS", "CONFINE_LANDLOCK_DENIALS",
        };
        bool found = false;
        uint64_t number;

        *ret = 0;
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                if (str_read_number(log_entry_get(entry, names[i]), NULL, &number)) {
                        *ret += number;
                        found = true;
                }
        return found;
}

/* @label is KEY=VALUE; in the record the key is in capitals. */
static bool has_label(const LogEntry *entry, const char *label) {
        size_t length = strcspn(label, "=");

        for (size_t i = 0; i < entry->n_fields; i++) {
                const LogField *field = &entry->fields[i];

                if (is_label(field->name, strlen(field->name)) &&
                    strlen(field->name) == strlen(LOG_LABEL) + length &&
                    strncasecmp(field->name + strlen(LOG_LABEL), label, length) == 0 &&
                    label[length] == '=' && strcmp(field->value, label + length + 1) == 0)
                        return true;
        }
        return false;
}

static bool begins(const char *text, const char *with) {
        return strncmp(text, with, strlen(with)) == 0;
}

/* Whose run it was; one that was refused may have got no uid, and was of who asked for it. */
static const char *owner(const LogEntry *entry) {
        const char *uid = log_entry_get(entry, "CONFINE_UID");

        return uid[0] ? uid : log_entry_get(entry, "_UID");
}

bool log_entry_matches(const LogEntry *entry, LogState state, const LogFilter *filter) {
        uint64_t uid;

        if (filter->cause && strcmp(log_entry_cause(entry, state), filter->cause) != 0)
                return false;
        if (filter->id && !begins(log_entry_get(entry, "CONFINE_ID"), filter->id))
                return false;
        if (filter->manager && !has(entry, "CONFINE_MANAGER", filter->manager))
                return false;
        if (filter->policy && !has(entry, "CONFINE_POLICY", filter->policy) &&
            !begins(log_entry_get(entry, "CONFINE_POLICY_SHA256"), filter->policy))
                return false;
        if (filter->by_uid && (!str_read_number(owner(entry), NULL, &uid) || uid != filter->uid))
                return false;
        for (char *const *label = filter->labels; label && *label; label++)
                if (!has_label(entry, *label))
                        return false;
        return true;
}

bool log_entry_ends(const LogEntry *end, const LogEntry *start) {
        return has(end, "CONFINE_ID", log_entry_get(start, "CONFINE_ID")) &&
               has(end, "_MACHINE_ID", log_entry_get(start, "_MACHINE_ID")) &&
               /* A user can name a cgroup after any run, and root's reap records the end of that:
                * as one of that user's own manager. */
               has(end, "CONFINE_MANAGER", log_entry_get(start, "CONFINE_MANAGER")) &&
               has(end, "CONFINE_UID", log_entry_get(start, "CONFINE_UID")) &&
               (has(end, "_UID", log_entry_get(start, "_UID")) || has(end, "_UID", "0"));
}

uint64_t log_entry_age(const LogEntry *end) {
        uint64_t duration_usec;

        if (str_read_number(log_entry_get(end, "CONFINE_DURATION_USEC"), NULL, &duration_usec))
                return duration_usec;
        /* No other end of a run that was for long lacks it. */
        return has(end, "CONFINE_MANAGER", "user") && has(end, "_UID", "0") &&
                               log_entry_get(end, "CONFINE_KILLED_BY_UID")[0]
                       ? end->monotonic_usec
                       : 0;
}

static int parse_date(const char *text, uint64_t *ret) {
        static const char formats[][20] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d" };

        for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
                struct tm tm = { .tm_isdst = -1 };
                const char *end = strptime(text, formats[i], &tm);
                time_t seconds;
                int month;

                if (!end || *end)
                        continue;
                tm.tm_isdst = -1;
                month = tm.tm_mon;
                seconds = mktime(&tm);
                /* The 31st of a month that has none is for mktime a day of the next one. */
                if (seconds < 0 || month != tm.tm_mon)
                        return -EINVAL;
                *ret = (uint64_t)seconds * USEC_PER_SEC;
                return 0;
        }
        return -EINVAL;
}

int log_parse_time(const char *text, uint64_t now_usec, uint64_t *ret) {
        bool yesterday = strcmp(text, "yesterday") == 0;
        const char *end;
        ValueHint hint;
        uint64_t number;

        if (strcmp(text, "now") == 0) {
                *ret = now_usec;
                return 0;
        }
        if (yesterday || strcmp(text, "today") == 0) {
                time_t now = (time_t)(now_usec / USEC_PER_SEC);
                struct tm tm;

                if (!localtime_r(&now, &tm))
                        return -EINVAL;
                tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
                tm.tm_mday -= yesterday;
                tm.tm_isdst = -1;
                *ret = (uint64_t)mktime(&tm) * USEC_PER_SEC;
                return 0;
        }
        if (text[0] == '-') {
                if (value_parse_number(VALUE_SPAN, NULL, text + 1, &number, &hint) < 0)
                        return -EINVAL;
                *ret = now_usec > number ? now_usec - number : 0;
                return 0;
        }
        if (text[0] == '@') {
                if (!isdigit((unsigned char)text[1]) || !str_read_number(text + 1, &end, &number) ||
                    *end || number > UINT64_MAX / USEC_PER_SEC)
                        return -EINVAL;
                *ret = number * USEC_PER_SEC;
                return 0;
        }
        return parse_date(text, ret);
}
