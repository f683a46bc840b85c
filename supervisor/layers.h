/* SPDX-License-Identifier: MIT */
/* The policy files of a run: finding them, whether they may be taken, and in which order. */
#pragma once

#include "policy/diag.h"
#include "supervisor/cli.h"

/* Puts what the policy files say below what the command line says, in @invocation->settings: the
 * shipped files, /etc/confine, the user's, the project's, and the one of --policy. Notes in it
 * which files the run must not be able to write. What does not exist says nothing. Returns 0;
 * -EINVAL with every fault in @reterr_diag; -ENOMEM. */
int layers_read(Invocation *invocation, Diag *reterr_diag);

/* The same, but of /etc/confine alone: what holds for --no-sandbox. */
int layers_read_site(Invocation *invocation, Diag *reterr_diag);

/* Adds what the policy file @name says to @settings, in the layer that files of its directory and
 * name are: confine.conf is a project's own, unless it is the caller's or this machine's; every
 * other one elsewhere is a named one. Who owns it does not matter. Returns 0; -EINVAL with every
 * fault in
 * @reterr_diag; -ENOMEM. */
int layers_read_file(const char *name, Settings *settings, Diag *reterr_diag);
