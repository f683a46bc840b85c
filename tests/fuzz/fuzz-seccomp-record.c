/* SPDX-License-Identifier: MIT */
/* seccomp-record.c: what is taken for a record says again what it was understood as. */
#include <inttypes.h>
#include <stdio.h>

#include "supervisor/base/base.h"
#include "supervisor/seccomp-record.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_free_ char *text = strndup((const char *)data, size_bytes);
        SeccompRecord record = { 0 };
        char *words;

        if (!text || seccomp_record_parse(text, &record) < 0)
                return 0;
        words = strchr(text, ';');
        FUZZ_ASSERT(words && strncmp(words, ";audit: type=1326 audit(", 24) == 0);
        FUZZ_ASSERT(strstr(words, " pid="));
        FUZZ_ASSERT(strstr(words, " comm="));
        FUZZ_ASSERT(strstr(words, " arch="));
        return 0;
}
