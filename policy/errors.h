/* SPDX-License-Identifier: MIT */
/* The stable error types of product.md section 6. errors.def is the table. */
#pragma once

/* The end of a message about a host that cannot enforce a policy: the one way around it, which is
 * never taken by itself. */
#define NO_SANDBOX_HINT "; 'confine --no-sandbox' runs Python unrestricted"

typedef enum ErrorType {
        ERROR_NONE,
#define ERROR(symbol, ...) ERROR_##symbol,
#include "policy/errors.def"
#undef ERROR
        _ERROR_MAX,
        _ERROR_INVALID = -22,
} ErrorType;

/* The stable name of @type, such as "ConfigurationError"; "" for ERROR_NONE. Static. */
const char *error_name(ErrorType type);

/* The exit status of a run that ends with @type; 0 for ERROR_NONE. */
int error_exit_status(ErrorType type);
