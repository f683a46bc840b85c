/* SPDX-License-Identifier: MIT */
/* A policy file: its text into Settings. Reading it from a disk, and whether it may be read, is the
 * business of supervisor/layers.c. */
#pragma once

#include "policy/diag.h"
#include "policy/settings.h"

/* The end of a message about what a project's file may not ask for, and what is printed in it:
 * @origin is "FILE:LINE". */
#define ACCEPT_PROJECT                                                                         \
        "look at the file, and accept it with --policy='%.*s', or with 'confine policy trust " \
        "%.*s'"
#define ACCEPT_NAME(origin) (int)(strrchr(origin, ':') - (origin)), origin

typedef struct PolicyFile {
        const char *name;      /* for origins, its path as the caller knows it */
        const char *directory; /* absolute and clean: what relative paths in it are relative to */
        Layer layer;
        bool among_homes; /* for LAYER_PROJECT: that is a home directory, or has some below it */
        /* What ~ and ${HOME}, ${PWD} and ${UID} stand for; NULL: that cannot be told. */
        const char *home, *cwd, *uid;
} PolicyFile;

/* Adds what the @size_bytes bytes of @text say to @settings, as one more layer. Paths become
 * absolute. Returns 0; -EINVAL with every fault of the file in @reterr_diag; -ENOMEM. */
int policy_file_parse(const PolicyFile *file, const char *text, size_t size_bytes,
                      Settings *settings, Diag *reterr_diag);
