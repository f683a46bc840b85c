/* SPDX-License-Identifier: MIT */
/* Connections to the bus of a service manager. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#define BUS_MANAGER "org.freedesktop.systemd1" /* the name that managers own */

/* Starts to connect to the bus of PID 1, or of the caller's own manager, also where cron, sudo or
 * plain ssh left the environment bare. Does not block.
 * Returns 0 and *ret (sd_bus_close_unref() it) or a negative errno. Source: sd_bus_open_system(3).
 */
int bus_open(bool system, sd_bus **ret);

/* The same, but waits until calls can be made, and sets how long each of them waits for its answer:
 * @timeout_usec for either. Returns 0 and *ret, or a negative errno; -ETIMEDOUT. */
int bus_connect(bool system, uint64_t timeout_usec, sd_bus **ret);
