/* SPDX-License-Identifier: MIT */
/* policy/errors.c: S20, stable names; product.md section 6, exit statuses. */
#include "policy/errors.h"

#include <string.h>

#include "tests/unit/tap.h"

int main(void) {
        is_str(error_name(ERROR_NONE), "", "no error has no name");
        is_int(error_exit_status(ERROR_NONE), 0, "and status 0");
        is_str(error_name(ERROR_CONFIGURATION), "ConfigurationError", "S20: a name");
        is_int(error_exit_status(ERROR_CONFIGURATION), 125, "a refused run is 125");
        is_int(error_exit_status(ERROR_CAPABILITY), 125, "S4: what is not supported is 125");
        is_int(error_exit_status(ERROR_EXECUTION_TIMEOUT), 124, "S10: a deadline is 124");
        is_int(error_exit_status(ERROR_RESOURCE_LIMIT), 137, "S11: a memory limit is 137");
        for (int i = ERROR_NONE + 1; i < _ERROR_MAX; i++)
                for (int j = ERROR_NONE; j < i; j++)
                        if (strcmp(error_name((ErrorType)i), error_name((ErrorType)j)) == 0)
                                ok(false, "S20: %s stands twice", error_name((ErrorType)i));
        is_int(_ERROR_MAX, 12, "the eleven types of the contract");
        return done_testing();
}
