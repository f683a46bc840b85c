/* SPDX-License-Identifier: MIT */
/* Where people keep their files: what is not granted as a whole only because a script lies there.
 */
#pragma once

typedef enum Place {
        PLACE_ORDINARY,
        PLACE_HOME,        /* a home directory itself */
        PLACE_ABOVE_HOMES, /* '/', or a directory with home directories below it */
} Place;

/* Tells what the canonical absolute @directory is. Homes are $HOME, what /etc/passwd has for root
 * and for people (uids from 1000 on), and whatever is directly below /home: no user database is
 * asked. Never fails: what cannot be read names no homes. */
Place homes_place(const char *directory);
