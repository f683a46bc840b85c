/* SPDX-License-Identifier: MIT */
/* Signals by name. */
#pragma once

/* The signal @text: TERM, SIGTERM or its number. Returns it, or -EINVAL. */
int signal_parse(const char *text);
