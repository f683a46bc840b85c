/* SPDX-License-Identifier: MIT */
/* The properties of the transient scope. Source: org.freedesktop.systemd1(5). */
#include "supervisor/scope-properties.h"

#include "supervisor/base/base.h"

/* What is left out from try to try. PIDFDs: systemd 255; OOMPolicy of scopes: 253. */
static const struct {
        bool pidfds;
        bool oom_policy;
} variants[SCOPE_VARIANTS] = {
        { true, true },
        { false, true },
        { false, false },
};

static int append_limits(sd_bus_message *m, const ScopeRequest *request) {
        const Policy *p = request->policy;
        const struct {
                const char *name;
                uint64_t value;
        } rows[] = {
                { "MemoryMax", p->memory_max_bytes },
                { "MemorySwapMax", p->memory_swap_max_bytes },
                { "TasksMax", p->tasks_max + 1 }, /* the keeper counts too */
                { "CPUQuotaPerSecUSec", p->cpu_quota_usec_per_sec },
                { "RuntimeMaxUSec", request->runtime_max_usec },
                { "TimeoutStopUSec", p->timeout_stop_usec },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int r;

                r = sd_bus_message_append(m, "(sv)", rows[i].name, "t", rows[i].value);
                if (r < 0)
                        return r;
        }
        return 0;
}

int scope_append_properties(sd_bus_message *m, const ScopeRequest *request, size_t variant) {
        int r;

        r = variants[variant].pidfds
                    ? sd_bus_message_append(m, "(sv)", "PIDFDs", "ah", 2, request->pidfds[0],
                                            request->pidfds[1])
                    : sd_bus_message_append(m, "(sv)", "PIDs", "au", 2, (uint32_t)request->pids[0],
                                            (uint32_t)request->pids[1]);
        if (r < 0)
                return r;
        /* inactive-or-failed: a failed scope left loaded would be a leak. */
        r = sd_bus_message_append(m, "(sv)(sv)(sv)", "Description", "s", request->description,
                                  "Slice", "s", "confine.slice", "CollectMode", "s",
                                  "inactive-or-failed");
        if (r < 0)
                return r;
        /* Delegate=yes beside it would mean all controllers, which a cold slice pays dearly for. */
        r = sd_bus_message_append(m, "(sv)", "DelegateControllers", "as", 3, "cpu", "memory",
                                  "pids");
        if (r < 0)
                return r;
        if (variants[variant].oom_policy) {
                /* The kernel kills the leaf as a group; the keeper must survive to be read. */
                r = sd_bus_message_append(m, "(sv)", "OOMPolicy", "s", "continue");
                if (r < 0)
                        return r;
        }
        return append_limits(m, request);
}
