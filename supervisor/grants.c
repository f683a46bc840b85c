/* SPDX-License-Identifier: MIT */
/* Opening what is granted. Paths are text up to here; from here on descriptors count. */
#include "supervisor/grants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <mntent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "policy/ceiling.h"
#include "policy/grant.h"
#include "policy/value.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/view.h"

#define PARTS_MAX 1024U /* what a read grant of / may become */

/* A read grant of / is one of what is in these directories, but for the names beside them: other
 * processes, sockets and secrets of services, and the cgroups of everybody. A rule for / itself
 * could not leave anything out. */
static const struct {
        const char *directory;
        const char *without[3];
} root_parts[] = {
        { "/", { "proc", "run", "sys" } },
        { "/sys", { "fs" } },
        { "/sys/fs", { "cgroup" } },
};

/* linux/magic.h lacks it. Source: the kernel's fs/configfs/mount.c. */
#define CONFIGFS_MAGIC 0x62656570

/* file systems on which a write grant would hand over the machine or confine itself */
static const unsigned long control_filesystems[] = {
        PROC_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, CGROUP_SUPER_MAGIC, SYSFS_MAGIC,
        SECURITYFS_MAGIC, DEBUGFS_MAGIC,       TRACEFS_MAGIC,      BPF_FS_MAGIC,
        EFIVARFS_MAGIC,   SELINUX_MAGIC,       CONFIGFS_MAGIC,
};
#define N_OF_PROCESSES 3 /* of them tell about other processes; they come first */

/* Whether @fd is on one of the first @n of them; true also if that cannot be told. */
static bool is_on(int fd, size_t n) {
        struct statfs fs;

        if (fstatfs(fd, &fs) < 0)
                return true;
        for (size_t i = 0; i < n; i++)
                if ((unsigned long)fs.f_type == control_filesystems[i])
                        return true;
        return false;
}

static void end_mntentp(FILE **mounts) {
        if (*mounts)
                (void)endmntent(*mounts); /* it was only read */
}

static int add(Run *run, int fd, const Grant *grant, bool is_part) {
        OpenedGrant *grown = reallocarray(run->opened, run->n_opened + 1, sizeof(*grown));

        if (!grown) {
                (void)fd_close(fd);
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        }
        run->opened = grown;
        run->opened[run->n_opened++] = (OpenedGrant){
                .fd = fd,
                .grant = (int)(grant - run->policy->grants),
                .is_part = is_part,
        };
        return 0;
}

/* Where @own lies, or would lie: the links of what there is of it are followed. NULL: nowhere. */
static char *find_real(const char *own) {
        _cleanup_free_ char *above = strdup(own);
        char *slash;

        while (above && (slash = strrchr(above, '/'))) {
                _cleanup_free_ char *real = realpath(above, NULL);

                if (real)
                        return str_format("%s%s", real, own + strlen(above));
                if (errno != ENOENT)
                        break;
                *slash = '\0';
        }
        return NULL;
}

/* By another name of a file it may be reached from anywhere. Of root's, only root makes one. */
static bool has_other_names(const char *own) {
        struct stat st;

        return stat(own, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1 &&
               (st.st_uid != 0 || geteuid() == 0);
}

/* A write grant of what decides about the next run. Either may lead to the other, or be named so:
 * all count. */
static int check_reach(Run *run, const Grant *grant, const char *target, const char *own) {
        _cleanup_free_ char *real = own[0] == '/' ? find_real(own) : NULL;

        if (own[0] != '/')
                return 0;
        if (grant_reaches(grant->path, own) || grant_reaches(target, own) ||
            (real && grant_reaches(target, real)))
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "%s= '%s' reaches '%s', which is confine's own: grant another "
                                    "directory",
                                    grant->key, grant->path, own);
        return 0;
}

/* The same of a policy file, or what a policy names. */
static int check_file(Run *run, const Grant *grant, const char *target, const char *own) {
        if (has_other_names(own))
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "%s= '%s' may reach another name of '%s', which is confine's "
                                    "own and has hard links: put a copy in its place",
                                    grant->key, grant->path, own);
        return check_reach(run, grant, target, own);
}

