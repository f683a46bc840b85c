/* SPDX-License-Identifier: MIT */
/* policy/filter.c and the shipped tables: P11, P12, P13, P15, P20, P21. Every program is run for
 * every system call number and at the edges of every condition, and compared with what the JSON
 * says. */
#include "policy/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <string.h>

#include "policy/profile.h"
#include "policy/shipped.h"
#include "tests/unit/bpf.h"
#include "tests/unit/tap.h"

#define NUMBERS 601

static const uint32_t audit_arches[_PROFILE_ARCH_MAX] = {
        [PROFILE_X86_64] = AUDIT_ARCH_X86_64,
        [PROFILE_AARCH64] = AUDIT_ARCH_AARCH64,
};

/* One program under test. */
typedef struct Subject {
        const Profile *profile;
        ProfileArch arch;
        unsigned grants;
        FilterLayer layer;
        FilterProgram program;
        const char *names[NUMBERS]; /* by number, from libseccomp's table the other way round */
        size_t n_checked;
        size_t n_wrong;
} Subject;

/* ---- what the JSON says, evaluated straight from the groups */

static bool argument_holds(const ProfileArgument *argument, uint64_t value) {
        if (argument->null)
                return value == 0;
        for (size_t i = 0; i < argument->n_values; i++)
                if (((uint32_t)value & argument->mask) == argument->values[i])
                        return true;
        return false;
}

static bool call_holds(const ProfileCall *call, const struct seccomp_data *data) {
        for (size_t i = 0; i < call->n_arguments; i++)
                if (!argument_holds(&call->arguments[i], data->args[call->arguments[i].index]))
                        return false;
        return true;
}

typedef struct Verdict {
        bool allowed;
        const ProfileGroup *notify;
        int error;
} Verdict;

static Verdict judge(const Subject *s, const struct seccomp_data *data) {
        const char *name = data->nr >= 0 && data->nr < NUMBERS ? s->names[data->nr] : NULL;
        Verdict verdict = { 0 };

        for (size_t i = 0; name && i < s->profile->n_groups; i++) {
                const ProfileGroup *group = &s->profile->groups[i];

                if (!profile_group_active(group, s->arch, s->grants))
                        continue;
                for (size_t j = 0; j < group->n_calls; j++) {
                        if (strcmp(group->calls[j].name, name) != 0)
                                continue;
                        if (group->action == PROFILE_ERRNO)
                                verdict.error = group->error;
                        else if (group->action == PROFILE_NOTIFY)
                                verdict.notify = group;
                        else if (call_holds(&group->calls[j], data))
                                verdict.allowed = true;
                }
        }
        return verdict;
}

static uint32_t expected(const Subject *s, const struct seccomp_data *data) {
        Verdict verdict = judge(s, data);

        if (data->arch != audit_arches[s->arch])
                return SECCOMP_RET_KILL_PROCESS;
        if (s->arch == PROFILE_X86_64 && data->nr != -1 && ((uint32_t)data->nr & 0x40000000))
                return SECCOMP_RET_KILL_PROCESS;
        if (s->arch == PROFILE_X86_64 && data->nr < -1)
                return SECCOMP_RET_KILL_PROCESS;
        if (verdict.error)
                return SECCOMP_RET_ERRNO | (uint32_t)verdict.error;
        if (s->layer == FILTER_INNER)
                return verdict.allowed || verdict.notify ? SECCOMP_RET_ALLOW
                                                         : SECCOMP_RET_ERRNO | EPERM;
        if (verdict.allowed || !verdict.notify)
                return SECCOMP_RET_ALLOW;
        if (s->layer == FILTER_OUTER)
                return SECCOMP_RET_USER_NOTIF;
        return verdict.notify->family == DENIAL_EXEC ? SECCOMP_RET_TRACE
                                                     : SECCOMP_RET_ERRNO | EPERM;
}

/* ---- running a subject */

static void check(Subject *s, const struct seccomp_data *data) {
        uint32_t got = bpf_run(s->program.code, s->program.n_code, data);
        uint32_t wanted = expected(s, data);

        s->n_checked++;
        if (got == wanted)
                return;
        if (s->n_wrong++ < 5)
                diagnostic("nr %d arch %#x args %#llx %#llx %#llx %#llx: got %#x, wanted %#x",
                           data->nr, data->arch, data->args[0], data->args[1], data->args[2],
                           data->args[3], got, wanted);
}

/* The values at which a condition changes its mind, and the same with the upper half set. */
static void check_edges(Subject *s, const struct seccomp_data *base, unsigned index,
                        uint64_t value) {
        const uint64_t edges[] = { value,
                                   value + 1,
                                   value - 1,
                                   ~value,
                                   0,
                                   UINT32_MAX,
                                   UINT64_MAX,
                                   value | UINT64_C(1) << 32,
                                   value | UINT64_C(1) << 63,
                                   value | UINT64_C(0xffffffff00000000) };
        struct seccomp_data data = *base;

        for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
                data.args[index] = edges[i];
                check(s, &data);
        }
        for (unsigned bit = 0; bit < 64; bit++) {
                data.args[index] = value ^ UINT64_C(1) << bit;
                check(s, &data);
        }
}

