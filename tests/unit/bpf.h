/* SPDX-License-Identifier: MIT */
/* A small interpreter of seccomp's BPF, so that filters are evaluated without installing them
 * (P21). Written from the kernel's rules, not from filter.c. Source: the kernel's kernel/seccomp.c.
 */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

/* Checks @code as the kernel does before it loads it: instructions that seccomp knows, jumps that
 * stay inside, aligned loads inside struct seccomp_data, an answer at the end.
 * Returns 0 or -EINVAL. */
int bpf_check(const struct sock_filter *code, size_t n_code);

/* Runs @code, which passed bpf_check(). Returns its answer, SECCOMP_RET_*. */
uint32_t bpf_run(const struct sock_filter *code, size_t n_code, const struct seccomp_data *data);

/* Runs a stack of filters, the one installed first at index 0. Returns the answer the kernel takes:
 * the strictest action; of equal ones that of the filter installed last. */
uint32_t bpf_run_stack(const struct sock_fprog *filters, size_t n_filters,
                       const struct seccomp_data *data);
