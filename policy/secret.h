/* SPDX-License-Identifier: MIT */
/* What Secrets= and LoadCredential= name: where a secret comes from and how it is delivered, never
 * its value. Pure text; supervisor/secrets.c reads the values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/diag.h"
#include "policy/facts.h"
#include "policy/keys.h"
#include "policy/settings.h"

#define SECRET_NAME_MAX 64         /* bytes of a name */
#define SECRET_SIZE_MAX (64 << 10) /* bytes of a value */

/* Locked memory of one: NAME=VALUE and a NUL; a multiple of the page size of all machines there
 * are.
 */
#define SECRET_SLOT_BYTES (SECRET_SIZE_MAX + (64 << 10))
#define SECRETS_MAX       32 /* of one run */

typedef enum SecretSource {
        SECRET_ENV,        /* a variable of the caller's environment */
        SECRET_FILE,       /* a file, by the caller's rights */
        SECRET_FD,         /* a descriptor the caller handed over */
        SECRET_CREDENTIAL, /* a credential of the unit that the caller belongs to */
        _SECRET_SOURCE_MAX,
} SecretSource;

/* Points into the text it was read from. */
typedef struct Secret {
        const char *name;
        size_t name_length;
        bool as_variable; /* also in the program's environment */
        SecretSource source;
        const char *from; /* variable, path, number or name; NULL: its own name */
} Secret;

/* Reads @text, a value of @key (KEY_Secrets or KEY_LoadCredential).
 * Returns 0; -EINVAL with @reterr_hint, which shows nothing of @text. */
int secret_parse(Key key, const char *text, Secret *ret, ValueHint *reterr_hint);

/* Adds @text to *@list, a member of Policy, with paths made absolute; the last one of a name wins.
 * Returns 0; -EINVAL with a message in @reterr_diag; -ENOMEM. */
int secret_add(char ***list, Key key, const char *text, const char *origin, const Facts *facts,
               Diag *reterr_diag);

/* Counts the secrets of @policy. */
size_t secrets_count(const Policy *policy);

/* The secret at @index, below secrets_count(@policy). */
Secret secrets_at(const Policy *policy, size_t index);

/* Refuses what the secrets of @policy cannot have together, and what they cannot have here. */
void secrets_check(const Policy *policy, const Settings *settings, const Facts *facts,
                   Diag *reterr_diag);