static void check_rule(Subject *s, const ProfileCall *call, int nr) {
        struct seccomp_data base = { .nr = nr, .arch = audit_arches[s->arch] };

        for (size_t i = 0; i < call->n_arguments; i++)
                if (!call->arguments[i].null)
                        base.args[call->arguments[i].index] = call->arguments[i].values[0];
        check(s, &base);
        for (size_t i = 0; i < call->n_arguments; i++) {
                const ProfileArgument *argument = &call->arguments[i];

                if (argument->null)
                        check_edges(s, &base, argument->index, 0);
                for (size_t j = 0; j < argument->n_values; j++)
                        check_edges(s, &base, argument->index, argument->values[j]);
        }
}

/* Entries that are not in force are tried as well: what a grant adds must be absent without it. */
static void check_rules(Subject *s) {
        for (size_t i = 0; i < s->profile->n_groups; i++)
                for (size_t j = 0; j < s->profile->groups[i].n_calls; j++) {
                        const ProfileCall *call = &s->profile->groups[i].calls[j];
                        int nr = call_number(s->arch, call->name);

                        if (nr >= 0)
                                check_rule(s, call, nr);
                }
}

static void check_numbers(Subject *s) {
        static const uint32_t others[] = {
                AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64, 0,
                UINT32_MAX
        };
        static const int odd[] = { -1,   -2,        1023,      1024,           1025,
                                   9999, INT32_MAX, INT32_MIN, 0x40000000 - 1, 0x40000000 };

        for (int nr = 0; nr < NUMBERS; nr++) {
                struct seccomp_data data = { .nr = nr, .arch = audit_arches[s->arch] };

                check(s, &data);
                memset(data.args, 0xff, sizeof(data.args));
                check(s, &data);
                data.nr = nr | 0x40000000;
                check(s, &data);
                for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
                        data = (struct seccomp_data){ .nr = nr, .arch = others[i] };
                        check(s, &data);
                }
        }
        for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
                struct seccomp_data data = { .nr = odd[i], .arch = audit_arches[s->arch] };

                check(s, &data);
        }
}

static void names_fill(Subject *s, char *memory[NUMBERS]) {
        for (int nr = 0; nr < NUMBERS; nr++) {
                memory[nr] = seccomp_syscall_resolve_num_arch(audit_arches[s->arch], nr);
                s->names[nr] = memory[nr];
        }
}

static const struct sock_fprog *shipped_layer(unsigned grants, FilterLayer layer) {
        const FilterPair *pair = shipped_filters(grants);

        return layer == FILTER_INNER   ? &pair->inner
               : layer == FILTER_OUTER ? &pair->outer
                                       : &pair->outer_trace;
}

static void test_subject(Subject *s) {
        static const char *const arch_names[] = { "x86_64", "aarch64" };
        static const char *const layer_names[] = { "outer", "outer-trace", "inner" };
        Diag diag = { 0 };
        int r;

        r = filter_compile(s->profile, s->arch, s->grants, s->layer, &s->program, &diag);
        if (r < 0)
                bail_out("filter_compile: %d %s", r, diag.n_messages ? diag.messages[0].text : "");
        if (bpf_check(s->program.code, s->program.n_code) < 0)
                bail_out("the kernel would not load the program");
        check_numbers(s);
        check_rules(s);
        ok(s->n_wrong == 0,
           "P11 P13 P15 P20 P21: %s %s, grants %#x: %zu instructions, %zu calls as in the JSON",
           arch_names[s->arch], layer_names[s->layer], s->grants, s->program.n_code, s->n_checked);
#if defined(__x86_64__) || defined(__aarch64__)
        if (audit_arches[s->arch] == seccomp_arch_native()) {
                const struct sock_fprog *shipped = shipped_layer(s->grants, s->layer);

                ok(shipped->len == s->program.n_code &&
                           memcmp(shipped->filter, s->program.code,
                                  shipped->len * sizeof(*shipped->filter)) == 0,
                   "the table built in is this program");
        }
#endif
        diag_done(&diag);
}

static void test_all(const Profile *profile) {
        for (unsigned arch = 0; arch < _PROFILE_ARCH_MAX; arch++) {
                char *memory[NUMBERS];
                Subject named = { .arch = (ProfileArch)arch };

                names_fill(&named, memory);
                for (unsigned grants = 0; grants < _FILTER_COMBINATIONS; grants++)
                        for (unsigned layer = 0; layer < _FILTER_LAYER_MAX; layer++) {
                                Subject s = named;

                                s.profile = profile;
                                s.grants = grants;
                                s.layer = (FilterLayer)layer;
                                test_subject(&s);
                                filter_program_done(&s.program);
                        }
                for (int nr = 0; nr < NUMBERS; nr++)
                        free(memory[nr]);
        }
}

int main(void) {
        Profile profile = { 0 };
        Diag diag = { 0 };
        int r;

        r = profile_read_directory(&profile, "policy/seccomp", &diag);
        if (r < 0)
                bail_out("policy/seccomp: %d %s", r, diag.n_messages ? diag.messages[0].text : "");
        test_all(&profile);
        profile_done(&profile);
        diag_done(&diag);
        return done_testing();
}
