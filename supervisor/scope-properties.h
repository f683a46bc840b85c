/* SPDX-License-Identifier: MIT */
/* What a scope is asked for. For scope.c only. */
#pragma once

#include <systemd/sd-bus.h>

#include "supervisor/scope.h"

/* Unknown properties make the whole call fail, so newer ones are tried first and left out one after
 * the other; versions are never compared. */
#define SCOPE_VARIANTS 3

/* Appends the properties of @request to @m, an open array of (sv), without what variant @variant
 * leaves out. Returns 0 or a negative errno. */
int scope_append_properties(sd_bus_message *m, const ScopeRequest *request, size_t variant);
