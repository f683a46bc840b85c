/* SPDX-License-Identifier: MIT */
/* policy/origin.c: S4, each line of a policy tells who said so. */
#include "policy/origin.h"

#include "policy/grant.h"
#include "policy/resolve.h"
#include "tests/unit/tap.h"

static const Facts facts = { .uid = 0, .landlock_abi = 4, .cwd = "/cwd" };

static const struct {
        const char *key, *value, *origin;
} given[] = {
        { "MemoryMax", "512M", "a:1" },
        { "AllowRead", "x/./y", "a:2" },
        { "AllowRead", "-/b", "a:3" },
        { "AllowWrite", "/b", "a:4" },
        { "AllowRead", "//b/", "a:5" },
        { "Environment", "A=1", "a:6" },
        { "Environment", "AB=1", "a:7" },
        { "Environment", "A=2", "a:8" },
        { "PassEnvironment", "B", "a:9" },
        { "Network", "allow", "a:10" },
        { "TCPConnectPorts", "443", "a:11" },
        { "TCPConnectPorts", "80", "a:12" },
        { "User", "0", "a:13" },
        { "Secrets", "S:env=env:V", "a:14" },
        { "Secrets", "S=file:k", "a:15" },
        { "Secrets", "SS", "a:16" },
        { "LoadCredential", "c:k", "a:17" },
        { "LoadCredential", "cc", "a:18" },
        { "IOReadBandwidthMax", "d 1024K", "a:19" },
        { "IOReadBandwidthMax", "/d 2M", "a:20" },
        { "IOReadBandwidthMax", "/cwd//d 3M", "a:21" },
};

static const struct {
        Key key;
        const char *value, *origin;
} wanted[] = {
        { KEY_MemoryMax, "512M", "a:1" },
        { KEY_AllowRead, "/cwd/x/y", "a:2" },
        { KEY_AllowRead, "/b", "a:5" },
        { KEY_AllowWrite, "/b", "a:4" },
        { KEY_Environment, "A=2", "a:8" },
        { KEY_Environment, "AB=1", "a:7" },
        { KEY_PassEnvironment, "B", "a:9" },
        { KEY_TCPConnectPorts, "443", "a:11" },
        { KEY_TCPConnectPorts, "80", "a:12" },
        { KEY_User, "0", "a:13" },
        { KEY_Secrets, "S=file:/cwd/k", "a:15" },
        { KEY_Secrets, "SS", "a:16" },
        { KEY_LoadCredential, "c:k", "a:17" },
        { KEY_LoadCredential, "cc", "a:18" },
        { KEY_IOReadBandwidthMax, "/cwd/d 3M", "a:21" },
        { KEY_IOReadBandwidthMax, "/d 2M", "a:20" },
        { KEY_TasksMax, "256", "shipped default" },
        { KEY_AllowExec, "-/form", "what is run" },
};

/* What a ceiling lowers comes from there, and nothing else does. */
static void test_ceilings(Settings *settings, Policy *policy) {
        _cleanup_(diag_done) Diag diag = { 0 };

        if (settings_set_ceiling(settings, KEY_TasksMax, "99", "site:1", &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        is_str(origin_find(settings, &facts, policy, KEY_TasksMax, "256"), "shipped default",
               "a ceiling that is not reached sets nothing");
        policy->tasks_max = 99;
        is_str(origin_find(settings, &facts, policy, KEY_TasksMax, "99"), "site:1",
               "S4: what a ceiling lowers comes from there");
        policy->limit_stack_bytes = 1 << 20;
        if (settings_set_ceiling(settings, KEY_LimitSTACK, "1M", "site:2", &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        is_str(origin_find(settings, &facts, policy, KEY_LimitSTACK, "1M"), "site:2",
               "S4: so does what nothing was set for");
        settings_start_layer(settings, LAYER_SHIPPED);
        if (settings_set(settings, "Base", "python", "the form", &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        policy->base = BASE_PYTHON;
        is_str(origin_find(settings, &facts, policy, KEY_Base, "python"), "the form",
               "S4: what was shipped comes from there");
        if (settings_set_ceiling(settings, KEY_Base, "system", "site:3", &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        policy->base = BASE_SYSTEM;
        is_str(origin_find(settings, &facts, policy, KEY_Base, "system"), "site:3",
               "S4: unless a ceiling lowers it");
}

int main(void) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        Diag diag = { 0 };

        if (!settings)
                bail_out("out of memory");
        for (size_t i = 0; i < ARRAY_SIZE(given); i++)
                if (settings_set(settings, given[i].key, given[i].value, given[i].origin, &diag) <
                    0)
                        bail_out("%s", diag.messages[0].text);
        if (policy_resolve(settings, &facts, &policy, &diag) < 0 ||
            grant_add(policy, KEY_AllowExec, "/form", "x", &facts, &diag) < 0)
                bail_out("%s", diag.n_messages ? diag.messages[0].text : "no policy");
        policy->grants[policy->n_grants - 1].implicit = true;
        for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
                is_str(origin_find(settings, &facts, policy, wanted[i].key, wanted[i].value),
                       wanted[i].origin, "S4: %s=%s", key_info(wanted[i].key)->name,
                       wanted[i].value);
        test_ceilings(settings, policy);
        policy->disk_max_bytes = policy->memory_max_bytes / 2;
        is_str(origin_find(settings, &facts, policy, KEY_DiskMax, "256M"), "half of MemoryMax",
               "S4: what follows from another line says so");
        if (settings_set_ceiling(settings, KEY_DiskMax, "200M", "site:4", &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        policy->memory_max_bytes = 100 << 20;
        policy->disk_max_bytes = 50 << 20;
        is_str(origin_find(settings, &facts, policy, KEY_DiskMax, "50M"), "half of MemoryMax",
               "S4: also below a ceiling, when it lowered it further");
        policy->disk_max_bytes = 200 << 20;
        is_str(origin_find(settings, &facts, policy, KEY_DiskMax, "200M"), "site:4",
               "S4: and the ceiling where that did");
        diag_done(&diag);
        return done_testing();
}
