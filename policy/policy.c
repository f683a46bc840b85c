/* SPDX-License-Identifier: MIT */
/* The start and the end of a Policy. resolve.c fills it. */
#include "policy/policy.h"

#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

static const size_t vectors[] = {
        offsetof(Policy, io_read_bandwidth_max),
        offsetof(Policy, io_write_bandwidth_max),
        offsetof(Policy, environment),
        offsetof(Policy, pass_environment),
        offsetof(Policy, load_credentials),
        offsetof(Policy, secrets),
        offsetof(Policy, labels),
};

static char ***vector_of(Policy *policy, size_t index) {
        return (void *)((char *)policy + vectors[index]);
}

Policy *policy_new(void) {
        _cleanup_(policy_freep) Policy *policy = calloc(1, sizeof(*policy));

        if (!policy)
                return NULL;
        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                *vector_of(policy, i) = calloc(1, sizeof(char *));
                if (!*vector_of(policy, i))
                        return NULL;
        }
        return TAKE_PTR(policy);
}

static int compare_strings(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

void policy_sort(Policy *policy) {
        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                qsort(*vector_of(policy, i), strv_length(*vector_of(policy, i)), sizeof(char *),
                      compare_strings);
}

Policy *policy_free(Policy *policy) {
        if (!policy)
                return NULL;
        for (size_t i = 0; i < policy->n_grants; i++)
                free(policy->grants[i].path);
        free(policy->grants);
        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++)
                (void)strv_free(*vector_of(policy, i));
        free(policy->interpreter);
        free(policy->tcp_connect_ports.ports);
        free(policy->seccomp_profile);
        free(policy->user);
        free(policy->group);
        free(policy->working_directory);
        free(policy->slice);
        free(policy);
        return NULL;
}

void policy_freep(Policy **policy) {
        *policy = policy_free(*policy);
}
