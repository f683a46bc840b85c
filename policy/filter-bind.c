/* SPDX-License-Identifier: MIT */
/* Binding a compiled filter to the process that runs it. */
#include "policy/filter-bind.h"

#include "policy/profile.h"

size_t filter_bind_self(struct sock_filter *code, size_t n_code, pid_t pid) {
        size_t n = 0;

        for (size_t i = 0; i < n_code; i++) {
                if (code[i].code != (BPF_JMP | BPF_JEQ | BPF_K) || code[i].k != PROFILE_SELF)
                        continue;
                code[i].k = (uint32_t)pid;
                n++;
        }
        return n;
}
