/* SPDX-License-Identifier: MIT */
/* wire.c: whatever text is accepted is the canonical text of the policy it gives. */
#include <string.h>

#include "policy/wire.h"
#include "supervisor/base/base.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_free_ char *text = strndup((const char *)data, size_bytes);
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_free_ char *again = NULL;
        Diag diag = { 0 };

        if (!text)
                return 0;
        if (wire_parse(text, &policy, &diag) < 0)
                FUZZ_ASSERT(diag.n_messages > 0 && !policy);
        else {
                FUZZ_ASSERT(diag.n_messages == 0);
                FUZZ_ASSERT(wire_format(policy, &again) == 0);
                FUZZ_ASSERT(strcmp(text, again) == 0);
        }
        diag_done(&diag);
        return 0;
}
