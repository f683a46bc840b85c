/* SPDX-License-Identifier: MIT */
/* Connections to the bus of a service manager. */
#include "doctor/bus.h"

#include <errno.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

static int open_user_bus(sd_bus **ret) {
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        char address[128];
        int r;

        if (getenv("DBUS_SESSION_BUS_ADDRESS") || getenv("XDG_RUNTIME_DIR"))
                return sd_bus_open_user(ret);
        r = sd_bus_new(&bus);
        if (r < 0)
                return r;
        (void)snprintf(address, sizeof(address), "unix:path=/run/user/%u/bus", (unsigned)geteuid());
        r = sd_bus_set_address(bus, address);
        if (r < 0)
                return r;
        r = sd_bus_set_bus_client(bus, 1);
        if (r < 0)
                return r;
        r = sd_bus_start(bus);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(bus);
        return 0;
}

int bus_open(bool system, sd_bus **ret) {
        return system ? sd_bus_open_system(ret) : open_user_bus(ret);
}

/* The calls of sd-bus would wait for a connection as long as it takes, and so would a flush. */
static int wait_ready(sd_bus *bus, uint64_t timeout_usec) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), timeout_usec);
        int r;

        while ((r = sd_bus_is_ready(bus)) == 0) {
                uint64_t now = clock_now_usec();

                r = sd_bus_process(bus, NULL);
                if (r == 0 && now < deadline)
                        r = sd_bus_wait(bus, deadline - now);
                else if (r == 0)
                        r = -ETIMEDOUT;
                if (r < 0)
                        return r;
        }
        return r < 0 ? r : 0;
}

int bus_connect(bool system, uint64_t timeout_usec, sd_bus **ret) {
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        int r;

        r = bus_open(system, &bus);
        if (r < 0)
                return r;
        r = wait_ready(bus, timeout_usec);
        if (r < 0)
                return r;
        (void)sd_bus_set_method_call_timeout(bus, timeout_usec); /* its own is 25 s */
        *ret = TAKE_PTR(bus);
        return 0;
}