static int check_own(Run *run, const Grant *grant, const char *target) {
        static const struct {
                const char *variable;
                const char *below;
        } rows[] = {
                { "HOME", "/.config/confine" },
                { "HOME", "/.local/state/confine" },
                { "XDG_CONFIG_HOME", "/confine" },
                { "XDG_STATE_HOME", "/confine" },
        };
        char own[VALUE_PATH_MAX + 1];
        ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
        int r;

        own[MAX(n, 0)] = '\0';
        r = check_reach(run, grant, target, own);
        if (r == 0 && run->policy->seccomp_profile)
                r = check_file(run, grant, target, run->policy->seccomp_profile);
        for (size_t i = 0; r == 0 && i < _GUARDED_MAX; i++)
                if (run->invocation->guarded[i])
                        r = check_file(run, grant, target, run->invocation->guarded[i]);
        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(rows); i++) {
                const char *base = getenv(rows[i].variable);

                /* One that does not fit is no directory that anybody can have. */
                (void)snprintf(own, sizeof(own), "%s%s", base ? base : "", rows[i].below);
                if (base)
                        r = check_reach(run, grant, target, own);
        }
        return r;
}

static char *resolve(const char *path) {
        return realpath(path, NULL);
}

/* What the interpreter consists of is part of the base, but not from just anywhere. */
static bool is_base(const Grant *grant, const char *target) {
        return grant->implicit && grant->optional && grant->access == GRANT_EXEC &&
               str_path_below(target, "/usr");
}

int grants_check_ceiling(Run *run, const Grant *grant, const char *target) {
        const Setting *against = ceiling_against(run->invocation->settings, grant, target, resolve);

        if (!against)
                return 0;
        return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                            "%s= '%s' is not below a ceiling of this machine, %s (%s): run what "
                            "lies below it, or ask the administrator",
                            grant->key, target, against->value, against->origin);
}

/* What the path leads to counts, not its text alone: a link may lead anywhere, and an earlier run
 * may have made it. */
static int check_target(Run *run, const Grant *grant, int fd) {
        _cleanup_(diag_done) Diag diag = { 0 };
        char link[64], target[VALUE_PATH_MAX + 1];
        ssize_t n;
        int r;

        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        n = readlink(link, target, sizeof(target) - 1);
        if (n < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "%s= '%s' cannot be checked: %s: mount /proc", grant->key,
                                    grant->path, strerror(errno));
        target[n] = '\0';
        if (grant->implicit && strcmp(target, grant->path) != 0)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "'%s' became a link to '%s' while the run was prepared: look who "
                        "changes it, and try again",
                        grant->path, target);
        if (grant->from_project && strcmp(target, grant->path) != 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "%s= '%s' leads to '%s', and a project's own file grants no "
                                    "links: grant what you need with --allow-read=, or accept the "
                                    "file with --policy=",
                                    grant->key, grant->path, target);
        r = is_base(grant, target) ? 0 : grants_check_ceiling(run, grant, target);
        if (r < 0)
                return r;
        if (grant_check_target(grant, target, &run->facts, &diag) < 0)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION, "%s",
                                    diag.n_messages > 0 ? diag.messages[0].text : "out of memory");
        if (view_add_grant(run, grant, target, fd) < 0)
                return outcome_fail(&run->outcome, CAUSE_ERROR, ERROR_CREATION, "out of memory");
        if (!(grant->access & GRANT_WRITE))
                return 0;
        if (is_on(fd, ARRAY_SIZE(control_filesystems)))
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "%s= '%s' is on a file system that controls this machine: grant an "
                        "ordinary directory",
                        grant->key, grant->path);
        return check_own(run, grant, target);
}

static bool is_left_out(const char *name, const char *const without[static 3]) {
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                return true;
        for (size_t i = 0; i < 3 && without[i]; i++)
                if (strcmp(name, without[i]) == 0)
                        return true;
        return false;
}

/* What is in the directory @index of root_parts. What cannot be opened is not granted. A link needs
 * no grant: what it leads to is in another part, or in none. */
