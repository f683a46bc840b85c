/* SPDX-License-Identifier: MIT */
/* The secret under which commands are hashed in records: made once for each user, kept in a file
 * that only that user can read. */
#pragma once

#include <stdbool.h>

typedef enum HashKeyState {
        HASH_KEY_UNREAD,
        HASH_KEY_NONE, /* there is no place for one, or what is there may be no secret */
        HASH_KEY_READ,
} HashKeyState;

typedef struct HashKey {
        HashKeyState state;
        unsigned char bytes[32];
} HashKey;

/* Reads the caller's key into *@key, if that was not tried yet: /var/lib/confine/hash.key for root,
 * confine/hash.key below $XDG_STATE_HOME or ~/.local/state for others. Makes it if there is none.
 * Returns whether there is a key. */
bool hash_key_read(HashKey *key);
