/* SPDX-License-Identifier: MIT */
/* The verb log: the only reader of the journal. Records pass by in the order in which journald got
 * them; a start waits until its end comes, or until there is no more. What a run was stands in its
 * end too, so that nothing else is kept. */
#include "supervisor/log.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <string.h>
#include <systemd/sd-journal.h>
#include <time.h>

#include "policy/json-library.h"
#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/log-stats.h"
#include "supervisor/outcome.h"
#include "supervisor/pager.h"
#include "supervisor/process-mark.h"

#define STATUS_WRONG     1
#define STATUS_USAGE     2
#define OPEN_MAX         4096U               /* starts without an end, for each kind of trust */
#define START_SLACK_USEC (10 * USEC_PER_SEC) /* from the start record to the program, mostly ms */

typedef struct Log {
        const Invocation *invocation;
        LogFilter filter;
        sd_journal *journal; /* owned */
        char own_exe[512];
        char boot_id[33];
        uint64_t oldest_usec;       /* what is before it is not read */
        LogEntry *open[LOG_FORGED]; /* starts, by trust; owned, as are their entries */
        size_t n_open[LOG_FORGED];
        LogStats *stats; /* NULL: not asked for; owned */
        bool colour;
        bool found_wrong;
} Log;

static void log_done(Log *log) {
        for (size_t i = 0; i < LOG_FORGED; i++) {
                for (size_t j = 0; j < log->n_open[i]; j++)
                        log_entry_done(&log->open[i][j]);
                free(log->open[i]);
        }
        log->stats = log_stats_free(log->stats);
        sd_journal_close(log->journal);
}

static int show(Log *log, const LogEntry *entry, LogTrust trust, LogState state) {
        const LogRun run = { entry, trust, state };

        if (!log_entry_matches(entry, state, &log->filter))
                return 0;
        log->found_wrong |= trust == LOG_FORGED || state == LOG_NO_END || state == LOG_NO_START;
        if (log->stats)
                return log_stats_add(log->stats, &run);
        if (log->invocation->json)
                return log_print_json(&run);
        log_print_line(&run, log->colour);
        return 0;
}

/* Whether the confine that sent @entry is still there. Its number is journald's word, its start
 * that of confine: the cgroup, which is gone before the end is recorded, could not say it. */
static LogState look_for_sender(const Log *log, const LogEntry *entry) {
        ProcessMark mark = { 0 };
        uint64_t pid;

        if (strcmp(log_entry_get(entry, "_BOOT_ID"), log->boot_id) != 0)
                return LOG_NO_END; /* another boot, or another machine */
        if (!str_read_number(log_entry_get(entry, "_PID"), NULL, &pid) || pid > INT32_MAX ||
            !str_read_number(log_entry_get(entry, "CONFINE_PROCESS_START"), NULL, &mark.start))
                return LOG_NO_END;
        mark.pid = (pid_t)pid;
        return process_mark_alive(&mark) ? LOG_RUNNING : LOG_NO_END;
}

static void forget(Log *log, LogTrust trust, size_t at) {
        LogEntry *open = log->open[trust];

        log_entry_done(&open[at]);
        memmove(open + at, open + at + 1, (--log->n_open[trust] - at) * sizeof(*open));
}

/* Takes over what @entry holds. */
static int take_start(Log *log, LogEntry *entry, LogTrust trust) {
        int r = 0;

        if (!log->open[trust])
                log->open[trust] = calloc(OPEN_MAX, sizeof(LogEntry));
        if (!log->open[trust])
                return -ENOMEM;
        if (log->n_open[trust] == OPEN_MAX) {
                r = show(log, &log->open[trust][0], trust,
                         look_for_sender(log, &log->open[trust][0]));
                forget(log, trust, 0);
        }
        log->open[trust][log->n_open[trust]++] = *entry;
        entry->n_fields = 0;
        return r;
}

static int take_end(Log *log, const LogEntry *entry, LogTrust trust) {
        /* Root may have ended what somebody else's confine had begun. */
        for (size_t of = trust; of < LOG_FORGED; of++)
                for (size_t i = log->n_open[of]; i-- > 0;)
                        if (log_entry_ends(entry, &log->open[of][i])) {
                                forget(log, (LogTrust)of, i);
                                return show(log, entry, trust, LOG_ENDED);
                        }
        /* It may have started before what is read. */
        if (entry->realtime_usec - MIN(log_entry_age(entry), entry->realtime_usec) <
            log->oldest_usec + START_SLACK_USEC)
                return show(log, entry, trust, LOG_ENDED);
        return show(log, entry, trust, LOG_NO_START);
}

