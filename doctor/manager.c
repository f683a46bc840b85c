/* SPDX-License-Identifier: MIT */
/* Asks a manager for its version and for a scope, as a run would. Nothing waits without a deadline:
 * a bus that takes connections and says nothing is one of the things that are looked for. */
#include "doctor/manager.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <systemd/sd-bus.h>

#include "doctor/bus.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/str.h"

#define OBJECT       "/org/freedesktop/systemd1"
#define MANAGER      BUS_MANAGER ".Manager"
#define ANSWER_USEC  (3 * USEC_PER_SEC) /* emulated machines are that slow */
#define SCOPE_USEC   (5 * USEC_PER_SEC)
#define RUNTIME_USEC (10 * USEC_PER_SEC) /* should this process be killed meanwhile */
#define TRIAL_MEMORY (UINT64_C(64) << 20)
#define TRIAL_TASKS  UINT64_C(16)

/* A process that waits, and the scope around it. */
typedef struct Trial {
        pid_t pid;
        int pidfd;
        int leash; /* the process ends when this is closed, whoever closes it */
        char unit[64];
        char job[128];
        char result[32];
        bool no_oom_policy; /* what this manager does not know is left out */
} Trial;

static void trial_done(Trial *trial) {
        siginfo_t info;

        trial->leash = fd_close(trial->leash);
        if (trial->pidfd < 0)
                return;
        (void)kernel_pidfd_send_signal(trial->pidfd, SIGKILL); /* the scope goes with it */
        (void)kernel_pidfd_wait(trial->pidfd, &info, WEXITED);
        trial->pidfd = fd_close(trial->pidfd);
}

static int on_removed(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        Trial *trial = userdata;
        const char *job, *unit, *result;
        uint32_t id;

        if (sd_bus_message_read(m, "uoss", &id, &job, &unit, &result) >= 0 &&
            strcmp(unit, trial->unit) == 0)
                (void)snprintf(trial->result, sizeof(trial->result), "%s", result);
        return 0;
}

static int append_properties(sd_bus_message *m, const Trial *trial) {
        int r;

        r = sd_bus_message_append(m, "ss", trial->unit, "fail");
        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "(sv)");
        if (r >= 0 && !trial->no_oom_policy)
                r = sd_bus_message_append(m, "(sv)", "OOMPolicy", "s", "continue");
        if (r >= 0)
                r = sd_bus_message_append(
                        m, "(sv)(sv)(sv)(sv)(sv)(sv)(sv)(sv)(sv)(sv)", "RuntimeMaxUSec", "t",
                        RUNTIME_USEC, "Description", "s", "confine doctor, a trial", "Slice", "s",
                        "confine.slice", "CollectMode", "s", "inactive-or-failed", "PIDs", "au", 1,
                        (uint32_t)trial->pid, "DelegateControllers", "as", 3, "cpu", "memory",
                        "pids", "MemoryMax", "t", TRIAL_MEMORY, "MemorySwapMax", "t", UINT64_C(0),
                        "TasksMax", "t", TRIAL_TASKS, "CPUQuotaPerSecUSec", "t", USEC_PER_SEC / 2);
        if (r >= 0)
                r = sd_bus_message_close_container(m);
        return r < 0 ? r : sd_bus_message_append(m, "a(sa(sv))", 0);
}

static int call_start(sd_bus *bus, const Trial *trial, sd_bus_error *reterr) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *call = NULL, *reply = NULL;
        int r;

        r = sd_bus_message_new_method_call(bus, &call, BUS_MANAGER, OBJECT, MANAGER,
                                           "StartTransientUnit");
        if (r < 0)
                return r;
        r = append_properties(call, trial);
        return r < 0 ? r : sd_bus_call(bus, call, SCOPE_USEC, reterr, &reply);
}

