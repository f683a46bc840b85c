/* SPDX-License-Identifier: MIT */
/* domain-record.c: what is taken for a record says again what it was understood as. */
#include <inttypes.h>
#include <stdio.h>

#include "supervisor/base/base.h"
#include "supervisor/domain-record.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_free_ char *text = strndup((const char *)data, size_bytes);
        DomainRecord record = { 0 };
        char wanted[128];

        if (!text || domain_record_parse(text, &record) < 0)
                return 0;
        FUZZ_ASSERT(strncmp(text, "audit(", strlen("audit(")) == 0);
        (void)snprintf(wanted, sizeof(wanted), "%" PRIx64 " status=%s", record.domain,
                       record.allocated ? "allocated mode=enforcing pid=" : "deallocated denials=");
        FUZZ_ASSERT(strstr(text, wanted));
        FUZZ_ASSERT(record.allocated ? record.n_denials == 0 : record.pid == 0 && record.uid == 0);
        return 0;
}
