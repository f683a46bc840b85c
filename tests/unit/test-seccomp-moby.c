/* SPDX-License-Identifier: MIT */
/* The shipped profile against its reference, the Moby default profile: P11. The reference is not
 * part of the tree; without it that comparison is skipped. */
#include <fcntl.h>
#include <string.h>

#include "policy/json.h"
#include "policy/profile.h"
#include "tests/unit/tap.h"

#define MOBY "../shared/data/moby-default-v28.0.4.json"

static void test_texts(const Profile *profile) {
        size_t n_bad = 0;

        for (size_t i = 0; i < profile->n_groups; i++) {
                const ProfileGroup *group = &profile->groups[i];

                if (strlen(group->reason) >= 10 && group->moby)
                        continue;
                diagnostic("%s", group->name);
                n_bad++;
        }
        is_uint(n_bad, 0, "every group has a reason and says what Moby does");
}

static bool array_has(const cJSON *array, const char *name) {
        for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
                if (strcmp(json_text(item), name) == 0)
                        return true;
        return false;
}

/* Allowed by Moby for every container, whatever the arguments and capabilities are. */
static bool moby_allows(const cJSON *moby, const char *name) {
        const cJSON *calls = json_member(moby, "syscalls");

        for (const cJSON *entry = calls->child; entry; entry = entry->next) {
                const cJSON *includes = json_member(entry, "includes");

                if (!array_has(json_member(entry, "names"), name))
                        continue;
                if (strcmp(json_text(json_member(entry, "action")), "SCMP_ACT_ALLOW") == 0 &&
                    json_count(json_member(entry, "args")) == 0 && !json_member(includes, "caps") &&
                    !json_member(includes, "arches") && !json_member(entry, "excludes"))
                        return true;
        }
        return false;
}

static void test_moby(const Profile *profile) {
        _cleanup_free_ char *text = malloc(PROFILE_TEXT_MAX);
        _cleanup_(json_deletep) cJSON *moby = NULL;
        Diag diag = { 0 };
        size_t n_bad = 0, n_listed = 0;
        ssize_t length;

        length = fd_read_file(AT_FDCWD, MOBY, text, PROFILE_TEXT_MAX);
        if (length < 0) {
                skip(MOBY, "P11: what we allow without conditions, Moby allows too");
                return;
        }
        if (json_parse(text, (size_t)length, MOBY, &moby, &diag) < 0)
                bail_out("%s", diag.messages[0].text);
        is_str(json_text(json_member(moby, "defaultAction")), "SCMP_ACT_ERRNO",
               "the reference is an allowlist");
        for (size_t i = 0; i < profile->n_groups; i++) {
                const ProfileGroup *group = &profile->groups[i];

                if (!group->moby || strcmp(group->moby, "listed") != 0)
                        continue;
                for (size_t j = 0; j < group->n_calls; j++) {
                        n_listed++;
                        if (moby_allows(moby, group->calls[j].name))
                                continue;
                        diagnostic("%s: %s", group->name, group->calls[j].name);
                        n_bad++;
                }
        }
        is_uint(n_bad, 0, "P11: all %zu calls that we say Moby lists, it lists", n_listed);
        ok(n_listed > 150, "and these are most of the profile");
        diag_done(&diag);
}

/* A group that departs from Moby may allow without conditions only what Moby allows, or its text
 * must say so: there is no such group yet. */
static void test_departures(const Profile *profile) {
        size_t n_bad = 0;

        for (size_t i = 0; i < profile->n_groups; i++) {
                const ProfileGroup *group = &profile->groups[i];

                if (group->action != PROFILE_ALLOW || strcmp(group->moby, "listed") == 0)
                        continue;
                for (size_t j = 0; j < group->n_calls; j++)
                        n_bad += group->calls[j].n_arguments == 0;
        }
        is_uint(n_bad, 0, "P11: where we depart from Moby, we are narrower");
}

int main(void) {
        Profile profile = { 0 };
        Diag diag = { 0 };

        if (profile_read_directory(&profile, "policy/seccomp", &diag) < 0)
                bail_out("%s", diag.n_messages ? diag.messages[0].text : "policy/seccomp");
        test_texts(&profile);
        test_departures(&profile);
        test_moby(&profile);
        profile_done(&profile);
        diag_done(&diag);
        return done_testing();
}
