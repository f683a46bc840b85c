/* SPDX-License-Identifier: MIT */
/* log-entry.c: a line is a field of an entry that anybody may have sent, the first one what is
 * asked for. Without the fields of journald's it is never believed. */
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/log-entry.h"
#include "tests/fuzz/fuzz.h"

#define NOW_USEC UINT64_C(1796032800000000)

static void try_filter(const LogEntry *entry, char *word) {
        char *const labels[] = { word, NULL };
        const LogFilter filters[] = {
                { .cause = word },
                { .id = word },
                { .policy = word },
                { .labels = labels },
        };
        uint64_t usec;

        for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
                (void)log_entry_matches(entry, LOG_ENDED, &filters[i]);
        (void)log_parse_time(word, NOW_USEC, &usec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_(log_entry_done) LogEntry entry = { 0 }, untrusted = { 0 };
        const char *at = (const char *)data, *end = at + size_bytes;
        _cleanup_free_ char *word = NULL;

        while (at < end) {
                const char *newline = memchr(at, '\n', (size_t)(end - at));
                size_t length = (size_t)((newline ? newline : end) - at);

                if (!word)
                        word = strndup(at, length);
                FUZZ_ASSERT(log_entry_add(&entry, at, length) == 0);
                if (length > 0 && at[0] != '_')
                        FUZZ_ASSERT(log_entry_add(&untrusted, at, length) == 0);
                at += length + 1;
        }
        FUZZ_ASSERT(entry.n_fields <= LOG_FIELDS_MAX);
        FUZZ_ASSERT(log_entry_trust(&untrusted, NULL) == LOG_FORGED);
        if (log_entry_trust(&entry, NULL) == LOG_AUTHENTIC)
                FUZZ_ASSERT(strcmp(log_entry_get(&entry, "_UID"), "0") == 0);
        FUZZ_ASSERT(log_entry_ends(&entry, &entry));
        if (word)
                try_filter(&entry, word);
        return 0;
}
