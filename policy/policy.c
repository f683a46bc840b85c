/* SPDX-License-Identifier: MIT */
/* The end of a Policy. resolve.c makes it. */
#include "policy/policy.h"

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

Policy *policy_free(Policy *policy) {
        if (!policy)
                return NULL;
        for (size_t i = 0; i < policy->n_grants; i++)
                free(policy->grants[i].path);
        free(policy->grants);
        (void)strv_free(policy->environment);
        (void)strv_free(policy->pass_environment);
        (void)strv_free(policy->secrets);
        (void)strv_free(policy->load_credentials);
        free(policy->interpreter);
        free(policy->tcp_connect_ports.ports);
        free(policy->seccomp_profile);
        free(policy->user);
        free(policy->group);
        free(policy->working_directory);
        free(policy);
        return NULL;
}

void policy_freep(Policy **policy) {
        *policy = policy_free(*policy);
}
