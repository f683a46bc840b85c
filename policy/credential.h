/* SPDX-License-Identifier: MIT */
/* What looks like a credential. A guess, made for people who do not know that policy is no place
 * for one: what passes here may still be a secret. */
#pragma once

#include <stdbool.h>

/* Tells whether there is something in @text that has the form of a key, a token or a password. */
bool credential_in_text(const char *text);

/* The same for NAME=VALUE, where the name may say it. */
bool credential_in_assignment(const char *text);
