/* SPDX-License-Identifier: MIT */
/* What is asked of the manager about a unit, or for it, on a connection of its own. */
#include <string.h>

#include "doctor/bus.h"
#include "supervisor/base/base.h"
#include "supervisor/scope.h"

static int get_property(sd_bus *bus, const char *unit, const char *interface, const char *name,
                        char **ret) {
        _cleanup_free_ char *path = NULL;
        int r;

        r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &path);
        if (r < 0)
                return r;
        return sd_bus_get_property_string(bus, BUS_MANAGER, path, interface, name, NULL, ret);
}

ScopeEnd scope_query_end(bool system, const char *unit, uint64_t timeout_usec) {
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        _cleanup_free_ char *state = NULL, *result = NULL;

        if (bus_connect(system, timeout_usec, &bus) < 0 ||
            get_property(bus, unit, BUS_MANAGER ".Unit", "ActiveState", &state) < 0 ||
            get_property(bus, unit, BUS_MANAGER ".Scope", "Result", &result) < 0)
                return SCOPE_END_UNKNOWN;
        if (strcmp(result, "timeout") == 0)
                return SCOPE_END_TIMEOUT;
        return strcmp(state, "active") == 0 ? SCOPE_END_RUNNING : SCOPE_END_STOPPED;
}
