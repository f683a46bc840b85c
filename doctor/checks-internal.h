/* SPDX-License-Identifier: MIT */
/* The functions of checks.def. For doctor/checks*.c only. */
#pragma once

#include "doctor/checks.h"

/* Each looks at one thing and says what it found. */
#define CHECK(name_, function_, need_, means_) \
        void check_##function_(const Host *host, Finding *ret);
#include "doctor/checks.def"
