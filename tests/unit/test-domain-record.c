/* SPDX-License-Identifier: MIT */
/* supervisor/domain-record.c: S6. What is not just as the kernel writes it says nothing. */
#include "supervisor/domain-record.h"

#include <errno.h>

#include "tests/unit/tap.h"

#define STAMP "audit(1796061595.883:13): "
#define MADE  STAMP "domain=1f5350772 status=allocated mode=enforcing pid=348 uid=60735"
#define FREED STAMP "domain=1f5350772 status=deallocated denials="

static void test_good(void) {
        DomainRecord record;

        is_int(domain_record_parse(MADE " exe=\"/usr/bin/confine\" comm=\"confine\"", &record), 0,
               "S6: a domain that is logged for the first time");
        is_uint(record.domain, 0x1f5350772, "its id");
        ok(record.allocated, "it was made");
        is_uint(record.pid, 348, "by whom");
        is_uint(record.uid, 60735, "as whom");
        is_int(domain_record_parse(MADE " ", &record), 0, "the rest may be cut");

        is_int(domain_record_parse(FREED "200001", &record), 0, "S6: a domain that is freed");
        is_uint(record.domain, 0x1f5350772, "its id");
        ok(!record.allocated, "it was freed");
        is_uint(record.n_denials, 200001, "and what it has denied");
        is_int(domain_record_parse(FREED "0 more=1", &record), 0, "more may follow");
        is_uint(record.n_denials, 0, "nothing denied");
        is_int(domain_record_parse(FREED "18446744073709551615", &record), 0, "the most");
        is_uint(record.n_denials, UINT64_MAX, "is told");
        is_int(domain_record_parse(STAMP "domain=ffffffffffffffff status=deallocated denials=1",
                                   &record),
               0, "the highest id");
        is_uint(record.domain, UINT64_MAX, "is told");
}

static void test_bad(void) {
        static const char *const texts[] = {
                "",
                "audit(",
                STAMP,
                STAMP "domain=",
                STAMP "domain= status=deallocated denials=1",
                STAMP "domain=1F status=deallocated denials=1",
                STAMP "domain=0x1f status=deallocated denials=1",
                STAMP "domain=-1 status=deallocated denials=1",
                STAMP "domain=1ffffffffffffffff status=deallocated denials=1",
                STAMP " domain=1f status=deallocated denials=1",
                STAMP "domain=1f status=freed denials=1",
                STAMP "domain=1f status=deallocated",
                "domain=1f status=deallocated denials=1",
                "audit(1796061595:13): domain=1f status=deallocated denials=1",
                "audit(1796061595.883): domain=1f status=deallocated denials=1",
                "audit(x.883:13): domain=1f status=deallocated denials=1",
                FREED,
                FREED " 1",
                FREED "-1",
                FREED "+1",
                FREED "1x",
                FREED "18446744073709551616",
                MADE, /* perhaps not all of the number */
                STAMP "domain=1f status=allocated mode=permissive pid=1 uid=0 ",
                STAMP "domain=1f status=allocated mode=enforcing pid=1",
                STAMP "domain=1f status=allocated mode=enforcing pid=-1 uid=0 ",
                STAMP "domain=1f status=allocated mode=enforcing uid=0 pid=1 ",
                STAMP "domain=1f status=allocated pid=1 uid=0 ",
        };
        const DomainRecord before = { .domain = 7, .pid = 8 };

        for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
                DomainRecord record = before;

                is_int(domain_record_parse(texts[i], &record), -EBADMSG, "'%s' is refused",
                       texts[i]);
                ok(record.domain == before.domain && record.pid == before.pid,
                   "and nothing is set by it");
        }
}

int main(void) {
        test_good();
        test_bad();
        return done_testing();
}
