/* SPDX-License-Identifier: MIT */
/* Text: UTF-8, printing what somebody else wrote, nearest words, string vectors. No policy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STR_DISTANCE_MAX 64 /* longer words are near to nothing */

/* Measures the well-formed UTF-8 sequence at the start of the string @text.
 * Returns its length in bytes, 1 to 4; 0 at the end of the string or if it is not well-formed.
 * Safe after fork. Source: RFC 3629. */
size_t str_utf8_sequence(const char *text);

/* Tells the code point of the sequence of @length bytes at @text, as str_utf8_sequence() measured
 * it, not 0. Safe after fork. */
uint32_t str_utf8_code(const char *text, size_t length);

/* The same, but 0 also for a character that may not be shown: see str_make_printable().
 * Safe after fork. */
size_t str_printable_sequence(const char *text);

/* Replaces what may not be shown on a terminal by '?', in place; the text never grows. Control
 * characters (C0, DEL, C1), line separators, direction overrides and bytes that are no UTF-8.
 * Safe after fork. */
void str_make_printable(char *text);

#define STR_QUOTED_SIZE(length) (4 * (length) + 2) /* what str_quote() writes at most */

/* Writes @word to @ret as a POSIX shell would take it: in single quotes if it has characters that
 * could mean something else, or none. Returns the end, where it put a NUL. */
char *str_quote(const char *word, char *ret);

/* Counts the insertions, removals and replacements between @a and @b, capitals and small letters
 * being equal. Returns the count; SIZE_MAX if a word is longer than STR_DISTANCE_MAX. */
size_t str_distance(const char *a, const char *b);

/* Tells whether @candidate, at @distance from what was written, is near enough to be suggested. */
bool str_is_near(const char *candidate, size_t distance);

/* Tells whether @path is @directory or lies below it. Both are absolute, without "." and double or
 * final slashes. Compares text: links are the caller's concern. Safe after fork. */
bool str_path_below(const char *path, const char *directory);

/* Reads the unsigned decimal number at the start of @text; leading blanks are skipped, as kernel
 * interface files have them. @ret_end: where it ends; may be NULL.
 * Returns true and *ret; false if there is none or it does not fit 64 bits. */
bool str_read_number(const char *text, const char **ret_end, uint64_t *ret);

/* Like asprintf(3). Returns the text, which is the caller's, or NULL when out of memory. */
char *str_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Frees a NULL-terminated vector and its strings. Accepts NULL. Returns NULL. */
char **strv_free(char **strv);

/* For cleanup attributes. */
void strv_freep(char ***strv);

/* Counts the strings of @strv; 0 for NULL. Safe after fork. */
size_t strv_length(char *const *strv);

/* Adds a copy of @text to the end of *@strv, which may be NULL and is reallocated.
 * Returns 0; -ENOMEM, with *@strv as it was. */
int strv_add(char ***strv, const char *text);

/* The place in @strv, of NAME or NAME=VALUE, of the name that is the first @length bytes of @name;
 * NULL if it is not there. */
char **strv_find_named(char **strv, const char *name, size_t length);

/* Puts a copy of @text, whose name has @length bytes, in the place of that name in *@strv, which is
 * not NULL, or at the end. Returns 0; -ENOMEM, with *@strv as it was. */
int strv_set_named(char ***strv, const char *text, size_t length);

/* Joins the texts of @strv with @between. Returns the text, the caller's; NULL: no memory. */
char *strv_join(char *const *strv, const char *between);
