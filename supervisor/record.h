/* SPDX-License-Identifier: MIT */
/* The record of a run: one list of facts, made once, rendered as journal fields and JSON. What is
 * not to be told is left out here, upstream of every rendering. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/value.h"
#include "supervisor/run.h"

typedef enum RecordEvent {
        RECORD_START, /* before the program runs */
        RECORD_END,
        RECORD_NO_SANDBOX, /* of --no-sandbox, the only one */
        RECORD_REFUSED,    /* of a run that never began, the only one */
        RECORD_LIMIT,      /* a limit is reached, run->limit_reached */
        RECORD_ORPHAN,     /* processes survive their kill */
        RECORD_REAPED,     /* the end of a run that `confine reap` ended */
        RECORD_KILLED_BY,  /* who ended it by `confine kill` */
        _RECORD_EVENT_MAX,
} RecordEvent;

#define RECORD_FIELDS_MAX (48 + LABELS_MAX)

typedef struct RecordField {
        const char *name; /* as in the journal, without CONFINE_; static, or in the record */
        char *value;      /* NUL-terminated text, no binary zeros; owned */
        bool is_number;
} RecordField;

typedef struct Record {
        RecordEvent event;
        char *message; /* the essentials in one line; owned */
        RecordField fields[RECORD_FIELDS_MAX];
        size_t n_fields;
        char label_names[LABELS_MAX][sizeof("LABEL_") + VALUE_LABEL_KEY_MAX];
} Record;

/* Collects the facts of @run for @event; reads its hash key, if that is needed. Returns 0 or
 * -ENOMEM. Free with record_done(). */
int record_build(Run *run, RecordEvent event, Record *ret);

/* Wipes the words of confine's own command line, which journald stores with each record and
 * everybody may look at, unless AuditArguments= shows them. Only the verb stays. */
void record_hide_words(const Run *run);

/* The tier of isolation that @run claims. Static. */
const char *record_isolation(const Run *run);

/* The stable MESSAGE_ID of @event, 32 hex digits. Static. */
const char *record_message_id(RecordEvent event);

/* Whether record_to_json() will find its library. Returns 0 or -ENOPKG. */
int record_json_available(void);

/* Renders @record as one JSON object with lower-case names and a newline at the end. Values that
 * are not valid UTF-8 are made so in place, byte by byte to a question mark: render JSON last.
 * Returns 0 and *ret (owned by the caller), -ENOMEM or -ENOPKG. */
int record_to_json(Record *record, char **ret);

/* Frees what @record holds; the struct itself is the caller's. Accepts a zeroed one. */
void record_done(Record *record);
