/* SPDX-License-Identifier: MIT */
/* One record as it was read back, whether it can be trusted, and whether somebody asked for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LOG_FIELDS_MAX \
        96U /* of an entry; what a record has is below it, labels of a forged one are cut */
#define LOG_LABEL "CONFINE_LABEL_"

typedef enum LogTrust {
        LOG_AUTHENTIC, /* sent by confine as root, says journald */
        LOG_ASSERTED,  /* sent by confine as the user whose run it was: that user says so */
        LOG_FORGED,    /* sent by something else */
        _LOG_TRUST_MAX,
        _LOG_TRUST_INVALID = -22,
} LogTrust;

typedef enum LogState {
        LOG_ENDED,    /* start and end are there, or it is an event that stands alone */
        LOG_RUNNING,  /* a start, by a confine that lives */
        LOG_NO_END,   /* a start, by a confine that is gone */
        LOG_NO_START, /* an end */
        _LOG_STATE_MAX,
        _LOG_STATE_INVALID = -22,
} LogState;

typedef struct LogField {
        char *name;     /* owned; value is in the same allocation */
        char *value;    /* NUL-terminated, NULs within are '?' */
        bool is_number; /* to be one, by its name; a forged one may hold anything */
} LogField;

typedef struct LogEntry {
        uint64_t realtime_usec;  /* when journald got it */
        uint64_t monotonic_usec; /* the same, since the boot of its machine */
        LogField fields[LOG_FIELDS_MAX];
        size_t n_fields;
} LogEntry;

typedef struct LogFilter {
        uint64_t since_usec; /* CLOCK_REALTIME; 0: from the beginning */
        uint64_t until_usec; /* UINT64_MAX: to the end */
        const char *cause;   /* the word of log_entry_cause(); the others: NULL for any */
        const char *id;      /* the first digits of one */
        const char *policy;  /* its name, or the first digits of its hash */
        const char *manager; /* "system" or "user" */
        bool by_uid;
        uid_t uid;           /* of the program */
        char *const *labels; /* KEY=VALUE, each has to be there; not owned */
} LogFilter;

/* Adds a copy of the field, @size bytes of NAME=VALUE as sd_journal_enumerate_data(3) has them, if
 * it is one that a record has (log-fields.def, labels) or that says who sent it, and the first of
 * its name. Returns 0 or -ENOMEM. */
int log_entry_add(LogEntry *entry, const char *data, size_t size);

/* The value of the first field @name of @entry, owned by it; "" if there is none. */
const char *log_entry_get(const LogEntry *entry, const char *name);

/* Who stands for @entry. @own_exe: the path of this program, or NULL. */
LogTrust log_entry_trust(const LogEntry *entry, const char *own_exe);

/* How it ended, in a word: its cause, or why there is none. Owned by @entry, or static. */
const char *log_entry_cause(const LogEntry *entry, LogState state);

/* Sums up in *@ret what was denied, whatever the family. Returns whether @entry tells of any. */
bool log_entry_denials(const LogEntry *entry, uint64_t *ret);

/* Whether @filter lets @entry through; its times are not looked at. */
bool log_entry_matches(const LogEntry *entry, LogState state, const LogFilter *filter);

/* Whether @end is that of the run of @start: on the same machine, of the same manager and uid, by
 * the same sender or by root, who may end anybody's. */
bool log_entry_ends(const LogEntry *end, const LogEntry *start);

/* How long before the end @end its run began, at most: by its duration; where root's reap could not
 * tell that of a user's run, no longer than the machine is up. Microseconds. */
uint64_t log_entry_age(const LogEntry *end);

/* Reads a point in time: now, today, yesterday, -SPAN, @SECONDS, or YYYY-MM-DD[ HH:MM[:SS]] in
 * local time. @now_usec: CLOCK_REALTIME. Returns 0 and *ret in microseconds of CLOCK_REALTIME;
 * -EINVAL. */
int log_parse_time(const char *text, uint64_t now_usec, uint64_t *ret);

/* Frees what @entry holds, and empties it; the struct itself is the caller's. */
void log_entry_done(LogEntry *entry);
