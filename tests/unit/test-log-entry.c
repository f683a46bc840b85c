/* SPDX-License-Identifier: MIT */
/* supervisor/log-entry.c: S19, whom a record is believed, and which ones are asked for. */
#include "supervisor/log-entry.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

#define FIELDS_MAX 12
#define SECOND     UINT64_C(1000000)
#define NOW        (UINT64_C(1796032800) * SECOND) /* 2026-11-30 10:00 in UTC */

#define BY_ROOT   "_TRANSPORT=journal", "_COMM=confine", "_EXE=/usr/bin/confine", "_UID=0"
#define BY_USER   "_TRANSPORT=journal", "_COMM=confine", "_EXE=/usr/bin/confine", "_UID=1000"
#define OF_USER   "CONFINE_MANAGER=user", "CONFINE_UID=1000"
#define OF_SYSTEM "CONFINE_MANAGER=system", "CONFINE_UID=60578"

static void add(LogEntry *entry, const char *data, size_t size) {
        if (log_entry_add(entry, data, size) < 0)
                bail_out("out of memory");
}

static LogEntry entry_of(const char *const fields[static FIELDS_MAX]) {
        LogEntry entry = { 0 };

        for (size_t i = 0; i < FIELDS_MAX && fields[i]; i++)
                add(&entry, fields[i], strlen(fields[i]));
        return entry;
}

static void test_fields(void) {
        _cleanup_(log_entry_done) LogEntry entry = { 0 };
        static const char binary[] = "CONFINE_COMMAND=a\0b\nMESSAGE_ID=x";

        add(&entry, binary, sizeof(binary) - 1);
        add(&entry, "CONFINE_ID=first", 16);
        add(&entry, "CONFINE_ID=second", 17);
        add(&entry, "CONFINE_UID=12 and more", 14);
        add(&entry, "CONFINE_TRUST=authentic", 23);
        add(&entry, "CONFINE_=x", 10);
        add(&entry, "CONFINE_LABEL_=x", 16);
        add(&entry, "CONFINE_LABEL_TENANT=a", 22);
        add(&entry, "MESSAGE=x", 9);
        add(&entry, "no equals sign", 14);
        add(&entry, "", 0);
        is_uint(entry.n_fields, 4, "S19: only fields of a record are kept, and each once");
        is_str(log_entry_get(&entry, "CONFINE_COMMAND"), "a?b\nMESSAGE_ID=x",
               "B56: a NUL is marked, and what follows stays in the value");
        is_str(log_entry_get(&entry, "CONFINE_ID"), "first", "the first of a name counts");
        is_str(log_entry_get(&entry, "CONFINE_UID"), "12", "a value ends where it is said to");
        is_str(log_entry_get(&entry, "CONFINE_TRUST"), "",
               "S19: what confine log says itself comes from no record");
        for (size_t i = 0; i < 2 * LOG_FIELDS_MAX; i++) {
                char label[48];

                (void)snprintf(label, sizeof(label), "CONFINE_LABEL_N%zu=x", i);
                add(&entry, label, strlen(label));
        }
        ok(entry.n_fields < LOG_FIELDS_MAX, "there is an end to labels");
        add(&entry, "_UID=1000", 9);
        is_str(log_entry_get(&entry, "_UID"), "1000", "S19: which leaves room for who sent it");
        is_int(log_entry_trust(&entry, NULL), LOG_FORGED, "S19: it is forged");
}

