/* SPDX-License-Identifier: MIT */
/* The properties of the transient scope. Source: org.freedesktop.systemd1(5). */
#include "supervisor/scope-properties.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/bandwidth.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

/* What is left out from try to try. PIDFDs: systemd 255; OOMPolicy of scopes: 253. */
static const struct {
        bool pidfds;
        bool oom_policy;
} variants[SCOPE_VARIANTS] = {
        { true, true },
        { false, true },
        { false, false },
};

/* Later than our own end, so that the true cause and the counters come first. */
#define SYSTEMD_LAG_USEC (2 * USEC_PER_SEC)

uint64_t scope_runtime_max_usec(const Policy *p) {
        return clock_add_usec(clock_add_usec(p->runtime_max_usec, p->timeout_stop_usec),
                              SYSTEMD_LAG_USEC);
}

int scope_describe(const char *unit, const Policy *p, char **ret) {
        size_t size = strlen(unit) + 1;
        char *end;

        for (char **label = p->labels; *label; label++)
                size += 1 + strlen(*label);
        *ret = malloc(size);
        if (!*ret)
                return -ENOMEM;
        end = stpcpy(*ret, unit);
        for (char **label = p->labels; *label; label++)
                end = stpcpy(stpcpy(end, " "), *label);
        return 0;
}

size_t scope_properties(const Policy *p, const char *description,
                        ScopeProperty ret[static SCOPE_PROPERTIES_MAX]) {
        const ScopeProperty always[] = {
                { "Description", "s", .text = description },
                { "Slice", "s", .text = p->slice },
                /* A failed scope left loaded would be a leak. */
                { "CollectMode", "s", .text = "inactive-or-failed" },
                /* Delegate=yes beside it would mean all controllers, which a cold slice pays
                 * dearly for. */
                { "DelegateControllers", "as", .words = { "cpu", "memory", "pids" } },
                /* The kernel kills the leaf as a group; the keeper must survive to be read. */
                { "OOMPolicy", "s", .text = "continue" },
                { "MemoryMax", "t", .number = p->memory_max_bytes },
                { "MemorySwapMax", "t", .number = p->memory_swap_max_bytes },
                { "TasksMax", "t", .number = p->tasks_max + 1 }, /* the keeper counts too */
                { "CPUQuotaPerSecUSec", "t", .number = p->cpu_quota_usec_per_sec },
                { "RuntimeMaxUSec", "t", .number = scope_runtime_max_usec(p) },
                { "TimeoutStopUSec", "t", .number = p->timeout_stop_usec },
        };

        const ScopeProperty if_set[] = {
                { "CPUWeight", "t", .number = p->cpu_weight },
                { "IOWeight", "t", .number = p->io_weight },
                { "IOReadBandwidthMax", "a(st)", .bandwidths = p->io_read_bandwidth_max },
                { "IOWriteBandwidthMax", "a(st)", .bandwidths = p->io_write_bandwidth_max },
        };
        size_t n = ARRAY_SIZE(always);

        static_assert(ARRAY_SIZE(always) + ARRAY_SIZE(if_set) <= SCOPE_PROPERTIES_MAX,
                      "room for all");
        memcpy(ret, always, sizeof(always));
        for (size_t i = 0; i < ARRAY_SIZE(if_set); i++)
                if (if_set[i].bandwidths ? *if_set[i].bandwidths != NULL
                                         : if_set[i].number != LIMIT_UNSET)
                        ret[n++] = if_set[i];
        return n;
}

static int append_bandwidth(sd_bus_message *m, const char *text) {
        _cleanup_free_ char *path = NULL;
        uint64_t bytes_per_sec;
        int r;

        r = bandwidth_split(text, &path, &bytes_per_sec);
        return r < 0 ? r : sd_bus_message_append(m, "(st)", path, bytes_per_sec);
}

static int append_bandwidths(sd_bus_message *m, const ScopeProperty *property) {
        const char *const open[][2] = { { "r", "sv" }, { "v", "a(st)" }, { "a", "(st)" } };
        int r = 0;

        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(open); i++) {
                r = sd_bus_message_open_container(m, open[i][0][0], open[i][1]);
                if (r >= 0 && i == 0)
                        r = sd_bus_message_append(m, "s", property->name);
        }
        for (char *const *text = property->bandwidths; r >= 0 && *text; text++)
                r = append_bandwidth(m, *text);
        for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(open); i++)
                r = sd_bus_message_close_container(m);
        return r;
}

static int append(sd_bus_message *m, const ScopeProperty *property) {
        if (property->bandwidths)
                return append_bandwidths(m, property);
        if (property->signature[0] == 't')
                return sd_bus_message_append(m, "(sv)", property->name, "t", property->number);
        if (property->signature[0] == 'a')
                return sd_bus_message_append(m, "(sv)", property->name, "as", 3, property->words[0],
                                             property->words[1], property->words[2]);
        return sd_bus_message_append(m, "(sv)", property->name, "s", property->text);
}

int scope_append_properties(sd_bus_message *m, const ScopeRequest *request, size_t variant) {
        ScopeProperty properties[SCOPE_PROPERTIES_MAX];
        _cleanup_free_ char *description = NULL;
        size_t n;
        int r;

        r = scope_describe(request->unit, request->policy, &description);
        if (r < 0)
                return r;
        n = scope_properties(request->policy, description, properties);
        r = variants[variant].pidfds
                    ? sd_bus_message_append(m, "(sv)", "PIDFDs", "ah", 2, request->pidfds[0],
                                            request->pidfds[1])
                    : sd_bus_message_append(m, "(sv)", "PIDs", "au", 2, (uint32_t)request->pids[0],
                                            (uint32_t)request->pids[1]);
        for (size_t i = 0; r >= 0 && i < n; i++)
                if (variants[variant].oom_policy || strcmp(properties[i].name, "OOMPolicy") != 0)
                        r = append(m, &properties[i]);
        return r;
}