static int read_entry(Log *log, LogEntry *entry) {
        const void *data;
        sd_id128_t boot;
        size_t size;
        int r;

        r = sd_journal_get_realtime_usec(log->journal, &entry->realtime_usec);
        if (r >= 0)
                r = sd_journal_get_monotonic_usec(log->journal, &entry->monotonic_usec, &boot);
        if (r < 0)
                return r;
        sd_journal_restart_data(log->journal);
        while ((r = sd_journal_enumerate_available_data(log->journal, &data, &size)) > 0) {
                r = log_entry_add(entry, data, size);
                if (r < 0)
                        return r;
        }
        return r;
}

/* Returns 1 past the end of what was asked for. */
static int take_entry(Log *log) {
        _cleanup_(log_entry_done) LogEntry entry = { 0 };
        const char *event;
        LogTrust trust;
        int r;

        r = read_entry(log, &entry);
        if (r < 0)
                return r == -EBADMSG ? 0 : r; /* a broken entry, of a machine that crashed, say */
        if (entry.realtime_usec > log->filter.until_usec)
                return 1;
        event = log_entry_get(&entry, "CONFINE_EVENT");
        trust = log_entry_trust(&entry, log->own_exe[0] ? log->own_exe : NULL);
        if (trust == LOG_FORGED)
                return show(log, &entry, trust, LOG_ENDED);
        if (strcmp(event, "start") == 0)
                return take_start(log, &entry, trust);
        if (strcmp(event, "end") == 0)
                return take_end(log, &entry, trust);
        return show(log, &entry, trust, LOG_ENDED);
}

static int show_open(Log *log) {
        for (size_t trust = 0; trust < LOG_FORGED; trust++)
                for (size_t i = 0; i < log->n_open[trust]; i++) {
                        const LogEntry *entry = &log->open[trust][i];
                        int r;

                        r = show(log, entry, (LogTrust)trust, look_for_sender(log, entry));
                        if (r < 0)
                                return r;
                }
        return 0;
}

static int read_journal(Log *log) {
        bool follow = log->invocation->log.follow;
        int r = 0;

        for (;;) {
                while (!ferror(stdout) && (r = sd_journal_next(log->journal)) > 0) {
                        r = take_entry(log);
                        if (r != 0)
                                break;
                }
                if (fflush(stdout) != 0 || ferror(stdout))
                        return -EPIPE; /* or full: who reads it sees that it ends */
                if (r < 0)
                        return r;
                if (!follow)
                        return show_open(log);
                r = sd_journal_wait(log->journal, UINT64_MAX);
                if (r < 0)
                        return r;
        }
}

static int seek(Log *log) {
        uint64_t from = 0;
        int r;

        (void)sd_journal_get_cutoff_realtime_usec(log->journal, &from, NULL); /* 0: it is empty */
        log->oldest_usec = MAX(from, log->filter.since_usec);
        if (log->filter.since_usec)
                return sd_journal_seek_realtime_usec(log->journal, log->filter.since_usec);
        if (!log->invocation->log.follow)
                return sd_journal_seek_head(log->journal);
        r = sd_journal_seek_tail(log->journal);
        /* The position before the last entry, else the next one is that. */
        return r < 0 ? r : MIN(sd_journal_previous(log->journal), 0);
}

static int open_journal(Log *log) {
        static const char events[][32] = { "CONFINE_EVENT=start", "CONFINE_EVENT=end",
                                           "CONFINE_EVENT=refused", "CONFINE_EVENT=no-sandbox" };
        const char *directory = log->invocation->log.text[LOG_TEXT_DIRECTORY];
        int r;

        r = directory ? sd_journal_open_directory(&log->journal, directory, 0)
                      : sd_journal_open(&log->journal,
                                        log->invocation->log.merge ? 0 : SD_JOURNAL_LOCAL_ONLY);
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(events); i++)
                r = sd_journal_add_match(log->journal, events[i], 0);
        if (r < 0)
                log_line("the journal%s%.256s%s cannot be opened: %s: check that it is there and "
                         "that you may read it",
                         directory ? " in '" : "", directory ? directory : "", directory ? "'" : "",
                         strerror(-r));
        else if (!directory && sd_journal_has_persistent_files(log->journal) <= 0 &&
                 sd_journal_has_runtime_files(log->journal) <= 0) {
                log_line("no file of the journal can be read: call it as root, or as a member of "
                         "the group systemd-journal");
                return -EACCES;
        }
        return r < 0 ? r : seek(log);
}

static int parse_uid(const char *text, uid_t *ret) {
        const struct passwd *pw = getpwnam(text);
        const char *end;
        uint64_t number;

        /* The last number is that of no user. */
        if (!pw && (!isdigit((unsigned char)text[0]) || !str_read_number(text, &end, &number) ||
                    *end || number >= UINT32_MAX))
                return -EINVAL;
        *ret = pw ? pw->pw_uid : (uid_t)number;
        return 0;
}

static bool is_cause(const char *word) {
        static const char others[][12] = { "running", "no-end", "no-sandbox" };

        for (Cause cause = CAUSE_NONE + 1; cause < _CAUSE_MAX; cause++)
                if (strcmp(word, cause_name(cause)) == 0)
                        return true;
        for (size_t i = 0; i < ARRAY_SIZE(others); i++)
                if (strcmp(word, others[i]) == 0)
                        return true;
        return false;
}

