/* SPDX-License-Identifier: MIT */
/* The words that the kernel's audit records are made of. Each function takes one from the start of
 * a text and leaves *at behind it; one that fails may have moved it. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Takes @word. Returns whether it is there. */
bool audit_take_word(const char **at, const char *word);

/* Takes what comes before the next @word, and that. Returns whether there is one. */
bool audit_take_past(const char **at, const char *word);

/* Takes a decimal number, with no blank before it. Returns true and *ret; false if there is none,
 * or it does not fit. */
bool audit_take_number(const char **at, uint64_t *ret);

/* The same of a number in small hexadecimal digits. */
bool audit_take_hex(const char **at, uint64_t *ret);

/* Takes "audit(TIME:SERIAL): ": when a record was made, and its number among all. Returns whether
 * it is there. */
bool audit_take_stamp(const char **at);
