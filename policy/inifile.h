/* SPDX-License-Identifier: MIT */
/* The strict form of INI files: [Section], KEY=VALUE, and comments that have lines of their own.
 * What sections and keys mean is the caller's business. */
#pragma once

#include <stddef.h>

#include "policy/diag.h"

#define INIFILE_TEXT_MAX  (256 << 10) /* bytes of a file */
#define INIFILE_LINES_MAX 4096

/* Takes what a line says. @section: the one that it is in. @key: NULL, for the line that begins
 * @section; else with @value, without the blanks around it. @origin: "FILE:LINE".
 * Returns 0; -EINVAL with a message in @reterr_diag, on a section's first line to have the rest of
 * it passed over; -ENOMEM. */
typedef int (*IniHandler)(void *context, const char *section, const char *key, const char *value,
                          const char *origin, Diag *reterr_diag);

/* Reads the @size_bytes bytes of @text, the file @name, and calls @handler for every line that says
 * something. All faults are collected, those of @handler as well.
 * Returns 0; -EINVAL with messages in @reterr_diag; -ENOMEM. */
int inifile_parse(const char *name, const char *text, size_t size_bytes, IniHandler handler,
                  void *context, Diag *reterr_diag);
