/* SPDX-License-Identifier: MIT */
/* doctor/checks.c: P18, the verdict of each check that decides by what it is told: machines that
 * nobody here has. */
#include "doctor/checks.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

/* A machine that lacks nothing, as far as it can be told. */
static const Manager good_manager = {
        .looked = true,
        .connected = true,
        .version = "257",
        .controllers = " cpu io memory pids ",
        .tried = true,
        .started = true,
        .swap_limited = true,
        .start_usec = 15000,
        .again_usec = 1500,
};

static Host good_host(bool system) {
        return (Host){
                .facts = { .uid = system ? 0 : 1000, .system_manager = system, .landlock_abi = 3 },
                .system = good_manager,
                .user = system ? (Manager){ 0 } : good_manager,
        };
}

static const Check *find_check(const char *name) {
        size_t n;
        const Check *checks = checks_table(&n);

        for (size_t i = 0; i < n; i++)
                if (strcmp(checks[i].name, name) == 0)
                        return &checks[i];
        bail_out("no check '%s'", name);
}

/* What the check @name finds on @host. @found and @fix: parts of what is said, NULL: nothing. */
static void expect(const char *name, const Host *host, CheckResult result, bool fatal,
                   const char *found, const char *fix) {
        Finding finding;

        is_int(check_look(find_check(name), host, &finding), fatal, "P18: %s: %s: %s", name, found,
               fatal ? "a run is refused" : "a run is not refused");
        is_int(finding.result, result, "and it is what it is called");
        has_str(finding.found, found, "what was found");
        if (fix)
                has_str(finding.fix, fix, "the fix");
        else
                is_str(finding.fix, "", "nothing is to be done");
}

static void test_table(void) {
        size_t n;
        const Check *checks = checks_table(&n);

        for (size_t i = 0; i < n; i++) {
                ok(checks[i].means[0] && !strchr(checks[i].means, '\n'),
                   "P18: '%s' says what it means for protection", checks[i].name);
                for (size_t j = 0; j < i; j++)
                        if (strcmp(checks[i].name, checks[j].name) == 0)
                                ok(false, "'%s' is there once", checks[i].name);
        }
}

static void test_landlock(void) {
        static const struct {
                int abi;
                const char *found, *fix;
        } rows[] = {
                { -ENOSYS, "not built into this kernel, or filtered", "CONFIG_SECURITY_LANDLOCK" },
                { -EOPNOTSUPP, "built, but not enabled at boot", "lsm=" },
                { -EPERM, "filtered: Operation not permitted", "outside of the container" },
                { 1, "ABI 1, 3 is needed", "boot Linux 6.2" },
                { 2, "ABI 2, 3 is needed", "boot Linux 6.2" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                Host host = good_host(true);

                host.facts.landlock_abi = rows[i].abi;
                expect("landlock", &host, CHECK_FAILED, true, rows[i].found, rows[i].fix);
        }
}

static void test_controllers(void) {
        static const struct {
                const char *has, *found;
        } rows[] = {
                { "", "cpu, memory, pids" },       { " memory pids ", ": cpu" },
                { " cpu pids ", ": memory" },      { " cpuset cpu memory ", ": pids" },
                { " cpuset memory pids ", "cpu" },
        };

        for (int system = 0; system < 2; system++) {
                Host host = good_host(system);
                Manager *manager = system ? &host.system : &host.user;

                expect("controllers", &host, CHECK_GOOD, false, "cpu, memory, pids", NULL);
                for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                        (void)snprintf(manager->controllers, sizeof(manager->controllers), "%s",
                                       rows[i].has);
                        expect("controllers", &host, CHECK_FAILED, true, rows[i].found,
                               system ? "cgroup_disable=" : "Delegate=cpu memory pids");
                }
        }
        ok(manager_has_controller(&good_manager, "io"), "S8: a controller that is there");
        ok(!manager_has_controller(&good_manager, "i"), "a part of its name is none");
        ok(manager_has_controller(&good_manager, ""), "no controller is always there");
}

