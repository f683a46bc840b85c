/* SPDX-License-Identifier: MIT */
/* Who the program runs as. Names are looked up only when one was given: NSS is slow. */
#include "supervisor/identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"
#include "supervisor/slots.h"

#define UID_LOCK_FILE "/run/confine/uids"
#define UID_TRIES     16   /* with as many left by dead runs something else is wrong */
#define GROUPS_MAX    1024 /* more supplementary groups than this are refused */

void identity_release(Identity *identity) {
        if (identity->uid_fd >= 0)
                (void)slot_mark(identity->uid_fd, identity->uid,
                                false); /* a mark only costs time */
}

void identity_done(Identity *identity) {
        free(identity->groups);
        free(identity->name);
        free(identity->home);
        identity->uid_fd = fd_close(identity->uid_fd);
        *identity = IDENTITY_INIT;
}

/* The whole of @text as an id; -1 (no change for setresuid) is none. */
static bool parse_id(const char *text, uint32_t *ret) {
        char *end;

        if (text[0] < '0' || text[0] > '9')
                return false;
        errno = 0;
        unsigned long long value = strtoull(text, &end, 10);
        if (errno || *end || value >= UINT32_MAX)
                return false;
        *ret = (uint32_t)value;
        return true;
}

static int load_groups(Identity *identity) {
        int n = GROUPS_MAX;

        if (!identity->name)
                return 0;
        identity->groups = calloc(GROUPS_MAX, sizeof(gid_t));
        if (!identity->groups)
                return -ENOMEM;
        if (getgrouplist(identity->name, identity->gid, identity->groups, &n) < 0)
                return -E2BIG;
        identity->n_groups = (size_t)n;
        return 0;
}

/* Fills name, home and gid from the passwd entry, where there is one. */
static int from_passwd(Identity *identity, const struct passwd *pw) {
        identity->uid = pw->pw_uid;
        identity->gid = pw->pw_gid;
        identity->name = strdup(pw->pw_name);
        identity->home = strdup(pw->pw_dir);
        return identity->name && identity->home ? 0 : -ENOMEM;
}

static int by_user(const char *user, Identity *identity, Outcome *outcome) {
        uint32_t id;
        const struct passwd *pw;

        if (parse_id(user, &id)) {
                pw = getpwuid(id);
                if (pw)
                        return from_passwd(identity, pw);
                identity->uid = id;
                identity->gid = id;
                return 0;
        }
        pw = getpwnam(user);
        if (!pw)
                return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "unknown user '%s' in User=: give a name that 'getent passwd' "
                                    "lists, or a number",
                                    user);
        return from_passwd(identity, pw);
}

/* Whether the process @name of /proc has @uid in any way; "Uid:" is among the first lines. */
static bool process_has_uid(int proc_fd, const char *name, uid_t uid) {
        _cleanup_close_ int fd = -EBADF;
        char path[64], text[1024];
        const char *at;
        ssize_t n;

        (void)snprintf(path, sizeof(path), "%s/status", name);
        fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
        n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
        text[MAX(n, 0)] = '\0';
        at = strstr(text, "\nUid:");
        if (!at)
                return false; /* it has ended */
        at += strlen("\nUid:");
        for (int i = 0; i < 4; i++) {
                uint64_t id;

                if (!str_read_number(at, &at, &id) || id == uid)
                        return true;
        }
        return false;
}

static bool uid_has_process(uid_t uid) {
        DIR *proc = opendir("/proc");
        const struct dirent *entry;
        bool found = false;

        if (!proc)
                return true; /* as far as anybody can tell */
        while (!found && (entry = readdir(proc)))
                found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
                        process_has_uid(dirfd(proc), entry->d_name, uid);
        (void)closedir(proc); /* it was only read */
        return found;
}

/* Each uid is marked while a run has it. A mark that is left tells of a run that did not come to
 * its end, of which something may still live: only then /proc is searched. */
static int take_uid(uint32_t *ret_uid) {
        for (int i = 0; i < UID_TRIES; i++) {
                _cleanup_close_ int fd = -EBADF;
                int r;

                fd = slot_take(UID_LOCK_FILE, UID_RANGE_FIRST, UID_RANGE_LAST - UID_RANGE_FIRST + 1,
                               ret_uid);
                if (fd < 0)
                        return fd;
                if (slot_is_marked(fd, *ret_uid) && uid_has_process(*ret_uid))
                        continue;
                r = slot_mark(fd, *ret_uid, true);
                return r < 0 ? r : TAKE_FD(fd);
        }
        return -EAGAIN;
}

static int from_range(Identity *identity, Outcome *outcome) {
        uint32_t uid;

        identity->uid_fd = take_uid(&uid);
        if (identity->uid_fd == -EAGAIN)
                return outcome_fail(
                        outcome, CAUSE_REFUSED, ERROR_CREATION,
                        "all uids of the range %u-%u are in use by other runs: wait for one "
                        "to end, or choose a user with --uid=",
                        UID_RANGE_FIRST, UID_RANGE_LAST);
        if (identity->uid_fd < 0)
                return outcome_fail(outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot lock a uid in '%s': %s", UID_LOCK_FILE,
                                    strerror(-identity->uid_fd));
        identity->uid = uid;
        identity->gid = uid;
        return 0;
}

/* Nobody's uid stands for the one that a run would take. */
static int name_range(Identity *identity) {
        identity->uid = identity->gid = UID_FROM_RANGE;
        return 0;
}

/* `sudo confine` works for the person at the keyboard, not for root. */
static bool by_sudo(Identity *identity) {
        const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
        uint32_t uid, gid;

        if (!uid_text || !gid_text || !parse_id(uid_text, &uid) || !parse_id(gid_text, &gid) ||
            uid == 0)
                return false;
        const struct passwd *pw = getpwuid(uid);
        identity->uid = uid;
        identity->gid = gid;
        if (pw) {
                identity->name = strdup(pw->pw_name);
                identity->home = strdup(pw->pw_dir);
        }
        return true;
}

static int choose_group(const char *group, Identity *identity, Outcome *outcome) {
        uint32_t id;
        const struct group *gr;

        if (parse_id(group, &id)) {
                identity->gid = id;
                return 0;
        }
        gr = getgrnam(group);
        if (!gr)
                return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "unknown group '%s' in Group=: give a name that 'getent group' "
                                    "lists, or a number",
                                    group);
        identity->gid = gr->gr_gid;
        return 0;
}

int identity_resolve(const Policy *policy, bool hold, Identity *ret, Outcome *outcome) {
        int r;

        *ret = IDENTITY_INIT;
        ret->uid = geteuid();
        ret->gid = getegid();
        if (ret->uid != 0)
                return 0; /* User= and Group= were refused with the policy */
        ret->switch_ids = true;
        if (policy->user)
                r = by_user(policy->user, ret, outcome);
        else if (by_sudo(ret))
                r = 0;
        else
                r = hold ? from_range(ret, outcome) : name_range(ret);
        if (r >= 0 && policy->group)
                r = choose_group(policy->group, ret, outcome);
        if (r >= 0)
                r = load_groups(ret);
        if (r < 0 && r != -ENOTRECOVERABLE)
                return outcome_fail(outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot look up the groups: %s", strerror(-r));
        return r;
}
