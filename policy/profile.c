/* SPDX-License-Identifier: MIT */
/* Reads a seccomp profile. What the keys mean is described in policy/seccomp/README.md. */
#include "policy/profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "policy/json.h"
#include "policy/profile-internal.h"
#include "supervisor/base/base.h"

/* The errnos a profile may answer with. EPERM is the default and needs no entry. */
static const ProfileName errnos[] = { { "ENOSYS", ENOSYS }, { "EACCES", EACCES } };

static const ProfileName grant_names[] = {
        { "subprocess", FILTER_SUBPROCESS },
        { "network", FILTER_NETWORK },
        { "view", FILTER_VIEW },
        { "bind-signals", FILTER_BIND_SIGNALS },
        { "ports", FILTER_PORTS },
};

static const ProfileName arch_names[] = {
        { "x86_64", 1U << PROFILE_X86_64 },
        { "aarch64", 1U << PROFILE_AARCH64 },
};

static const ProfileName action_names[] = {
        { "allow", PROFILE_ALLOW },
        { "errno", PROFILE_ERRNO },
        { "notify", PROFILE_NOTIFY },
};

static const ProfileName family_names[] = {
        { "exec", DENIAL_EXEC },
        { "network", DENIAL_NETWORK },
        { "process", DENIAL_PROCESS },
        { "inspect", DENIAL_INSPECT },
};

/* Stores the or-ed values of the names in @array; "!name" goes to *@ret_not where that is given. */
static int read_names(const cJSON *array, const ProfileName *names, size_t n_names, unsigned *ret,
                      unsigned *ret_not, ProfilePlace *place) {
        if (!json_is_array(array) || !array->child)
                return profile_refuse(place, "expected an array with names instead of", "this");
        for (const cJSON *item = array->child; item; item = item->next) {
                const char *word = json_text(item);
                bool negated = word && word[0] == '!';
                const ProfileName *found;

                place->line = json_line(item);
                if (!word)
                        return profile_refuse(place, "expected names in", "when");
                found = profile_find_name(names, n_names, word + negated, strlen(word + negated));
                if (!found || (negated && !ret_not))
                        return profile_refuse(place, "unknown name", word);
                if (negated)
                        *ret_not |= found->value;
                else
                        *ret |= found->value;
        }
        return 0;
}

static int read_name(const cJSON *item, const ProfileName *names, size_t n_names, unsigned *ret,
                     const char *key, ProfilePlace *place) {
        const char *word = json_text(item);
        const ProfileName *found =
                word ? profile_find_name(names, n_names, word, strlen(word)) : NULL;

        place->line = json_line(item);
        if (!found)
                return profile_refuse(place, "missing or unknown value of", key);
        *ret = found->value;
        return 0;
}

static int read_action(const cJSON *item, ProfileGroup *group, ProfilePlace *place) {
        const cJSON *action = json_member(item, "action");
        const cJSON *error = json_member(item, "errno");
        const cJSON *family = json_member(item, "family");
        unsigned value = PROFILE_ALLOW;
        int r;

        r = action ? read_name(action, action_names, ARRAY_SIZE(action_names), &value, "action",
                               place)
                   : 0;
        if (r < 0)
                return r;
        group->action = (ProfileAction)value;
        if ((error != NULL) != (group->action == PROFILE_ERRNO))
                return profile_refuse(place, "an action 'errno', and no other, has", "errno");
        if ((family != NULL) != (group->action == PROFILE_NOTIFY))
                return profile_refuse(place, "an action 'notify', and no other, has", "family");
        if (error) {
                r = read_name(error, errnos, ARRAY_SIZE(errnos), &value, "errno", place);
                if (r < 0)
                        return r;
                group->error = (int)value;
        }
        if (family) {
                r = read_name(family, family_names, ARRAY_SIZE(family_names), &value, "family",
                              place);
                if (r < 0)
                        return r;
                group->family = (DenialFamily)value;
        }
        return 0;
}

static int read_conditions(const cJSON *item, ProfileGroup *group, ProfilePlace *place) {
        const cJSON *when = json_member(item, "when");
        const cJSON *arches = json_member(item, "architectures");
        const cJSON *optional = json_member(item, "optional");
        int r;

        if (when) {
                r = read_names(when, grant_names, ARRAY_SIZE(grant_names), &group->when_set,
                               &group->when_clear, place);
                if (r < 0)
                        return r;
        }
        group->arches = (1U << _PROFILE_ARCH_MAX) - 1;
        if (arches) {
                group->arches = 0;
                r = read_names(arches, arch_names, ARRAY_SIZE(arch_names), &group->arches, NULL,
                               place);
                if (r < 0)
                        return r;
        }
        if (optional && !json_is_bool(optional))
                return profile_refuse(place, "expected true or false as", "optional");
        group->optional = json_is_true(optional);
        return 0;
}

