/* SPDX-License-Identifier: MIT */
/* What is told without running anything: the keys, a policy, a run. */
#pragma once

#include "supervisor/cli.h"

/* The verb "doctor": what is found on this machine, and what each manager can enforce. The exit
 * status is 1 if a run with the default policy would be refused. */
int show_doctor(const Invocation *invocation);

/* The verb "policy keys": the table of keys, and who can enforce each. */
int show_keys(const Invocation *invocation);

/* The verb "policy check": every fault of the policy files in invocation->command. */
int show_check(const Invocation *invocation);

/* The verb "policy show": the policy that the options of @invocation come to. */
int show_policy(const Invocation *invocation);

/* A dry run: its policy, what it grants by itself, and its unit. */
int show_run(const Invocation *invocation);

/* All return the exit status and print their own messages. */
