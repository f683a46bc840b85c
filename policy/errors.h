/* SPDX-License-Identifier: MIT */
/* The stable error types of product.md section 6. errors.def is the table. */
#pragma once

/* The end of a message about what a host lacks: who tells the rest. */
#define DOCTOR_HINT "; 'confine doctor' tells all that this host lacks"

/* The same where nothing can be run: the one way around it, which is never taken by itself. */
#define NO_SANDBOX_HINT DOCTOR_HINT "; 'confine --no-sandbox' runs Python unrestricted"

/* How a user manager gets controllers. */
#define PUT_DELEGATE(controllers)                                                              \
        "put 'Delegate=" controllers "' under [Service] in "                                   \
        "/etc/systemd/system/user@.service.d/delegate.conf and run "                           \
        "'systemctl daemon-reload' and 'systemctl restart user@UID.service' (which ends what " \
        "runs there)"

/* Where a user manager may not move a process into a scope: from a login it needs the system
 * manager's help. */
#define CALL_FROM_UNIT                                                                          \
        "call confine from a unit of this manager ('systemd-run --user --pipe --wait'), or as " \
        "root"

/* Where a security module forbids a user namespace. */
#define ALLOW_IN_PROFILE                                                   \
        "allow it in the profile of the security module, for AppArmor as " \
        "/usr/share/confine/apparmor/confine does"

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
