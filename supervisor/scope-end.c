/* SPDX-License-Identifier: MIT */
/* What is asked of the manager about a unit, or for it, on a connection of its own. */
#include <errno.h>
#include <string.h>

#include "doctor/bus.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/str.h"
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

/* Result= is "timeout", too, where something ignored the SIGTERM of a stop for TimeoutStopSec. */
static bool ran_out(sd_bus *bus, const char *unit) {
        _cleanup_free_ char *path = NULL;
        uint64_t since_usec, most_usec;

        if (sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &path) < 0)
                return false;
        if (sd_bus_get_property_trivial(bus, BUS_MANAGER, path, BUS_MANAGER ".Unit",
                                        "ActiveEnterTimestampMonotonic", NULL, 't',
                                        &since_usec) < 0)
                return false;
        if (sd_bus_get_property_trivial(bus, BUS_MANAGER, path, BUS_MANAGER ".Scope",
                                        "RuntimeMaxUSec", NULL, 't', &most_usec) < 0)
                return false;
        return clock_now_usec() >= clock_add_usec(since_usec, most_usec);
}

ScopeEnd scope_query_end(bool system, const char *unit, uint64_t timeout_usec) {
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        _cleanup_free_ char *state = NULL, *result = NULL;

        if (bus_connect(system, timeout_usec, &bus) < 0 ||
            get_property(bus, unit, BUS_MANAGER ".Unit", "ActiveState", &state) < 0 ||
            get_property(bus, unit, BUS_MANAGER ".Scope", "Result", &result) < 0)
                return SCOPE_END_UNKNOWN;
        if (strcmp(result, "timeout") == 0 && ran_out(bus, unit))
                return SCOPE_END_TIMEOUT;
        return strcmp(state, "active") == 0 ? SCOPE_END_RUNNING : SCOPE_END_STOPPED;
}

int scope_query_state(bool system, const char *unit, uint64_t timeout_usec, char **ret) {
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        _cleanup_free_ char *state = NULL, *substate = NULL;
        int r;

        r = bus_connect(system, timeout_usec, &bus);
        if (r < 0)
                return r;
        r = get_property(bus, unit, BUS_MANAGER ".Unit", "ActiveState", &state);
        if (r < 0)
                return r;
        r = get_property(bus, unit, BUS_MANAGER ".Unit", "SubState", &substate);
        if (r < 0)
                return r;
        *ret = str_format("%s (%s)", state, substate);
        return *ret ? 0 : -ENOMEM;
}

int scope_stop_unit(bool system, const char *unit, uint64_t timeout_usec) {
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
        int r;

        r = bus_connect(system, timeout_usec, &bus);
        if (r < 0)
                return r;
        r = sd_bus_call_method(bus, BUS_MANAGER, "/org/freedesktop/systemd1",
                               BUS_MANAGER ".Manager", "StopUnit", &error, NULL, "ss", unit,
                               "replace");
        if (r < 0)
                return sd_bus_error_has_name(&error, BUS_MANAGER ".NoSuchUnit") ? 0 : r;
        return 1;
}
