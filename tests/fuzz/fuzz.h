/* SPDX-License-Identifier: MIT */
/* What fuzz targets share: the entry point and an assertion that stops the fuzzer. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Feeds one input to the code under test. Returns 0. Called by libFuzzer or by replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

#define FUZZ_ASSERT(condition)                                               \
        do {                                                                 \
                if (!(condition))                                            \
                        abort(); /* what libFuzzer and the shell both see */ \
        } while (0)
