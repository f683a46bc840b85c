/* SPDX-License-Identifier: MIT */
/* A small interpreter of seccomp's BPF. */
#include "tests/unit/bpf.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

static bool is_answer(uint16_t code) {
        return code == (BPF_RET | BPF_K);
}

static bool is_condition(uint16_t code) {
        return code == (BPF_JMP | BPF_JEQ | BPF_K) || code == (BPF_JMP | BPF_JGE | BPF_K) ||
               code == (BPF_JMP | BPF_JGT | BPF_K) || code == (BPF_JMP | BPF_JSET | BPF_K);
}

int bpf_check(const struct sock_filter *code, size_t n_code) {
        if (n_code == 0 || n_code > BPF_MAXINSNS || !is_answer(code[n_code - 1].code))
                return -EINVAL;
        for (size_t i = 0; i < n_code; i++) {
                size_t left = n_code - i - 1;

                if (is_answer(code[i].code) || code[i].code == (BPF_ALU | BPF_AND | BPF_K))
                        continue;
                if (code[i].code == (BPF_LD | BPF_W | BPF_ABS) && code[i].k % 4 == 0 &&
                    code[i].k < sizeof(struct seccomp_data))
                        continue;
                if (is_condition(code[i].code) && code[i].jt < left && code[i].jf < left)
                        continue;
                if (code[i].code == (BPF_JMP | BPF_JA) && code[i].k < left)
                        continue;
                return -EINVAL;
        }
        return 0;
}

static bool holds(const struct sock_filter *condition, uint32_t accumulator) {
        switch (BPF_OP(condition->code)) {
        case BPF_JEQ:
                return accumulator == condition->k;
        case BPF_JGE:
                return accumulator >= condition->k;
        case BPF_JGT:
                return accumulator > condition->k;
        default:
                return (accumulator & condition->k) != 0;
        }
}

uint32_t bpf_run(const struct sock_filter *code, size_t n_code, const struct seccomp_data *data) {
        uint32_t accumulator = 0;

        for (size_t i = 0; i < n_code; i++) {
                switch (code[i].code) {
                case BPF_LD | BPF_W | BPF_ABS:
                        memcpy(&accumulator, (const char *)data + code[i].k, sizeof(accumulator));
                        break;
                case BPF_ALU | BPF_AND | BPF_K:
                        accumulator &= code[i].k;
                        break;
                case BPF_JMP | BPF_JA:
                        i += code[i].k;
                        break;
                case BPF_RET | BPF_K:
                        return code[i].k;
                default:
                        i += holds(&code[i], accumulator) ? code[i].jt : code[i].jf;
                }
        }
        assert(false); /* bpf_check() saw an answer at the end */
        return 0;
}

uint32_t bpf_run_stack(const struct sock_fprog *filters, size_t n_filters,
                       const struct seccomp_data *data) {
        uint32_t answer = SECCOMP_RET_ALLOW;

        for (size_t i = n_filters; i > 0; i--) {
                uint32_t other = bpf_run(filters[i - 1].filter, filters[i - 1].len, data);

                /* Signed: KILL_PROCESS is the lowest of all. */
                if ((int32_t)(other & SECCOMP_RET_ACTION_FULL) <
                    (int32_t)(answer & SECCOMP_RET_ACTION_FULL))
                        answer = other;
        }
        return answer;
}
