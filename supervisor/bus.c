/* SPDX-License-Identifier: MIT */
/* Connections to the bus, and the question how a unit ended. */
#include "supervisor/bus.h"

#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/scope.h"

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

ScopeEnd scope_query_end(bool system, const char *unit, uint64_t timeout_usec) {
        _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
        _cleanup_free_ char *path = NULL, *state = NULL, *result = NULL;
        int r;

        r = bus_open(system, &bus);
        if (r < 0)
                return SCOPE_END_UNKNOWN;
        (void)sd_bus_set_method_call_timeout(bus, timeout_usec); /* the default is 25 s: longer */
        r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &path);
        if (r < 0)
                return SCOPE_END_UNKNOWN;
        r = sd_bus_get_property_string(bus, BUS_MANAGER, path, BUS_MANAGER ".Unit", "ActiveState",
                                       NULL, &state);
        if (r < 0)
                return SCOPE_END_UNKNOWN;
        r = sd_bus_get_property_string(bus, BUS_MANAGER, path, BUS_MANAGER ".Scope", "Result", NULL,
                                       &result);
        if (r < 0)
                return SCOPE_END_UNKNOWN;
        if (strcmp(result, "timeout") == 0)
                return SCOPE_END_TIMEOUT;
        return strcmp(state, "active") == 0 ? SCOPE_END_RUNNING : SCOPE_END_STOPPED;
}
