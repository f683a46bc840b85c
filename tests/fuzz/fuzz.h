/* SPDX-License-Identifier: MIT */
/* What fuzz targets share: the entry point and an assertion that stops the fuzzer. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/diag.h"
#include "supervisor/base/str.h"

/* Feeds one input to the code under test. Returns 0. Called by libFuzzer or by replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes);

#define FUZZ_ASSERT(condition)                                               \
        do {                                                                 \
                if (!(condition))                                            \
                        abort(); /* what libFuzzer and the shell both see */ \
        } while (0)

/* That every message may be shown: printable UTF-8, and not longer than promised. */
static inline void fuzz_check_messages(const Diag *diag) {
        for (size_t i = 0; i < diag->n_messages; i++) {
                const char *text = diag->messages[i].text;

                FUZZ_ASSERT(strlen(text) <= DIAG_TEXT_MAX);
                for (size_t n; *text != '\0'; text += n) {
                        n = str_printable_sequence(text);
                        FUZZ_ASSERT(n > 0);
                }
        }
}