static int read_group(const cJSON *item, ProfileGroup *group, ProfilePlace *place) {
        static const char *const keys[] = { "name",          "reason",   "moby",   "when",
                                            "architectures", "optional", "action", "errno",
                                            "family",        "calls",    NULL };
        const char *name = json_text(json_member(item, "name"));
        const char *reason = json_text(json_member(item, "reason"));
        const char *moby = json_text(json_member(item, "moby"));
        const char *unknown;
        int r;

        if (!json_is_object(item) || !name || !reason)
                return profile_refuse(place, "expected an object with name and reason in",
                                      "groups");
        place->group = name;
        unknown = json_unknown_key(item, keys);
        if (unknown)
                return profile_refuse(place, "unknown key", unknown);
        if (json_member(item, "moby") && !moby)
                return profile_refuse(place, "expected a text as", "moby");
        group->file = strdup(place->file);
        group->line = place->line;
        group->name = strdup(name);
        group->reason = strdup(reason);
        group->moby = moby ? strdup(moby) : NULL;
        if (!group->file || !group->name || !group->reason || (moby && !group->moby))
                return -ENOMEM;
        r = read_conditions(item, group, place);
        if (r < 0)
                return r;
        r = read_action(item, group, place);
        if (r < 0)
                return r;
        return profile_read_calls(json_member(item, "calls"), group, place);
}

static int add_group(Profile *profile, const cJSON *item, ProfilePlace *place) {
        const char *name = json_text(json_member(item, "name"));
        ProfileGroup *groups;

        place->line = json_line(item);
        place->group = place->call = NULL;
        if (profile->n_groups == PROFILE_GROUPS_MAX)
                return profile_refuse(place, "too many", "groups");
        for (size_t i = 0; name && i < profile->n_groups; i++)
                if (strcmp(profile->groups[i].name, name) == 0) {
                        place->group = name;
                        return profile_refuse(place, "name used twice:", name);
                }
        groups = reallocarray(profile->groups, profile->n_groups + 1, sizeof(ProfileGroup));
        if (!groups)
                return -ENOMEM;
        profile->groups = groups;
        groups[profile->n_groups] = (ProfileGroup){ 0 };
        return read_group(item, &groups[profile->n_groups++], place);
}

int profile_parse(Profile *profile, const char *text, size_t size, const char *file, Diag *reterr) {
        static const char *const keys[] = { "version", "groups", NULL };
        _cleanup_(json_deletep) cJSON *json = NULL;
        ProfilePlace place = { .file = file, .line = 1, .reterr = reterr };
        const cJSON *groups;
        uint32_t version;
        int r;

        if (size > PROFILE_TEXT_MAX)
                return diag_add(reterr, ERROR_CONFIGURATION, "'%s' is longer than %u bytes", file,
                                PROFILE_TEXT_MAX);
        r = json_parse(text, size, file, &json, reterr);
        if (r < 0)
                return r;
        if (!json_is_object(json) || json_unknown_key(json, keys))
                return profile_refuse(&place, "expected an object with version and groups, not",
                                      json_is_object(json) ? json_unknown_key(json, keys) : "this");
        if (json_unsigned(json_member(json, "version"), 1, &version) < 0 || version != 1)
                return profile_refuse(&place, "expected 1 as", "version");
        groups = json_member(json, "groups");
        if (!json_is_array(groups))
                return profile_refuse(&place, "expected an array as", "groups");
        for (const cJSON *item = groups->child; item; item = item->next) {
                r = add_group(profile, item, &place);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int only_json(const struct dirent *entry) {
        const char *dot = strrchr(entry->d_name, '.');

        return dot && dot != entry->d_name && strcmp(dot, ".json") == 0;
}

static int read_file(Profile *profile, int dir_fd, const char *name, Diag *reterr) {
        _cleanup_free_ char *text = malloc(PROFILE_TEXT_MAX + 2);
        ssize_t length;

        if (!text)
                return -ENOMEM;
        length = fd_read_file(dir_fd, name, text, PROFILE_TEXT_MAX + 2);
        if (length < 0)
                return diag_add(reterr, ERROR_CONFIGURATION, "cannot read '%s': %s", name,
                                strerror((int)-length));
        return profile_parse(profile, text, (size_t)length, name, reterr);
}

int profile_read_directory(Profile *profile, const char *path, Diag *reterr) {
        _cleanup_close_ int dir_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        struct dirent **entries = NULL;
        int n, r = 0;

        if (dir_fd < 0)
                return -errno;
        n = scandirat(dir_fd, ".", &entries, only_json, alphasort);
        if (n < 0)
                return -errno;
        for (int i = 0; i < n; i++) {
                if (r >= 0)
                        r = read_file(profile, dir_fd, entries[i]->d_name, reterr);
                free(entries[i]);
        }
        free(entries);
        if (r >= 0 && n == 0)
                return diag_add(reterr, ERROR_CONFIGURATION, "no '*.json' in '%s'", path);
        return r;
}

bool profile_group_active(const ProfileGroup *group, ProfileArch arch, unsigned grants) {
        return (group->arches & (1U << arch)) && (grants & group->when_set) == group->when_set &&
               (grants & group->when_clear) == 0;
}

void profile_done(Profile *profile) {
        for (size_t i = 0; i < profile->n_groups; i++) {
                ProfileGroup *group = &profile->groups[i];

                for (size_t j = 0; j < group->n_calls; j++) {
                        for (size_t k = 0; k < group->calls[j].n_arguments; k++)
                                free(group->calls[j].arguments[k].values);
                        free(group->calls[j].arguments);
                        free(group->calls[j].name);
                }
                free(group->calls);
                free(group->file);
                free(group->name);
                free(group->reason);
                free(group->moby);
        }
        free(profile->groups);
        *profile = (Profile){ 0 };
}
