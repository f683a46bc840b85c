/* SPDX-License-Identifier: MIT */
/* Who the program runs as. Names are looked up only when one was given: NSS is slow. */
#include "supervisor/identity.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <unistd.h>

#include "policy/ceiling.h"
#include "policy/keys.h"
#include "policy/uid-range.h"
#include "supervisor/base/base.h"
#include "supervisor/uids.h"

#define GROUPS_MAX 1024 /* more supplementary groups than this are refused */

typedef struct Choice {
        const Policy *policy;
        const Settings *settings;
        bool hold;
} Choice;

void identity_release(Identity *identity) {
        if (identity->uid_fd >= 0)
                uids_release(identity->uid_fd, identity->uid);
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

static int from_range(const Choice *choice, Identity *identity, Outcome *outcome) {
        const UidRange *range = &choice->policy->uids;
        const Setting *asked = settings_last(choice->settings, KEY_UIDRange);
        uint32_t uid;

        if (asked && uids_check(range, asked->origin, outcome) < 0)
                return -ENOTRECOVERABLE;
        if (!choice->hold) {
                identity->uid = identity->gid = UID_FROM_RANGE;
                return 0;
        }
        identity->uid_fd = uids_take(range, &uid);
        if (identity->uid_fd == -EAGAIN)
                return outcome_fail(
                        outcome, CAUSE_REFUSED, ERROR_CREATION,
                        "all uids of the range %u-%u are in use by other runs: wait for one "
                        "to end, give them more with UIDRange=, or choose a user with --uid=",
                        range->first, range->last);
        if (identity->uid_fd < 0)
                return outcome_fail(
                        outcome, CAUSE_ERROR, ERROR_CREATION,
                        "cannot lock a uid of the range %u-%u: %s%s", range->first, range->last,
                        strerror(-identity->uid_fd),
                        identity->uid_fd == -EROFS
                                ? ": a unit that calls confine under ProtectSystem=strict needs "
                                  "ReadWritePaths=/run/confine"
                                : "");
        identity->uid = uid;
        identity->gid = uid;
        return 0;
}

/* `sudo confine` works for the person at the keyboard, not for root. Returns whether somebody is
 * there, or a negative errno. */
static int by_sudo(Identity *identity) {
        const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
        const struct passwd *pw;
        uint32_t uid, gid;
        int r = 0;

        if (!uid_text || !gid_text || !parse_id(uid_text, &uid) || !parse_id(gid_text, &gid) ||
            uid == 0)
                return 0;
        pw = getpwuid(uid);
        if (pw)
                r = from_passwd(identity, pw);
        identity->uid = uid;
        identity->gid = gid;
        return r < 0 ? r : 1;
}

static bool find_user(const char *text, uint32_t *ret) {
        const struct passwd *pw;

        if (parse_id(text, ret))
                return true;
        pw = getpwnam(text);
        if (pw)
                *ret = pw->pw_uid;
        return pw != NULL;
}

static bool find_group(const char *text, uint32_t *ret) {
        const struct group *gr;

        if (parse_id(text, ret))
                return true;
        gr = getgrnam(text);
        if (gr)
                *ret = gr->gr_gid;
        return gr != NULL;
}

static int choose_group(const char *group, Identity *identity, Outcome *outcome) {
        uint32_t id;

        if (!find_group(group, &id))
                return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                                    "unknown group '%s' in Group=: give a name that 'getent group' "
                                    "lists, or a number",
                                    group);
        identity->gid = id;
        return 0;
}

/* By number: names are only names for those. */
static int check_ceiling(const Settings *settings, Key key, uint32_t id, Outcome *outcome) {
        bool (*find)(const char *text, uint32_t *ret) = key == KEY_User ? find_user : find_group;
        const Setting *asked = settings_last(settings, key), *first = ceiling_find(settings, key);
        uint32_t allowed;

        if (!asked || !first)
                return 0;
        for (size_t i = 0; i < settings_count_ceilings(settings); i++) {
                const Setting *ceiling = settings_ceiling_at(settings, i);

                if (ceiling->key == key && find(ceiling->value, &allowed) && allowed == id)
                        return 0;
        }
        return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                            "'%s=%s' (%s) is not among those that the ceiling of this machine "
                            "lists, such as '%s' (%s): choose one of them, or ask the "
                            "administrator",
                            key_info(key)->name, asked->value, asked->origin, first->value,
                            first->origin);
}

/* With an id of the range a run would share it with one that takes it. */
static int refuse_range(const Policy *policy, const char *what, uint32_t id, Outcome *outcome) {
        if (!uid_range_has(&policy->uids, id))
                return 0;
        return outcome_fail(outcome, CAUSE_REFUSED, ERROR_CONFIGURATION,
                            "the %s %u is one that runs of root take turns in, UIDRange=%u-%u: "
                            "choose another, or change the range",
                            what, id, policy->uids.first, policy->uids.last);
}

static int choose_user(const Choice *choice, Identity *identity, Outcome *outcome) {
        int r;

        if (choice->policy->user) {
                r = by_user(choice->policy->user, identity, outcome);
                return r < 0 ? r
                             : check_ceiling(choice->settings, KEY_User, identity->uid, outcome);
        }
        r = by_sudo(identity);
        return r != 0 ? r : from_range(choice, identity, outcome);
}

int identity_resolve(const Policy *policy, const Settings *settings, bool hold, Identity *ret,
                     Outcome *outcome) {
        const Choice choice = { policy, settings, hold };
        bool from_range;
        int r;

        *ret = IDENTITY_INIT;
        ret->uid = geteuid();
        ret->gid = getegid();
        if (ret->uid != 0)
                return 0; /* User= and Group= were refused with the policy */
        ret->switch_ids = true;
        r = choose_user(&choice, ret, outcome);
        from_range = ret->uid_fd >= 0 || ret->uid == UID_FROM_RANGE;
        if (r >= 0 && policy->group)
                r = choose_group(policy->group, ret, outcome);
        if (r >= 0 && policy->group)
                r = check_ceiling(settings, KEY_Group, ret->gid, outcome);
        if (r >= 0 && !from_range)
                r = refuse_range(policy, "uid", ret->uid, outcome);
        if (r >= 0 && (!from_range || policy->group))
                r = refuse_range(policy, "gid", ret->gid, outcome);
        if (r >= 0)
                r = load_groups(ret);
        if (r < 0 && r != -ENOTRECOVERABLE)
                return outcome_fail(outcome, CAUSE_ERROR, ERROR_CREATION,
                                    "cannot look up the groups: %s", strerror(-r));
        return r;
}
