/* SPDX-License-Identifier: MIT */
/* Reading UIDRange=, and what no machine has to spare. */
#include "policy/uid-range.h"

#include <errno.h>
#include <stdio.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

#define UIDS_MAX 65536U /* the search for a free one is linear */

/* A run with an id of these would share files and signals with whoever gets it from elsewhere.
 * Source: systemd's UIDS-GIDS.md. */
static const struct {
        uint32_t first, last;
        const char *whose;
} taken[] = {
        { 0, 999, "accounts of the system" },
        { 60001, 60513, "systemd-homed" },
        { 60514, 60577, "users of containers" },
        { 61184, 65519, "DynamicUser= of systemd" },
        { 65534, 65535, "nobody" },
        { 524288, 1879048191, "containers of systemd-nspawn" },
        { 2147352576, UINT32_MAX, "files of elsewhere, or no ids" },
};

static int read_range(const char *text, UidRange *ret) {
        const char *at = text;
        uint64_t first, last;

        if (*at < '0' || *at > '9' || !str_read_number(at, &at, &first) || *at++ != '-')
                return -EINVAL;
        if (*at < '0' || *at > '9' || !str_read_number(at, &at, &last) || *at != '\0')
                return -EINVAL;
        if (first > last || last > UINT32_MAX || last - first >= UIDS_MAX)
                return -EINVAL;
        *ret = (UidRange){ (uint32_t)first, (uint32_t)last };
        return 0;
}

int uid_range_parse(const char *text, UidRange *ret, ValueHint *reterr_hint) {
        UidRange range;

        if (read_range(text, &range) < 0) {
                (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                               "write FIRST-LAST, at most %u numbers, such as 60578-61183",
                               UIDS_MAX);
                return -EINVAL;
        }
        for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
                if (range.first <= taken[i].last && range.last >= taken[i].first) {
                        (void)snprintf(reterr_hint->text, sizeof(reterr_hint->text),
                                       "%u to %u are for %s, write a range that nobody uses",
                                       taken[i].first, taken[i].last, taken[i].whose);
                        return -EINVAL;
                }
        *ret = range;
        return 0;
}

bool uid_range_has(const UidRange *range, uint32_t id) {
        return id >= range->first && id <= range->last;
}