static int start(sd_bus *bus, Trial *trial, sd_bus_error *reterr) {
        _cleanup_(sd_bus_slot_unrefp) sd_bus_slot *match = NULL;
        uint64_t deadline = clock_add_usec(clock_now_usec(), SCOPE_USEC);
        int r;

        r = sd_bus_match_signal(bus, &match, BUS_MANAGER, OBJECT, MANAGER, "JobRemoved", on_removed,
                                trial);
        if (r < 0)
                return r;
        r = call_start(bus, trial, reterr);
        /* As a run does: systemd before 253 knows no OOMPolicy of scopes. */
        if (sd_bus_error_has_name(reterr, SD_BUS_ERROR_PROPERTY_READ_ONLY) ||
            sd_bus_error_has_name(reterr, SD_BUS_ERROR_UNKNOWN_PROPERTY)) {
                sd_bus_error_free(reterr);
                trial->no_oom_policy = true;
                r = call_start(bus, trial, reterr);
        }
        while (r >= 0 && !trial->result[0]) {
                uint64_t now = clock_now_usec();

                if (now >= deadline)
                        return -ETIMEDOUT;
                r = sd_bus_process(bus, NULL);
                if (r == 0)
                        r = sd_bus_wait(bus, deadline - now);
        }
        if (r < 0)
                return r;
        return strcmp(trial->result, "done") == 0 ? 0 : -EPROTO;
}

/* Names in @manager what of the limits the cgroup of @trial has not got. */
static void read_limits(const Trial *trial, Manager *manager) {
        static const struct {
                const char *file, *key;
                uint64_t wanted;
        } rows[] = {
                { "memory.max", "MemoryMax", TRIAL_MEMORY },
                { "memory.swap.max", "MemorySwapMax", 0 },
                { "pids.max", "TasksMax", TRIAL_TASKS },
                { "cpu.max", "CPUQuota", 50000 }, /* of each 100 ms */
        };
        char path[512], text[512], *cgroup;
        size_t length = 0;

        (void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)trial->pid);
        if (fd_read_file(AT_FDCWD, path, text, sizeof(text)) < 0 ||
            !(cgroup = strstr(text, "0::/"))) {
                (void)snprintf(manager->loose, sizeof(manager->loose),
                               "all, the cgroup is unknown");
                return;
        }
        cgroup[strcspn(cgroup, "\n")] = '\0';
        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                char value[64];
                uint64_t limit;

                (void)snprintf(path, sizeof(path), "/sys/fs/cgroup%.400s/%s", cgroup + 3,
                               rows[i].file);
                if (fd_read_file(AT_FDCWD, path, value, sizeof(value)) >= 0 &&
                    str_read_number(value, NULL, &limit) && limit <= rows[i].wanted) {
                        manager->swap_limited |= rows[i].wanted == 0;
                        continue;
                }
                (void)snprintf(manager->loose + length, sizeof(manager->loose) - length, "%s%s",
                               length > 0 ? ", " : "", rows[i].key);
                length = strlen(manager->loose);
        }
}

/* Appends @text to the words in @buf, with @between before it. Returns whether it fits: else it is
 * left out. */
static bool append_word(char *buf, size_t size, const char *between, const char *text) {
        size_t length = strlen(buf);

        if (length + strlen(between) + strlen(text) >= size)
                return false;
        (void)snprintf(buf + length, size - length, "%s%s", between, text);
        return true;
}

static void read_drop_ins(sd_bus *bus, const Trial *trial, Manager *manager) {
        _cleanup_free_ char *path = NULL;
        _cleanup_(strv_freep) char **files = NULL;
        static const char more[] = ", and more";

        if (sd_bus_path_encode(OBJECT "/unit", trial->unit, &path) < 0 ||
            sd_bus_get_property_strv(bus, BUS_MANAGER, path, BUS_MANAGER ".Unit", "DropInPaths",
                                     NULL, &files) < 0)
                return (void)snprintf(manager->drop_ins, sizeof(manager->drop_ins), "unknown");
        for (char **file = files; file && *file; file++)
                if (!append_word(manager->drop_ins, sizeof(manager->drop_ins) - strlen(more),
                                 file > files ? ", " : "", *file))
                        return (void)append_word(manager->drop_ins, sizeof(manager->drop_ins), "",
                                                 more);
}

static int hold(Trial *ret) {
        const CloneArgs args = {
                .flags = CLONE_PIDFD,
                .pidfd = (uint64_t)(uintptr_t)&ret->pidfd,
                .exit_signal = SIGCHLD,
        };
        _cleanup_close_ int held = -EBADF;
        int ends[2], n = 0;
        unsigned number[4];

        if (getrandom(number, sizeof(number), 0) != sizeof(number))
                return -EIO;
        (void)snprintf(ret->unit, sizeof(ret->unit), "confine-%08x%08x%08x%08x.scope", number[0],
                       number[1], number[2], number[3]);
        if (pipe2(ends, O_CLOEXEC) < 0)
                return -errno;
        held = ends[0];
        ret->leash = ends[1];
        ret->pid = kernel_clone3(&args);
        if (ret->pid == 0) {
                ret->leash = fd_close(ret->leash);
                _exit(read(held, &n, sizeof(n)) != 0);
        }
        return MIN(ret->pid, 0);
}

