/* SPDX-License-Identifier: MIT */
/* TCP ports that narrow a network grant. */
#pragma once

#include "policy/diag.h"
#include "policy/policy.h"
#include "policy/settings.h"

/* Reads @text into *ret. Returns 0 or -EINVAL. */
int port_parse(const char *text, uint16_t *ret);

/* Adds @port to @list, which stays in order. Returns 0 or -ENOMEM. */
int ports_add(Ports *list, uint16_t port);

/* Whether @list has @port. */
bool ports_have(const Ports *list, uint16_t port);

/* Refuses ports of @policy, made of @settings, that narrow no grant. */
void ports_check(const Policy *policy, const Settings *settings, Diag *reterr_diag);
