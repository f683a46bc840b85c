/* SPDX-License-Identifier: MIT */
/* What the host around the kernel provides: cgroups, managers, the journal, files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <linux/sockios.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <systemd/sd-id128.h>
#include <time.h>

#include "doctor/checks-internal.h"
#include "doctor/probe.h"
#include "policy/errors.h"
#include "policy/secret.h"
#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

#define CGROUPS "/sys/fs/cgroup"
#define JOURNAL "/run/systemd/journal/socket"

/* A run waits longer; a machine so slow is told from a stopped journald by looking again. */
#define JOURNAL_USEC (1500 * USEC_PER_MSEC)

void check_systemd(const Host *host _unused_, Finding *ret) {
        if (probe_systemd())
                return finding_good(ret, "manages this machine");
        finding_failed(ret,
                       "use a host that systemd manages, or start this container with systemd as "
                       "its first process",
                       "there is no '/run/systemd/system'");
}

void check_cgroup(const Host *host _unused_, Finding *ret) {
        struct statfs fs;

        if (statfs(CGROUPS, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
                return finding_good(ret, "unified");
        finding_failed(ret,
                       "boot with systemd.unified_cgroup_hierarchy=1, on a host that systemd "
                       "manages",
                       "'" CGROUPS "' is no cgroup v2");
}

void check_controllers(const Host *host, Finding *ret) {
        static const char names[][8] = { "cpu", "memory", "pids" };
        const Manager *manager = host_manager(host);
        char missing[32] = "";

        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                if (!manager_has_controller(manager, names[i])) {
                        size_t length = strlen(missing);

                        (void)snprintf(missing + length, sizeof(missing) - length, "%s%s",
                                       length > 0 ? ", " : "", names[i]);
                }
        if (!missing[0])
                return finding_good(ret, "cpu, memory, pids");
        finding_failed(ret,
                       host->facts.system_manager
                               ? "boot without cgroup_disable= for them and without controllers of "
                                 "cgroup v1; in a container, see that it is given them"
                               : PUT_DELEGATE("cpu memory pids"),
                       "%s: %s", host->facts.system_manager ? "missing" : "not delegated", missing);
}

void check_swap(const Host *host, Finding *ret) {
        const Manager *manager = host_manager(host);

        if (!manager->started)
                return finding_note(ret, "", "not looked at: there is no trial scope");
        if (manager->swap_limited)
                return finding_good(ret, "MemorySwapMax is in force");
        finding_failed(ret, "boot without swapaccount=0, with the controller memory",
                       "the trial scope has no memory.swap.max");
}

static void look_at_manager(const Manager *manager, const char *fix, Finding *ret) {
        if (!manager->looked && manager->told)
                return finding_good(ret,
                                    "not looked at: runs of root do not need one; what one would "
                                    "be given:%s",
                                    manager->controllers[1] ? manager->controllers : " nothing");
        if (!manager->looked)
                return finding_good(ret, "not looked at: runs of root do not need one");
        if (!manager->connected)
                return finding_failed(ret, fix, "does not answer: %s", manager->reason);
        finding_good(ret, "systemd %s", manager->version);
}

void check_system_manager(const Host *host, Finding *ret) {
        look_at_manager(&host->system, "start dbus, on a host that systemd manages", ret);
}

void check_user_manager(const Host *host, Finding *ret) {
        look_at_manager(&host->user,
                        "run 'loginctl enable-linger' as an admin once, or log in; root needs none",
                        ret);
}

void check_scope(const Host *host, Finding *ret) {
        const Manager *manager = host_manager(host);

        if (!manager->tried)
                return finding_failed(ret, "see to the manager first", "no manager to ask");
        if (!manager->started)
                return finding_failed(ret,
                                      "see 'journalctl -b' of this manager for why; a container "
                                      "must let it move processes between cgroups; if a user "
                                      "manager may not, " CALL_FROM_UNIT,
                                      "refused: %s", manager->start_reason);
        if (manager->loose[0])
                return finding_failed(ret,
                                      "see to the controllers, and that no drop-in of scope.d or "
                                      "confine-.scope.d is looser",
                                      "created and removed, but not in force: %s", manager->loose);
        finding_good(ret, "created and removed, its limits read back");
}

/* Whether cgroup v2 is mounted so that moving processes is fast. */
static bool favours_moves(void) {
        _cleanup_fclose_ FILE *f = fopen("/proc/self/mounts", "re");
        char line[1024];

        while (f && fgets(line, sizeof(line), f))
                if (strstr(line, " " CGROUPS " ") && strstr(line, "favordynmods"))
                        return true;
        return false;
}

void check_start(const Host *host, Finding *ret) {
        const Manager *manager = host_manager(host);
        double msec = (double)manager->start_usec / (double)USEC_PER_MSEC;
        double again = (double)manager->again_usec / (double)USEC_PER_MSEC;
        const char *how = favours_moves() ? "with favordynmods" : "without favordynmods";

        if (!manager->started)
                return finding_note(ret, "", "not measured: there is no trial scope");
        if (manager->start_usec > 100 * USEC_PER_MSEC)
                return finding_note(ret, "see what keeps the manager busy: systemd-analyze dump",
                                    "a scope took %.1f ms after a pause, the next one %.1f ms, %s",
                                    msec, again, how);
        finding_good(ret, "a scope took %.1f ms after a pause, the next one %.1f ms, %s", msec,
                     again, how);
}

/* What systemd itself says that it read, for a name like those of runs. */
void check_drop_ins(const Host *host, Finding *ret) {
        const Manager *manager = host_manager(host);

        if (!manager->started)
                return finding_note(ret, "", "not looked at: there is no trial scope");
        if (!manager->drop_ins[0])
                return finding_good(ret, "none");
        finding_note(ret, "see that what stands there is meant", "%s", manager->drop_ins);
}

void check_oom_policy(const Host *host, Finding *ret) {
        const Manager *manager = host_manager(host);

        if (!manager->started)
                return finding_note(ret, "", "not looked at: there is no trial scope");
        if (!manager->no_oom_policy)
                return finding_good(ret, "OOMPolicy=continue is set on scopes");
        finding_note(ret, "use systemd 253 or newer", "this systemd has no OOMPolicy of scopes");
}

void check_io_weight(const Host *host _unused_, Finding *ret) {
        if (probe_io_weight())
                return finding_good(ret, "a block device heeds it");
        finding_note(ret, "write bfq to /sys/block/DEVICE/queue/scheduler",
                     "no block device has the BFQ scheduler or iocost");
}

void check_locked_memory(const Host *host, Finding *ret) {
        struct rlimit limit;

        if (host->facts.uid == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) < 0 ||
            limit.rlim_cur == RLIM_INFINITY)
                return finding_good(ret, "not limited");
        if (limit.rlim_cur >= SECRET_SLOT_BYTES)
                return finding_good(ret, "room for %llu secrets",
                                    (unsigned long long)limit.rlim_cur / SECRET_SLOT_BYTES);
        finding_note(ret, "raise the limit, see 'ulimit -l'", "%lluK, no room for a secret",
                     (unsigned long long)limit.rlim_cur >> 10);
}

void check_firewall(const Host *host, Finding *ret) {
        _cleanup_close_ int fd = -EBADF;
        union bpf_attr attr;

        if (!host->facts.system_manager)
                return finding_note(ret, "run confine as root for filters by address",
                                    "not in a user manager");
        fd = open(CGROUPS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        memset(&attr, 0, sizeof(attr)); /* padding counts, too: bpf(2) */
        attr.query.target_fd = (uint32_t)MAX(fd, 0);
        attr.query.attach_type = BPF_CGROUP_INET_EGRESS;
        if (fd >= 0 && syscall(__NR_bpf, BPF_PROG_QUERY, &attr, sizeof(attr)) == 0)
                return finding_good(ret, "programs can be attached to cgroups");
        finding_note(ret, "boot a kernel with CONFIG_CGROUP_BPF, outside of a container",
                     "no programs on cgroups: %s", strerror(errno));
}

/* Whether journald has taken all that was sent to it by @fd. */
static bool is_taken(int fd) {
        int queued;

        return ioctl(fd, SIOCOUTQ, &queued) == 0 && queued == 0;
}

/* An empty datagram is one that journald takes and drops: it stores nothing, and shows that others
 * would be taken too. Returns 0 or a negative errno. */
static int send_nothing(int fd) {
        const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL };
        const struct timespec pause = { .tv_nsec = 1000000 };
        uint64_t deadline = clock_add_usec(clock_now_usec(), JOURNAL_USEC);
        bool sent = false;

        if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
                return -errno;
        for (;;) {
                if (!sent && send(fd, "", 0, MSG_NOSIGNAL) == 0)
                        sent = true;
                else if (!sent && errno != EAGAIN && errno != EINTR)
                        return -errno;
                if (sent && is_taken(fd))
                        return 0;
                if (clock_now_usec() >= deadline)
                        return -ETIMEDOUT;
                (void)nanosleep(&pause, NULL);
        }
}

void check_journal(const Host *host _unused_, Finding *ret) {
        _cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        int r = send_nothing(fd);

        if (r == 0)
                return finding_good(ret, "takes records");
        if (r == -ETIMEDOUT)
                return finding_failed(
                        ret,
                        "see 'systemctl status systemd-journald', and whether what it "
                        "writes to is full",
                        "journald takes nothing from '" JOURNAL "'");
        finding_failed(ret,
                       probe_systemd() ? "systemctl start systemd-journald.socket"
                                       : "see to systemd first",
                       "'" JOURNAL "': %s", strerror(-r));
}

/* Whether journald has the file it writes to below @directory. */
static bool has_journal(const char *directory) {
        char machine[33] = "", path[96];
        sd_id128_t id;

        if (sd_id128_get_machine(&id) >= 0)
                (void)sd_id128_to_string(id, machine);
        (void)snprintf(path, sizeof(path), "%s/%s/system.journal", directory, machine);
        return access(path, F_OK) == 0;
}

/* The directory alone says little: Storage= may be against it, or journald not know it yet. */
void check_storage(const Host *host _unused_, Finding *ret) {
        bool in_memory = has_journal("/run/log/journal");

        if (!in_memory && has_journal("/var/log/journal"))
                return finding_good(ret, "kept on disk");
        if (in_memory && access("/var/log/journal", F_OK) < 0)
                return finding_note(ret,
                                    "mkdir /var/log/journal, then systemd-tmpfiles --create "
                                    "--prefix=/var/log/journal, then journalctl --flush",
                                    "in memory: there is no /var/log/journal");
        finding_note(ret,
                     "see that Storage= in journald.conf(5) allows it, then journalctl --flush",
                     in_memory ? "in memory: /var/log/journal is not used"
                               : "nowhere: journald has no file");
}

void check_trust(const Host *host, Finding *ret) {
        if (host->facts.uid == 0)
                return finding_good(ret, "records are root's");
        finding_note(ret, "where others have to rely on them, run confine as root",
                     "records are those of uid %u", (unsigned)host->facts.uid);
}

void check_core_pattern(const Host *host, Finding *ret) {
        struct rlimit own = { .rlim_max = RLIM_INFINITY };
        char text[256];

        if (fd_read_file(AT_FDCWD, "/proc/sys/kernel/core_pattern", text, sizeof(text)) < 0)
                return finding_note(ret, "", "cannot be read");
        if (text[0] != '|')
                return finding_good(ret, "a file");
        (void)getrlimit(RLIMIT_CORE, &own); /* cannot fail */
        if (own.rlim_max == 0 && host->facts.uid != 0)
                return finding_note(ret,
                                    "raise the hard limit of core files, 0 here, to 1 or more: "
                                    "limits.conf(5)",
                                    "a program that runs as root, and gets the registers of a run "
                                    "that crashes, but not its memory: %.80s",
                                    text + 1);
        finding_note(ret, "leave LimitCORE=0 as it is", "a program that runs as root: %.100s",
                     text + 1);
}

void check_tiocsti(const Host *host _unused_, Finding *ret) {
        char text[16];

        if (fd_read_file(AT_FDCWD, "/proc/sys/dev/tty/legacy_tiocsti", text, sizeof(text)) > 0 &&
            strcmp(text, "0") == 0)
                return finding_good(ret, "off");
        finding_note(ret, "set the sysctl dev.tty.legacy_tiocsti to 0", "on");
}