static void test_trust(void) {
        static const struct {
                const char *what;
                LogTrust wanted;
                const char *fields[FIELDS_MAX];
        } rows[] = {
                { "root, for a user", LOG_AUTHENTIC, { BY_ROOT, OF_SYSTEM, "CONFINE_EVENT=end" } },
                { "root, without sandbox", LOG_AUTHENTIC, { BY_ROOT, "CONFINE_EVENT=no-sandbox" } },
                { "a user, of the own manager",
                  LOG_ASSERTED,
                  { BY_USER, OF_USER, "CONFINE_EVENT=end" } },
                { "a user, without sandbox",
                  LOG_ASSERTED,
                  { BY_USER, "CONFINE_UID=1000", "CONFINE_EVENT=no-sandbox" } },
                { "a user, refused", LOG_ASSERTED, { BY_USER, "CONFINE_EVENT=refused" } },
                { "a user, of the system manager",
                  LOG_FORGED,
                  { BY_USER, OF_SYSTEM, "CONFINE_EVENT=end" } },
                { "a user, of the system manager, with the own uid",
                  LOG_FORGED,
                  { BY_USER, "CONFINE_MANAGER=system", "CONFINE_UID=1000", "CONFINE_EVENT=end" } },
                { "a user, for another one",
                  LOG_FORGED,
                  { BY_USER, "CONFINE_MANAGER=user", "CONFINE_UID=1001", "CONFINE_EVENT=end" } },
                { "a user, for another one, without sandbox",
                  LOG_FORGED,
                  { BY_USER, "CONFINE_UID=0", "CONFINE_EVENT=no-sandbox" } },
                { "another program of root",
                  LOG_FORGED,
                  { "_TRANSPORT=journal", "_COMM=logger", "_EXE=/usr/bin/logger", "_UID=0",
                    OF_SYSTEM } },
                { "another program that calls itself so",
                  LOG_FORGED,
                  { "_TRANSPORT=journal", "_COMM=confine", "_EXE=/tmp/confine", "_UID=0",
                    OF_SYSTEM } },
                { "standard output of a service",
                  LOG_FORGED,
                  { "_TRANSPORT=stdout", "_COMM=confine", "_EXE=/usr/bin/confine", "_UID=0" } },
                { "nobody knows who",
                  LOG_FORGED,
                  { "_TRANSPORT=journal", "_COMM=confine", "_EXE=/usr/bin/confine" } },
                { "a thread's name only", LOG_FORGED, { "_COMM=confine", "_UID=0" } },
                { "nothing", LOG_FORGED, { NULL } },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                _cleanup_(log_entry_done) LogEntry entry = entry_of(rows[i].fields);

                is_int(log_entry_trust(&entry, NULL), rows[i].wanted, "S19: sent by %s",
                       rows[i].what);
        }
}

static void test_own_path(void) {
        static const char *const fields[FIELDS_MAX] = { "_TRANSPORT=journal", "_COMM=confine",
                                                        "_EXE=/opt/confine", "_UID=0" };
        _cleanup_(log_entry_done) LogEntry entry = entry_of(fields);

        is_int(log_entry_trust(&entry, "/opt/confine"), LOG_AUTHENTIC, "by the program that reads");
        is_int(log_entry_trust(&entry, "/opt/other"), LOG_FORGED, "by another one");
}

static void test_filters(void) {
        static const char *const fields[FIELDS_MAX] = {
                BY_ROOT,
                OF_SYSTEM,
                "CONFINE_EVENT=end",
                "CONFINE_ID=0123456789abcdef",
                "CONFINE_POLICY=site",
                "CONFINE_POLICY_SHA256=fedcba98",
                "CONFINE_CAUSE=exit",
                "CONFINE_LABEL_TENANT_ID=a=b",
        };
        char *const tenant[] = { (char[]){ "tenant_id=a=b" }, NULL };
        char *const two[] = { (char[]){ "tenant_id=a=b" }, (char[]){ "run=1" }, NULL };
        char *const prefix[] = { (char[]){ "tenant=a=b" }, NULL };
        char *const value[] = { (char[]){ "tenant_id=a" }, NULL };
        const struct {
                const char *what;
                bool wanted;
                LogFilter filter;
        } rows[] = {
                { "nothing", true, { 0 } },
                { "its cause", true, { .cause = "exit" } },
                { "a part of its cause", false, { .cause = "ex" } },
                { "the first digits of its id", true, { .id = "0123" } },
                { "digits within its id", false, { .id = "123" } },
                { "more than its id", false, { .id = "0123456789abcdef0" } },
                { "its manager", true, { .manager = "system" } },
                { "the other manager", false, { .manager = "user" } },
                { "the name of its policy", true, { .policy = "site" } },
                { "a part of that name", false, { .policy = "sit" } },
                { "digits of its policy", true, { .policy = "fedc" } },
                { "its uid", true, { .by_uid = true, .uid = 60578 } },
                { "another uid", false, { .by_uid = true, .uid = 6057 } },
                { "its label", true, { .labels = tenant } },
                { "its label and another one", false, { .labels = two } },
                { "the beginning of the key", false, { .labels = prefix } },
                { "the beginning of the value", false, { .labels = value } },
        };
        _cleanup_(log_entry_done) LogEntry entry = entry_of(fields);

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                is_int(log_entry_matches(&entry, LOG_ENDED, &rows[i].filter), rows[i].wanted,
                       "asked for: %s", rows[i].what);
        ok(log_entry_matches(&entry, LOG_RUNNING, &(LogFilter){ .cause = "running" }),
           "a run that lives has a cause of its own");
        ok(log_entry_matches(&entry, LOG_NO_END, &(LogFilter){ .cause = "no-end" }),
           "so has one whose end is missing");
}