/* What no record can have would find nothing, which is an answer, too. */
static int check_filter(const LogFilter *filter) {
        size_t n_digits = filter->id ? strspn(filter->id, "0123456789abcdef") : 1;

        if (filter->cause && !is_cause(filter->cause)) {
                log_line("'%.128s' is no cause (--cause): write exit, signal, timeout, limit, "
                         "killed, refused, error, audit, exec, running, no-end or no-sandbox",
                         filter->cause);
                return -EINVAL;
        }
        if (n_digits == 0 || (filter->id && filter->id[n_digits])) {
                log_line("'%.128s' is no id (--id): write the hexadecimal digits it begins with, "
                         "as 'confine log' shows them",
                         filter->id);
                return -EINVAL;
        }
        if (filter->policy && !filter->policy[0]) {
                log_line("'' is no policy (--policy): write its name, or the first digits of its "
                         "hash");
                return -EINVAL;
        }
        return 0;
}

static int parse_filter(Log *log) {
        const LogOptions *options = &log->invocation->log;
        LogFilter *filter = &log->filter;
        struct timespec now;
        uint64_t now_usec;

        (void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail */
        now_usec = (uint64_t)now.tv_sec * USEC_PER_SEC + (uint64_t)now.tv_nsec / NSEC_PER_USEC;
        *filter = (LogFilter){
                .until_usec = UINT64_MAX,
                .cause = options->text[LOG_TEXT_CAUSE],
                .id = options->text[LOG_TEXT_ID],
                .policy = log->invocation->policy,
                .manager = log->invocation->manager == MANAGER_SYSTEM ? "system"
                           : log->invocation->manager == MANAGER_USER ? "user"
                                                                      : NULL,
                .by_uid = options->text[LOG_TEXT_UID] != NULL,
                .labels = log->invocation->labels,
        };
        for (LogText i = LOG_TEXT_SINCE; i <= LOG_TEXT_UNTIL; i++) {
                uint64_t *field = i == LOG_TEXT_SINCE ? &filter->since_usec : &filter->until_usec;

                if (options->text[i] && log_parse_time(options->text[i], now_usec, field) < 0) {
                        log_line(
                                "'%.128s' is no point in time (--%s): write now, today, yesterday, "
                                "-1h, @SECONDS or YYYY-MM-DD[ HH:MM[:SS]]",
                                options->text[i], i == LOG_TEXT_SINCE ? "since" : "until");
                        return -EINVAL;
                }
        }
        if (options->text[LOG_TEXT_UID] &&
            parse_uid(options->text[LOG_TEXT_UID], &filter->uid) < 0) {
                log_line("'%.128s' is no user (--uid): write a name or a number",
                         options->text[LOG_TEXT_UID]);
                return -EINVAL;
        }
        return check_filter(filter);
}

static void look_at_surroundings(Log *log) {
        ssize_t length = readlink("/proc/self/exe", log->own_exe, sizeof(log->own_exe) - 1);
        sd_id128_t boot;

        log->own_exe[MAX(length, 0)] = '\0';
        if (sd_id128_get_boot(&boot) >= 0)
                (void)sd_id128_to_string(boot, log->boot_id);
        log->colour = pager_may_colour();
}

static void explain(int error) {
        if (error == -ENOPKG)
                log_line("--json needs the library " JSON_LIBRARY_NAME
                         ": install the package " JSON_LIBRARY_PACKAGE);
        else
                log_line("the journal could not be read to its end: %s", strerror(-error));
}

static int show_all(Log *log) {
        const LogOptions *options = &log->invocation->log;
        int r;

        if (options->stats) {
                log->stats = log_stats_new();
                if (!log->stats)
                        return -ENOMEM;
        } else if (!log->invocation->json)
                log_print_heading();
        r = read_journal(log);
        if (r < 0 || !log->stats)
                return r;
        if (options->metrics)
                return log_metrics_print(log->stats, stdout);
        log->found_wrong |= log_stats_print(log->stats, log->invocation->json) != 0;
        return 0;
}

int log_show(const Invocation *invocation) {
        _cleanup_(log_done) Log log = { .invocation = invocation };
        pid_t pager = 0;
        int r;

        look_at_surroundings(&log);
        if (parse_filter(&log) < 0)
                return STATUS_USAGE;
        if (open_journal(&log) < 0)
                return STATUS_WRONG;
        if (!invocation->log.no_pager && !invocation->log.follow)
                pager = pager_open();
        r = show_all(&log);
        pager_close(pager);
        if (pager && r == -EPIPE)
                return 0; /* its reader has seen enough */
        if (r < 0)
                explain(r);
        return r < 0 || log.found_wrong ? STATUS_WRONG : 0;
}
