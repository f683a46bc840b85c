/* SPDX-License-Identifier: MIT */
/* Compiles one layer of a profile to BPF.
 *
 * The calls become slots by number, equal neighbours become ranges, and the ranges a binary tree of
 * comparisons. The program is written from its end: whatever a jump leads to exists already, so no
 * offset is ever patched, and answers are shared. */
#include "policy/filter.h"

#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <string.h>

#include "supervisor/base/base.h"

#define RULES_MAX  16U  /* entries with conditions for one call */
#define TREE_DEPTH 12U  /* > log2(CALLS_MAX + 1) */
#define JUMP_MAX   250U /* a conditional jump reaches 255; the rest is for trampolines */

#define ANSWER_ERRNO(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

static const uint32_t arches[_PROFILE_ARCH_MAX] = {
        [PROFILE_X86_64] = AUDIT_ARCH_X86_64,
        [PROFILE_AARCH64] = AUDIT_ARCH_AARCH64,
};

/* What the profile says about one call, over all active groups. */
typedef struct Slot {
        bool allow; /* whatever the arguments are */
        bool notify;
        DenialFamily family;
        int error;
        const ProfileCall *rules[RULES_MAX]; /* allowed if one of them holds */
        size_t n_rules;
} Slot;

/* Calls from @first on that are answered alike. */
typedef struct Range {
        uint32_t first;
        uint32_t answer;    /* if a rule holds, or there is none */
        uint32_t otherwise; /* if no rule holds */
        const Slot *rules;  /* NULL: no rules */
} Range;

typedef struct Emitter {
        struct sock_filter code[BPF_MAXINSNS];
        size_t start; /* the program is code[start] to the end */
        bool overflow;
} Emitter;

/* ---- slots */

static int refuse(const ProfileGroup *group, const ProfileCall *call, const char *what,
                  Diag *reterr) {
        return diag_add(reterr, ERROR_CONFIGURATION, "'%s:%zu': group '%s', %s '%s'", group->file,
                        call->line, group->name, what, call->name);
}

static int slot_add(Slot *slot, const ProfileGroup *group, const ProfileCall *call, Diag *reterr) {
        bool taken = slot->allow || slot->notify || slot->error;
        bool has_conditions = call->n_arguments > 0;

        if (group->action == PROFILE_ALLOW && has_conditions && !slot->allow && !slot->error) {
                if (slot->n_rules == RULES_MAX)
                        return refuse(group, call, "too many entries with conditions for", reterr);
                slot->rules[slot->n_rules++] = call;
                return 0;
        }
        /* A call means one thing: only narrower rules may stand beside a notification. */
        if (taken || has_conditions || (slot->n_rules > 0 && group->action != PROFILE_NOTIFY))
                return refuse(group, call, "contradicts another entry for", reterr);
        switch (group->action) {
        case PROFILE_ALLOW:
                slot->allow = true;
                break;
        case PROFILE_ERRNO:
                slot->error = group->error;
                break;
        case PROFILE_NOTIFY:
                slot->notify = true;
                slot->family = group->family;
                break;
        case _PROFILE_ACTION_MAX:
        case _PROFILE_ACTION_INVALID:
                return -EINVAL;
        }
        return 0;
}

static int slots_fill(Slot slots[static CALLS_MAX], const Profile *profile, ProfileArch arch,
                      unsigned grants, Diag *reterr) {
        for (size_t i = 0; i < profile->n_groups; i++) {
                const ProfileGroup *group = &profile->groups[i];

                if (!profile_group_active(group, arch, grants))
                        continue;
                for (size_t j = 0; j < group->n_calls; j++) {
                        const ProfileCall *call = &group->calls[j];
                        int nr = call_number(arch, call->name);
                        int r;

                        if (nr == -ENXIO || (nr == -ENOENT && group->optional))
                                continue;
                        if (nr < 0 || nr >= (int)CALLS_MAX)
                                return refuse(group, call, "unknown system call", reterr);
                        r = slot_add(&slots[nr], group, call, reterr);
                        if (r < 0)
                                return r;
                }
        }
        return 0;
}

/* ---- ranges */

static Range inner_answer(const Slot *slot) {
        if (slot->error)
                return (Range){ .answer = ANSWER_ERRNO(slot->error) };
        if (slot->allow || slot->notify)
                return (Range){ .answer = SECCOMP_RET_ALLOW };
        if (slot->n_rules > 0)
                return (Range){ .answer = SECCOMP_RET_ALLOW,
                                .otherwise = ANSWER_ERRNO(EPERM),
                                .rules = slot };
        return (Range){ .answer = ANSWER_ERRNO(EPERM) };
}

