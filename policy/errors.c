/* SPDX-License-Identifier: MIT */
/* Names and exit statuses of the error types, from errors.def. */
#include "policy/errors.h"

#include <assert.h>

#include "supervisor/base/base.h"

typedef struct ErrorInfo {
        const char *name;
        int status;
} ErrorInfo;

static const ErrorInfo errors[_ERROR_MAX] = {
        [ERROR_NONE] = { "", 0 },
#define ERROR(symbol, name, status, ...) [ERROR_##symbol] = { name, status },
#include "policy/errors.def"
#undef ERROR
};

const char *error_name(ErrorType type) {
        assert(type >= 0 && type < _ERROR_MAX);
        return errors[type].name;
}

int error_exit_status(ErrorType type) {
        assert(type >= 0 && type < _ERROR_MAX);
        return errors[type].status;
}