static void try_scope(sd_bus *bus, Manager *manager, uint64_t *ret_usec) {
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_(trial_done) Trial trial = { .pidfd = -EBADF, .leash = -EBADF };
        uint64_t before;
        int r;

        manager->tried = true;
        r = hold(&trial);
        before = clock_now_usec();
        if (r == 0)
                r = start(bus, &trial, &error);
        *ret_usec = clock_now_usec() - before;
        manager->started = r == 0;
        manager->no_oom_policy = trial.no_oom_policy;
        if (r == 0) {
                read_limits(&trial, manager);
                manager->drop_ins[0] = '\0';
                read_drop_ins(bus, &trial, manager);
        } else
                (void)snprintf(manager->start_reason, sizeof(manager->start_reason), "%s",
                               error.message     ? error.message
                               : trial.result[0] ? trial.result
                                                 : strerror(-r));
}

static void read_controllers(bool system, Manager *manager) {
        char path[128] = "/sys/fs/cgroup/cgroup.controllers";
        char text[sizeof(manager->controllers) - 2];
        unsigned uid = (unsigned)geteuid();

        if (!system)
                (void)snprintf(path, sizeof(path),
                               "/sys/fs/cgroup/user.slice/user-%u.slice/user@%u.service/"
                               "cgroup.controllers",
                               uid, uid);
        if (fd_read_file(AT_FDCWD, path, text, sizeof(text)) < 0)
                return;
        (void)snprintf(manager->controllers, sizeof(manager->controllers), " %s ", text);
}

/* Of what it has itself, what PID 1 hands on to the managers of users: to root's, as to others. */
static void read_delegated(sd_bus *bus, Manager *manager) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        _cleanup_(strv_freep) char **names = NULL;
        const char *path;

        if (sd_bus_call_method(bus, BUS_MANAGER, OBJECT, MANAGER, "LoadUnit", NULL, &reply, "s",
                               "user@0.service") < 0 ||
            sd_bus_message_read(reply, "o", &path) < 0 ||
            sd_bus_get_property_strv(bus, BUS_MANAGER, path, BUS_MANAGER ".Service",
                                     "DelegateControllers", NULL, &names) < 0)
                return;
        (void)snprintf(manager->below, sizeof(manager->below), " ");
        for (char **name = names; name && *name; name++)
                if (manager_has_controller(manager, *name)) {
                        (void)append_word(manager->below, sizeof(manager->below), "", *name);
                        (void)append_word(manager->below, sizeof(manager->below), "", " ");
                }
}

void manager_look(bool system, bool scope, Manager *ret) {
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_(sd_bus_close_unrefp) sd_bus *bus = NULL;
        _cleanup_free_ char *version = NULL;
        int r;

        *ret = (Manager){ .looked = true };
        read_controllers(system, ret);
        r = bus_connect(system, ANSWER_USEC, &bus);
        if (r >= 0)
                r = sd_bus_get_property_string(bus, BUS_MANAGER, OBJECT, MANAGER, "Version", &error,
                                               &version);
        if (r < 0) {
                (void)snprintf(ret->reason, sizeof(ret->reason), "%s",
                               error.message ? error.message : strerror(-r));
                return;
        }
        ret->connected = true;
        (void)snprintf(ret->version, sizeof(ret->version), "%s", version);
        if (system)
                read_delegated(bus, ret);
        if (scope)
                try_scope(bus, ret, &ret->start_usec);
        if (ret->started)
                try_scope(bus, ret, &ret->again_usec);
}

void manager_look_below(const Manager *system, Manager *ret) {
        *ret = (Manager){ .told = system->below[0] };
        memcpy(ret->controllers, system->below, sizeof(ret->controllers));
}

bool manager_has_controller(const Manager *manager, const char *name) {
        char word[32];

        (void)snprintf(word, sizeof(word), " %s ", name);
        return name[0] == '\0' || strstr(manager->controllers, word);
}