/* Which manager a run needs is the one that it would have. */
static void test_managers(void) {
        static const Manager silent = { .looked = true, .reason = "Connection timed out" };

        for (int system = 0; system < 2; system++) {
                Host host = good_host(system);

                expect("system manager", &host, CHECK_GOOD, false, "systemd 257", NULL);
                expect("user manager", &host, CHECK_GOOD, false,
                       system ? "not looked at" : "systemd 257", NULL);
                host.system = silent;
                expect("system manager", &host, CHECK_FAILED, system,
                       "does not answer: Connection timed out", "start dbus");
                host = good_host(system);
                host.user = silent;
                expect("user manager", &host, CHECK_FAILED, !system, "does not answer",
                       "enable-linger");
        }
}

/* What root is told of the managers of users, which are not asked. */
static void test_below(void) {
        Host host = good_host(true);

        manager_look_below(&host.system, &host.user);
        ok(!host.user.told, "P18: a PID 1 that said nothing tells nothing");
        (void)snprintf(host.system.below, sizeof(host.system.below), " cpu pids ");
        manager_look_below(&host.system, &host.user);
        ok(host.user.told && manager_has_controller(&host.user, "cpu") &&
                   !manager_has_controller(&host.user, "memory"),
           "P18: nor more than it said");
        expect("user manager", &host, CHECK_GOOD, false, "be given: cpu pids", NULL);
        (void)snprintf(host.system.below, sizeof(host.system.below), " ");
        manager_look_below(&host.system, &host.user);
        expect("user manager", &host, CHECK_GOOD, false, "be given: nothing", NULL);
}

/* B07 is a manager that does not take OOMPolicy. */
static void test_scope(void) {
        Host host = good_host(false);

        expect("trial scope", &host, CHECK_GOOD, false, "its limits read back", NULL);
        expect("swap accounting", &host, CHECK_GOOD, false, "MemorySwapMax", NULL);
        expect("drop-ins", &host, CHECK_GOOD, false, "none", NULL);
        expect("OOM policy", &host, CHECK_GOOD, false, "OOMPolicy=continue", NULL);
        host.user.no_oom_policy = true;
        expect("OOM policy", &host, CHECK_NOTE, false, "no OOMPolicy of scopes", "systemd 253");
        (void)snprintf(host.user.drop_ins, sizeof(host.user.drop_ins), "/a.conf, /b.conf");
        expect("drop-ins", &host, CHECK_NOTE, false, "/a.conf, /b.conf", "meant");
        expect("start", &host, CHECK_GOOD, false, "15.0 ms after a pause, the next one 1.5 ms",
               NULL);
        host.user.start_usec = 100001;
        expect("start", &host, CHECK_NOTE, false, "100.0 ms", "systemd-analyze");
        host.user.swap_limited = false;
        expect("swap accounting", &host, CHECK_FAILED, true, "memory.swap.max", "swapaccount=0");
        (void)snprintf(host.user.loose, sizeof(host.user.loose), "TasksMax");
        expect("trial scope", &host, CHECK_FAILED, true, "not in force: TasksMax", "drop-in");
        host.user.started = false;
        expect("drop-ins", &host, CHECK_NOTE, false, "not looked at", NULL);
        expect("OOM policy", &host, CHECK_NOTE, false, "not looked at", NULL);
        (void)snprintf(host.user.start_reason, sizeof(host.user.start_reason), "denied");
        expect("trial scope", &host, CHECK_FAILED, true, "refused: denied", "journalctl");
        expect("start", &host, CHECK_NOTE, false, "not measured", NULL);
        expect("swap accounting", &host, CHECK_NOTE, false, "not looked at", NULL);
        host.user.tried = false;
        expect("trial scope", &host, CHECK_FAILED, true, "no manager to ask", "manager first");
}

static void test_rest(void) {
        Host user = good_host(false), root = good_host(true);

        expect("audit trust", &root, CHECK_GOOD, false, "root's", NULL);
        expect("audit trust", &user, CHECK_NOTE, false, "those of uid 1000", "as root");
        expect("BPF firewall", &user, CHECK_NOTE, false, "not in a user manager", "as root");
        user.facts.no_view = "load the profile";
        expect("mount namespace", &user, CHECK_FAILED, true, "cannot be made", "load the profile");
}

int main(void) {
        test_table();
        test_landlock();
        test_controllers();
        test_managers();
        test_below();
        test_scope();
        test_rest();
        return done_testing();
}
