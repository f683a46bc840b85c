/* SPDX-License-Identifier: MIT */
/* Which system call killed a program by SIGSYS: the kernel tells only its log. */
#pragma once

#include "supervisor/run.h"

/* Names that call in the message of @run, if its program died of SIGSYS, where the kernel's log may
 * be read; else the message says how to find it there. Waits for it 500 ms at most. */
void sigsys_explain(Run *run);
