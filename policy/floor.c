/* SPDX-License-Identifier: MIT */
/* What no profile may admit, and what every profile has to. */
#include "policy/floor.h"

#include <errno.h>
#include <string.h>

#include "supervisor/base/base.h"

#define ALL_BITS   UINT32_MAX
#define C(name)    CONSTANT_##name
#define VALUES_MAX 8U

enum {
#define CONSTANT(name, value) CONSTANT_##name = (value),
#include "policy/constants.def"
#undef CONSTANT
};

/* Texts instead of pointers in these tables: each start would have to relocate those. */
typedef struct Forbidden {
        char call[24];
        unsigned when;
        unsigned unless;
        char reason[160];
        struct {
                unsigned index;
                uint32_t mask;
                uint32_t value;
        } conditions[2]; /* a mask of 0: none */
} Forbidden;

typedef struct Held {
        char call[24];
        unsigned when;
        unsigned unless;
        char reason[80];
        unsigned index;
        uint32_t values[VALUES_MAX];
        size_t n_values;
} Held;

static const Forbidden forbidden[] = {
#define NEVER(call_, when_, unless_, reason_, ...) \
        { #call_, when_, unless_, reason_, { __VA_ARGS__ } },
#include "policy/floor.def"
};

static const Held held[] = {
#define ONLY(call_, when_, unless_, reason_, index_, ...) \
        { #call_,                                         \
          when_,                                          \
          unless_,                                        \
          reason_,                                        \
          index_,                                         \
          { __VA_ARGS__ },                                \
          sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t) },
#include "policy/floor.def"
};

static const struct {
        char call[24];
        char reason[40];
} launch[] = {
#define LAUNCH(call_, reason_) { #call_, reason_ },
#include "policy/floor.def"
};

static const char pass[][24] = {
#define PASS(call_) #call_,
#include "policy/floor.def"
};

/* What is looked at: one profile as it is in force. */
typedef struct Subject {
        const Profile *profile;
        ProfileArch arch;
        unsigned grants;
        const char *file;
        Diag *diag;
        bool faulty;
} Subject;

static void fault(Subject *s, const ProfileGroup *group, const ProfileCall *call,
                  const char *reason) {
        (void)diag_add(s->diag, ERROR_CONFIGURATION,
                       "'%s:%zu': group '%s' admits more of '%s' than a profile may: %s: narrow it "
                       "or leave it out",
                       group->file, call->line, group->name, call->name, reason);
        s->faulty = true;
}

static bool applies(const Subject *s, unsigned when, unsigned unless) {
        return (s->grants & when) == when && (s->grants & unless) == 0;
}

/* Whether some value meets both the condition @a of an entry and that of a row. */
static bool can_meet(const ProfileArgument *a, uint32_t mask, uint32_t value) {
        if (a->null)
                return value == 0;
        for (size_t i = 0; i < a->n_values; i++)
                if ((a->values[i] & mask) == (value & a->mask))
                        return true;
        return false;
}

/* Whether @call, an entry, admits what @row forbids. Conditions on one argument are taken one by
 * one: an entry whose own conditions contradict each other may be refused, too. */
static bool admits(const ProfileCall *call, const Forbidden *row) {
        for (size_t i = 0; i < ARRAY_SIZE(row->conditions); i++)
                for (size_t j = 0; row->conditions[i].mask && j < call->n_arguments; j++)
                        if (call->arguments[j].index == row->conditions[i].index &&
                            !can_meet(&call->arguments[j], row->conditions[i].mask,
                                      row->conditions[i].value))
                                return false;
        return true;
}

static bool is_one_of(uint32_t value, const Held *row) {
        for (size_t i = 0; i < row->n_values; i++)
                if (row->values[i] == value)
                        return true;
        return false;
}

/* Whether @call, an entry, holds the argument to values of @row. */
static bool holds(const ProfileCall *call, const Held *row) {
        for (size_t i = 0; i < call->n_arguments; i++) {
                const ProfileArgument *argument = &call->arguments[i];
                size_t n_good = 0;

                if (argument->index != row->index || argument->mask != UINT32_MAX)
                        continue;
                if (argument->null)
                        return is_one_of(0, row);
                while (n_good < argument->n_values && is_one_of(argument->values[n_good], row))
                        n_good++;
                if (n_good == argument->n_values)
                        return true;
        }
        return false;
}

