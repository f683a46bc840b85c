/* SPDX-License-Identifier: MIT */
/* policy/policy.c: the end of a Policy. */
#include "policy/policy.h"

#include "tests/unit/tap.h"

int main(void) {
        Policy *policy = calloc(1, sizeof(*policy));

        if (!policy)
                bail_out("out of memory");
        ok(policy_free(NULL) == NULL, "no policy is freed");
        ok(policy_free(policy) == NULL, "a half-built policy is freed");
        policy = NULL;
        policy_freep(&policy);
        ok(policy == NULL, "and by attribute");
        return done_testing();
}