static Range outer_answer(const Slot *slot, FilterLayer layer) {
        uint32_t notify = SECCOMP_RET_USER_NOTIF;

        /* Of two ERRNO answers the kernel takes that of the filter installed last, so the inner
         * layer repeats this one. Source: the kernel's seccomp_run_filters(). */
        if (slot->error)
                return (Range){ .answer = ANSWER_ERRNO(slot->error) };
        if (!slot->notify)
                return (Range){ .answer = SECCOMP_RET_ALLOW };
        if (layer == FILTER_OUTER_TRACE)
                notify = slot->family == DENIAL_EXEC ? SECCOMP_RET_TRACE : ANSWER_ERRNO(EPERM);
        if (slot->n_rules > 0)
                return (Range){ .answer = SECCOMP_RET_ALLOW, .otherwise = notify, .rules = slot };
        return (Range){ .answer = notify };
}

/* Fills @ret, which has room for every number and one more. Returns how many ranges there are. */
static size_t ranges_make(const Slot slots[static CALLS_MAX], FilterLayer layer, Range *ret) {
        static const Slot unlisted = { 0 };
        size_t n = 0;

        for (uint32_t nr = 0; nr <= CALLS_MAX; nr++) {
                const Slot *slot = nr < CALLS_MAX ? &slots[nr] : &unlisted;
                Range range =
                        layer == FILTER_INNER ? inner_answer(slot) : outer_answer(slot, layer);

                range.first = nr;
                if (n > 0 && !range.rules && !ret[n - 1].rules && range.answer == ret[n - 1].answer)
                        continue;
                ret[n++] = range;
        }
        return n;
}

/* ---- emission. Every function returns the index of the instruction to jump to. */

static size_t emit(Emitter *e, struct sock_filter instruction) {
        if (e->start == 0) {
                e->overflow = true;
                return 0;
        }
        e->code[--e->start] = instruction;
        return e->start;
}

static size_t emit_load(Emitter *e, size_t offset) {
        return emit(e, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

/* An answer: one near by if there is one already. */
static size_t emit_answer(Emitter *e, uint32_t answer) {
        size_t end = MIN(e->start + JUMP_MAX, (size_t)BPF_MAXINSNS);

        for (size_t i = e->start; i < end; i++)
                if (e->code[i].code == (BPF_RET | BPF_K) && e->code[i].k == answer)
                        return i;
        return emit(e, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
}

/* Brings @target within reach of a conditional jump. */
static size_t emit_near(Emitter *e, size_t target) {
        if (target - e->start <= JUMP_MAX)
                return target;
        if (e->code[target].code == (BPF_RET | BPF_K))
                return emit_answer(e, e->code[target].k);
        return emit(e,
                    (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)(target - e->start)));
}

static size_t emit_branch(Emitter *e, unsigned condition, uint32_t k, size_t yes, size_t no) {
        yes = emit_near(e, yes);
        no = emit_near(e, no);
        return emit(e, (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | condition | BPF_K), k,
                                                    (uint8_t)(yes - e->start),
                                                    (uint8_t)(no - e->start)));
}

static size_t emit_argument(Emitter *e, const ProfileArgument *argument, size_t yes, size_t no) {
        /* Both architectures are little-endian: the low half comes first. */
        size_t low = offsetof(struct seccomp_data, args) + argument->index * sizeof(uint64_t);
        size_t next = no;

        if (argument->null) {
                (void)emit_branch(e, BPF_JEQ, 0, yes, no);
                next = emit_load(e, low);
                (void)emit_branch(e, BPF_JEQ, 0, next, no);
                return emit_load(e, low + sizeof(uint32_t));
        }
        for (size_t i = argument->n_values; i > 0; i--)
                next = emit_branch(e, BPF_JEQ, argument->values[i - 1], yes, next);
        if (argument->mask != UINT32_MAX)
                (void)emit(e,
                           (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, argument->mask));
        return emit_load(e, low);
}

/* Rules are alternatives, the conditions of a rule must all hold. */
static size_t emit_range(Emitter *e, const Range *range) {
        size_t no;

        if (!range->rules)
                return emit_answer(e, range->answer);
        no = emit_answer(e, range->otherwise);
        for (size_t i = range->rules->n_rules; i > 0; i--) {
                const ProfileCall *rule = range->rules->rules[i - 1];
                size_t yes = emit_answer(e, range->answer);

                for (size_t j = rule->n_arguments; j > 0; j--)
                        yes = emit_argument(e, &rule->arguments[j - 1], yes, no);
                no = yes;
        }
        return no;
}

/* The number is in the accumulator. Depth first, upper half first, without recursion. */
static size_t emit_tree(Emitter *e, const Range *ranges, size_t n_ranges) {
        struct {
                size_t low, high; /* ranges[low] to ranges[high - 1] */
                size_t upper;     /* where the upper half begins, once it is there */
                unsigned done;    /* halves */
        } stack[TREE_DEPTH] = { { .high = n_ranges } };
        size_t depth = 1, at = 0;

        while (depth > 0) {
                size_t low = stack[depth - 1].low, high = stack[depth - 1].high;
                size_t middle = low + (high - low) / 2;

                assert(depth < TREE_DEPTH);
                if (high - low == 1) {
                        at = emit_range(e, &ranges[low]);
                        depth--;
                        continue;
                }
                switch (stack[depth - 1].done++) {
                case 0:
                        stack[depth].low = middle;
                        stack[depth].high = high;
                        stack[depth++].done = 0;
                        break;
                case 1:
                        stack[depth - 1].upper = at;
                        stack[depth].low = low;
                        stack[depth].high = middle;
                        stack[depth++].done = 0;
                        break;
                default:
                        at = emit_branch(e, BPF_JGE, ranges[middle].first, stack[depth - 1].upper,
                                         at);
                        depth--;
                }
        }
        return at;
}

static void emit_program(Emitter *e, const Range *ranges, size_t n_ranges, ProfileArch arch) {
        size_t tree = emit_tree(e, ranges, n_ranges);
        size_t kill = emit_answer(e, SECCOMP_RET_KILL_PROCESS);
        size_t load;

        if (arch == PROFILE_X86_64) {
                /* -1 is no x32 call: it is what a tracer leaves behind to skip one. */
                size_t x32 = emit_branch(e, BPF_JEQ, UINT32_MAX, tree, kill);

                (void)emit_branch(e, BPF_JGE, X32_BIT, x32, tree);
        } else if (tree != e->start) {
                (void)emit(e, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA,
                                                           (uint32_t)(tree - e->start)));
        }
        load = emit_load(e, offsetof(struct seccomp_data, nr));
        (void)emit_branch(e, BPF_JEQ, arches[arch], load, kill);
        (void)emit_load(e, offsetof(struct seccomp_data, arch));
}

