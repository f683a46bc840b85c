/* SPDX-License-Identifier: MIT */
/* Collecting messages: formatting, a cap on length and number, no harmful characters. */
#include "policy/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "supervisor/base/str.h"

/* Ends an overlong text with "...", not in the middle of a character. */
static void mark_cut(char *text, size_t length) {
        size_t keep = length - strlen("...");

        while (keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80)
                keep--;
        memcpy(text + keep, "...", sizeof("..."));
}

int diag_add(Diag *diag, ErrorType type, const char *format, ...) {
        char text[DIAG_TEXT_MAX + 1];
        char *copy;
        va_list args;
        int n;

        if (diag->n_messages == DIAG_MAX) {
                diag->n_dropped++;
                return -EINVAL;
        }
        va_start(args, format);
        n = vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        if (n < 0)
                text[0] = '\0'; /* out of memory within printf: the type still stands */
        if (n >= (int)sizeof(text))
                mark_cut(text, DIAG_TEXT_MAX);
        str_make_printable(text);
        copy = strdup(text);
        if (!copy) {
                diag->n_dropped++;
                return -EINVAL;
        }
        diag->messages[diag->n_messages++] = (DiagMessage){ .type = type, .text = copy };
        return -EINVAL;
}

void diag_done(Diag *diag) {
        for (size_t i = 0; i < diag->n_messages; i++)
                free(diag->messages[i].text);
        *diag = (Diag){ 0 };
}