static void test_ends(void) {
        static const char *const fields[][FIELDS_MAX] = {
                { "CONFINE_ID=a", "_UID=0", "_MACHINE_ID=m", "_PID=1" },
                { "CONFINE_ID=a", "_UID=0", "_MACHINE_ID=m", "_PID=2" },
                { "CONFINE_ID=a", "_UID=1", "_MACHINE_ID=m" },
                { "CONFINE_ID=b", "_UID=0", "_MACHINE_ID=m" },
                { "CONFINE_ID=a", "_UID=0", "_MACHINE_ID=n" },
                { "CONFINE_ID=a", "_UID=0" },
                { "CONFINE_ID=a", "_UID=0", "_MACHINE_ID=m", "CONFINE_MANAGER=system" },
                { "CONFINE_ID=a", "_UID=0", "_MACHINE_ID=m", "CONFINE_UID=1" },
        };
        _cleanup_(log_entry_done) LogEntry roots = entry_of(fields[0]);
        _cleanup_(log_entry_done) LogEntry users = entry_of(fields[2]);

        for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
                _cleanup_(log_entry_done) LogEntry other = entry_of(fields[i]);

                is_int(log_entry_ends(&roots, &other), i < 3,
                       "S19: %zu: root ends a run of that id on that machine, whosever it is", i);
                is_int(log_entry_ends(&users, &other), i == 2,
                       "S19: %zu: a user only what that user has begun", i);
        }
}

static void test_ages(void) {
        static const struct {
                const char *fields[FIELDS_MAX];
                uint64_t age_usec;
                const char *what;
        } ends[] = {
                { { "_UID=0", "CONFINE_MANAGER=system", "CONFINE_DURATION_USEC=7" }, 7, "as told" },
                { { "_UID=0", "CONFINE_MANAGER=user", "CONFINE_KILLED_BY_UID=0",
                    "CONFINE_DURATION_USEC=7" },
                  7,
                  "by root's reap, too" },
                { { "_UID=0", "CONFINE_MANAGER=user", "CONFINE_KILLED_BY_UID=0" },
                  99,
                  "which has no word of the user's: since the boot, at most" },
                { { "_UID=0", "CONFINE_MANAGER=user" }, 0, "no reap" },
                { { "_UID=1000", "CONFINE_MANAGER=user", "CONFINE_KILLED_BY_UID=0" },
                  0,
                  "a user knows" },
                { { "_UID=0", "CONFINE_MANAGER=system", "CONFINE_KILLED_BY_UID=0" },
                  0,
                  "and root of root's" },
                { { "_UID=0", "CONFINE_DURATION_USEC=x" }, 0, "no number" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
                _cleanup_(log_entry_done) LogEntry end = entry_of(ends[i].fields);

                end.monotonic_usec = 99;
                is_uint(log_entry_age(&end), ends[i].age_usec, "S19: the age of a run: %s",
                        ends[i].what);
        }
}

static void test_times(void) {
        static const struct {
                const char *text;
                uint64_t wanted; /* 0: refused */
        } rows[] = {
                { "now", NOW },
                { "today", NOW - 10 * 3600 * SECOND },
                { "yesterday", NOW - 34 * 3600 * SECOND },
                { "-90", NOW - 90 * SECOND },
                { "-1h", NOW - 3600 * SECOND },
                { "-1h30min", NOW - 5400 * SECOND },
                { "@1796032800", NOW },
                { "2026-11-30", NOW - 10 * 3600 * SECOND },
                { "2026-11-30 10:00", NOW },
                { "2026-11-30 10:00:01", NOW + SECOND },
                { "", 0 },
                { "-", 0 },
                { "--1h", 0 },
                { "1h", 0 },
                { "@", 0 },
                { "@-1", 0 },
                { "@1x", 0 },
                { "@18446744073709551615", 0 },
                { "2026-13-01", 0 },
                { "2026-11-30x", 0 },
                { "1960-01-01", 0 },
                { "tomorrow", 0 },
        };

        if (setenv("TZ", "UTC", 1) < 0)
                bail_out("no memory");
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                uint64_t got = 0;
                int r = log_parse_time(rows[i].text, NOW, &got);

                is_int(r, rows[i].wanted ? 0 : -EINVAL, "'%s' is %s", rows[i].text,
                       rows[i].wanted ? "a time" : "none");
                is_uint(got, rows[i].wanted, "'%s': which one", rows[i].text);
        }
        uint64_t got = 1;
        is_int(log_parse_time("-3000000d", SECOND, &got), 0, "before the epoch");
        is_uint(got, 0, "is from the beginning");
}

int main(void) {
        test_fields();
        test_trust();
        test_own_path();
        test_filters();
        test_ends();
        test_ages();
        test_times();
        return done_testing();
}