static int open_parts(Run *run, const Grant *grant, size_t index) {
        DIR *directory = opendir(root_parts[index].directory);
        const struct dirent *entry;
        int r = 0;

        if (!directory)
                return 0;
        while (r == 0 && (entry = readdir(directory))) {
                _cleanup_close_ int fd = -EBADF;
                struct stat st;

                if (is_left_out(entry->d_name, root_parts[index].without))
                        continue;
                fd = openat(dirfd(directory), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
                if (fd < 0 || fstat(fd, &st) < 0 || S_ISLNK(st.st_mode))
                        continue;
                if (is_on(fd, N_OF_PROCESSES))
                        continue;
                if (run->n_opened >= PARTS_MAX)
                        r = outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                         "%s= '/' is more than %u grants: grant the directories "
                                         "you need",
                                         grant->key, PARTS_MAX);
                else
                        r = add(run, TAKE_FD(fd), grant, true);
        }
        (void)closedir(directory);
        return r;
}

static bool is_root(int fd) {
        struct stat st, root;

        return fstat(fd, &st) == 0 && stat("/", &root) == 0 && st.st_dev == root.st_dev &&
               st.st_ino == root.st_ino;
}

/* By any name, a bind mount's as well: Landlock ties a rule to the directory, not to its path. */
static int open_root(Run *run, const Grant *grant) {
        if (grant->access != GRANT_READ)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "%s= '%s' is the root directory: grant the directories you need",
                        grant->key, grant->path);
        for (size_t i = 0; i < ARRAY_SIZE(root_parts); i++) {
                int r;

                r = open_parts(run, grant, i);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int open_grant(Run *run, const Grant *grant) {
        _cleanup_close_ int fd = open(grant->path, O_PATH | O_CLOEXEC);
        int r;

        if (fd < 0 && grant->optional && (errno == ENOENT || errno == ENOTDIR))
                return 0;
        if (fd < 0)
                return outcome_fail(
                        &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                        "%s= '%s' cannot be opened: %s: correct the path, or write '-%s' if it "
                        "may be missing",
                        grant->key, grant->path, strerror(errno), grant->path);
        r = check_target(run, grant, fd);
        if (r < 0)
                return r;
        return is_root(fd) ? open_root(run, grant) : add(run, TAKE_FD(fd), grant, false);
}

int grants_open(Run *run) {
        for (size_t i = 0; i < run->policy->n_grants; i++) {
                int r;

                r = open_grant(run, &run->policy->grants[i]);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* By descriptor: what the path leads to was checked when that was opened. */
static int check_mounts(Run *run, const OpenedGrant *opened) {
        const Grant *grant = &run->policy->grants[opened->grant];
        _cleanup_(end_mntentp) FILE *mounts = setmntent("/proc/self/mounts", "re");
        char link[64], target[VALUE_PATH_MAX + 1];
        const struct mntent *mount;
        ssize_t n;

        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", opened->fd);
        n = readlink(link, target, sizeof(target) - 1);
        if (n < 0 || !mounts)
                return outcome_fail(&run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "%s= '%s' cannot be checked: %s: mount /proc", grant->key,
                                    grant->path, strerror(errno));
        target[n] = '\0';
        while ((mount = getmntent(mounts))) {
                _cleanup_close_ int fd = -EBADF;

                if (!str_path_below(mount->mnt_dir, target))
                        continue;
                fd = open(mount->mnt_dir, O_PATH | O_CLOEXEC);
                if (fd >= 0 && is_on(fd, ARRAY_SIZE(control_filesystems)))
                        return outcome_fail(
                                &run->outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                "%s= '%s' has a file system that controls this machine below it, "
                                "at '%s': unmount that, or grant the directories beside it",
                                grant->key, grant->path, mount->mnt_dir);
        }
        return 0;
}

int grants_check_mounts(Run *run) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < run->n_opened; i++)
                if (run->policy->grants[run->opened[i].grant].access & GRANT_WRITE)
                        r = check_mounts(run, &run->opened[i]);
        return r;
}

void grants_close(Run *run) {
        for (size_t i = 0; i < run->n_opened; i++)
                (void)fd_close(run->opened[i].fd);
        free(run->opened);
        run->opened = NULL;
        run->n_opened = 0;
}