/* ---- interface */

typedef struct Workspace {
        Slot slots[CALLS_MAX];
        Range ranges[CALLS_MAX + 1];
        Emitter emitter;
} Workspace;

static void workspace_freep(Workspace **workspace) {
        free(*workspace);
}

int filter_compile(const Profile *profile, ProfileArch arch, unsigned grants, FilterLayer layer,
                   FilterProgram *ret, Diag *reterr) {
        _cleanup_(workspace_freep) Workspace *w = calloc(1, sizeof(Workspace));
        struct sock_filter *code;
        size_t n;
        int r;

        if (!w)
                return -ENOMEM;
        r = slots_fill(w->slots, profile, arch, grants, reterr);
        if (r < 0)
                return r;
        w->emitter.start = BPF_MAXINSNS;
        emit_program(&w->emitter, w->ranges, ranges_make(w->slots, layer, w->ranges), arch);
        if (w->emitter.overflow)
                return -E2BIG;
        n = BPF_MAXINSNS - w->emitter.start;
        code = reallocarray(NULL, n, sizeof(*code));
        if (!code)
                return -ENOMEM;
        memcpy(code, &w->emitter.code[w->emitter.start], n * sizeof(*code));
        *ret = (FilterProgram){ .code = code, .n_code = n };
        return 0;
}

void filter_program_done(FilterProgram *program) {
        free(program->code);
        *program = (FilterProgram){ 0 };
}

int filter_families(const Profile *profile, ProfileArch arch, uint8_t ret[static CALLS_MAX],
                    Diag *reterr) {
        memset(ret, DENIAL_NONE, CALLS_MAX);
        for (size_t i = 0; i < profile->n_groups; i++) {
                const ProfileGroup *group = &profile->groups[i];

                for (size_t j = 0; group->action == PROFILE_NOTIFY && j < group->n_calls; j++) {
                        int nr = call_number(arch, group->calls[j].name);

                        if (nr < 0)
                                continue; /* filter_compile() says so where it matters */
                        if (ret[nr] != DENIAL_NONE && ret[nr] != group->family)
                                return refuse(group, &group->calls[j], "another family for",
                                              reterr);
                        ret[nr] = (uint8_t)group->family;
                }
        }
        return 0;
}
