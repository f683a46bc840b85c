/* SPDX-License-Identifier: MIT */
/* policy/resolve.c on every machine, S4: all combinations of Landlock, manager, caller, private
 * view and current directory, for requests with each kind of need. What is refused is refused for
 * each need that is not met, and for nothing else. */
#include <errno.h>
#include <string.h>

#include "policy/resolve.h"
#include "tests/unit/tap.h"

enum {
        NEEDS_VIEW = 1 << 0,
        NEEDS_ROOT = 1 << 1,
        NEEDS_ABI_4 = 1 << 2,
        NEEDS_CWD = 1 << 3,
        NEEDS_TIER = 1 << 4, /* of which a missing view is the cause */
};

/* PrivateTmp=no beside each but the first: the default needs the view. */
static const struct {
        const char *key, *value;
        unsigned needs;
} requests[] = {
        { NULL, NULL, NEEDS_VIEW },
        { "PrivateTmp", "no", 0 },
        { "AllowRead", "/a", 0 },
        { "AllowWrite", "/a", 0 },
        { "AllowExec", "/a", 0 },
        { "AllowRead", "a", NEEDS_CWD },
        { "WorkingDirectory", "a", NEEDS_CWD },
        { "Base", "none", 0 },
        { "MemoryMax", "64M", 0 },
        { "TasksMax", "9", 0 },
        { "CPUWeight", "9", 0 },
        { "IOWeight", "9", 0 },
        { "IOReadBandwidthMax", "/a 1M", 0 },
        { "Slice", "confine-a", 0 },
        { "Network", "allow", 0 },
        { "TCPConnectPorts", "9", NEEDS_ABI_4 },
        { "Subprocess", "allow", 0 },
        { "Enforcement", "best-effort", 0 },
        { "Label", "a=b", 0 },
        { "Secrets", "A=fd:3", NEEDS_VIEW },
        { "LoadCredential", "a:/a", NEEDS_VIEW },
        { "User", "a", NEEDS_ROOT },
        { "Group", "a", NEEDS_ROOT },
        { "UIDRange", "70000-70001", NEEDS_ROOT },
        { "RequireIsolation", "process", 0 },
        { "RequireIsolation", "container", NEEDS_TIER },
};

static const int abis[] = { -ENOSYS, -EOPNOTSUPP, -EPERM, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
static const uid_t uids[] = { 0, 1000, UID_UNKNOWN };
static const char *const views[] = { NULL, "no namespaces: allow them" };
static const char *const directories[] = { "/d", NULL };

static void add(Settings *settings, const char *key, const char *value, Diag *diag) {
        if (settings_set(settings, key, value, "-p here", diag) < 0)
                bail_out("%s=%s", key, value);
}

/* Counts, in messages of each type, what @facts refuses of a request with @needs. */
static void expect(const Facts *facts, unsigned needs, size_t *ret_capability,
                   size_t *ret_configuration) {
        bool user = facts->uid != 0 && facts->uid != UID_UNKNOWN;

        *ret_capability = (facts->landlock_abi < 3) + (needs & NEEDS_VIEW && facts->no_view) +
                          (needs & NEEDS_ROOT && user) +
                          (needs & NEEDS_ABI_4 && facts->landlock_abi == 3);
        *ret_configuration =
                (needs & NEEDS_CWD && !facts->cwd) + (needs & NEEDS_TIER && facts->no_view);
}

/* Returns whether it went as it should. */
static bool try(const Facts *facts, size_t request) {
        _cleanup_(settings_freep) Settings *settings = settings_new();
        _cleanup_(policy_freep) Policy *policy = NULL;
        _cleanup_(diag_done) Diag diag = { 0 };
        size_t n[2] = { 0 }, wanted[2];
        const char *key = requests[request].key;
        int r;

        if (!settings)
                bail_out("out of memory");
        if (key && strcmp(key, "PrivateTmp") != 0)
                add(settings, "PrivateTmp", "no", &diag);
        if (key && strcmp(key, "TCPConnectPorts") == 0)
                add(settings, "Network", "allow", &diag);
        if (key)
                add(settings, key, requests[request].value, &diag);
        r = policy_resolve(settings, facts, &policy, &diag);
        for (size_t i = 0; i < diag.n_messages; i++)
                n[diag.messages[i].type == ERROR_CONFIGURATION]++;
        expect(facts, requests[request].needs, &wanted[0], &wanted[1]);
        if (n[0] == wanted[0] && n[1] == wanted[1] && r == (n[0] + n[1] > 0 ? -EINVAL : 0) &&
            (r == 0) == (policy != NULL))
                return true;
        diagnostic(
                "ABI %d, uid %u, %s manager, %s view, %s directory: %d, %zu and %zu messages: %s",
                facts->landlock_abi, facts->uid, facts->system_manager ? "system" : "user",
                facts->no_view ? "no" : "a", facts->cwd ? "a" : "no", r, n[0], n[1],
                diag.n_messages > 0 ? diag.messages[0].text : "none");
        return false;
}

/* Returns how many machines there were. */
static size_t try_machines(size_t request, size_t *ret_n_wrong) {
        size_t n = 0;

        *ret_n_wrong = 0;
        for (size_t a = 0; a < ARRAY_SIZE(abis); a++)
                for (size_t u = 0; u < ARRAY_SIZE(uids); u++)
                        for (size_t rest = 0; rest < 8; rest++, n++) {
                                const Facts facts = { .landlock_abi = abis[a],
                                                      .uid = uids[u],
                                                      .system_manager = rest & 1,
                                                      .no_view = views[(rest & 2) != 0],
                                                      .cwd = directories[(rest & 4) != 0] };

                                *ret_n_wrong += !try(&facts, request);
                        }
        return n;
}

int main(void) {
        for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
                size_t n_wrong, n = try_machines(i, &n_wrong);

                is_uint(n_wrong, 0, "S4: %s=%s on each of %zu machines",
                        requests[i].key ? requests[i].key : "nothing",
                        requests[i].value ? requests[i].value : "", n);
        }
        return done_testing();
}