static void check_entry(Subject *s, const ProfileGroup *group, const ProfileCall *call) {
        for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
                if (strcmp(call->name, forbidden[i].call) == 0 &&
                    applies(s, forbidden[i].when, forbidden[i].unless) &&
                    admits(call, &forbidden[i]))
                        fault(s, group, call, forbidden[i].reason);
        for (size_t i = 0; i < ARRAY_SIZE(held); i++)
                if (strcmp(call->name, held[i].call) == 0 &&
                    applies(s, held[i].when, held[i].unless) && !holds(call, &held[i]))
                        fault(s, group, call, held[i].reason);
}

/* What the profile says of a call, whatever its arguments are. */
typedef struct Saying {
        bool allowed;
        bool notified;
        bool notified_exec;
        bool answered; /* with an errno */
} Saying;

static Saying look_up(const Subject *s, const char *name) {
        Saying saying = { 0 };

        for (size_t i = 0; i < s->profile->n_groups; i++) {
                const ProfileGroup *group = &s->profile->groups[i];

                if (!profile_group_active(group, s->arch, s->grants))
                        continue;
                for (size_t j = 0; j < group->n_calls; j++) {
                        if (strcmp(group->calls[j].name, name) != 0)
                                continue;
                        saying.allowed |=
                                group->action == PROFILE_ALLOW && group->calls[j].n_arguments == 0;
                        saying.notified |= group->action == PROFILE_NOTIFY;
                        saying.notified_exec |=
                                group->action == PROFILE_NOTIFY && group->family == DENIAL_EXEC;
                        saying.answered |= group->action == PROFILE_ERRNO;
                }
        }
        return saying;
}

static void check_launch(Subject *s) {
        static const char *const executions[] = { "execve", "execveat" };

        for (size_t i = 0; i < ARRAY_SIZE(launch); i++) {
                if (look_up(s, launch[i].call).allowed)
                        continue;
                (void)diag_add(s->diag, ERROR_CONFIGURATION,
                               "'%s' does not admit '%s' with any arguments, by which the launch "
                               "%s: list it without conditions",
                               s->file, launch[i].call, launch[i].reason);
                s->faulty = true;
        }
        for (size_t i = 0; i < ARRAY_SIZE(pass); i++) {
                Saying saying = look_up(s, pass[i]);

                if (!saying.notified && !saying.answered)
                        continue;
                (void)diag_add(s->diag, ERROR_CONFIGURATION,
                               "'%s' answers or notifies '%s', which the launch calls between the "
                               "two filters: allow it or leave it out",
                               s->file, pass[i]);
                s->faulty = true;
        }
        /* Both, since the launch looks whether somebody above decides either. */
        for (size_t i = 0; i < ARRAY_SIZE(executions); i++) {
                Saying exec = look_up(s, executions[i]);

                if (!exec.answered && (exec.notified_exec || (exec.allowed && !exec.notified)))
                        continue;
                (void)diag_add(s->diag, ERROR_CONFIGURATION,
                               "'%s' does not let the launch's own '%s' through: notify it in the "
                               "family exec, or allow it when subprocess is granted",
                               s->file, executions[i]);
                s->faulty = true;
        }
}

int floor_check(const Profile *profile, ProfileArch arch, unsigned grants, const char *file,
                Diag *reterr) {
        Subject s = {
                .profile = profile, .arch = arch, .grants = grants, .file = file, .diag = reterr
        };

        for (size_t i = 0; i < profile->n_groups; i++) {
                const ProfileGroup *group = &profile->groups[i];

                if (group->action != PROFILE_ALLOW || !profile_group_active(group, arch, grants))
                        continue;
                for (size_t j = 0; j < group->n_calls; j++)
                        check_entry(&s, group, &group->calls[j]);
        }
        check_launch(&s);
        return s.faulty ? -EINVAL : 0;
}
