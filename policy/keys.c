/* SPDX-License-Identifier: MIT */
/* The table of policy keys and looking keys up. Whatever a key means is in resolve.c. */
#include "policy/keys.h"

#include <assert.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

/* More than any machine has, and not near enough to 2^64 to be "no limit" anywhere: the kernel
 * takes page counts at or above LONG_MAX for none, and rounds. */
#define BYTES_MOST   (UINT64_C(1) << 52)   /* the physical addresses of x86-64 and arm64 */
#define CPU_MOST     (8192 * USEC_PER_SEC) /* NR_CPUS of distribution kernels */
#define WEIGHT_MOST  UINT64_C(10000)       /* of cpu.weight and io.weight */
#define WEIGHT_UNSET UINT64_C(100)
#define TASKS_MOST   UINT64_C(4194303) /* pids.max takes PID_MAX_LIMIT at most, with the keeper */
#define FILES_MOST   UINT64_C(1073741816) /* what systemd raises fs.nr_open to */
#define DAY_USEC     (86400 * USEC_PER_SEC)

static const KeyInfo keys[_KEY_MAX] = {
#define KEY(section_, name_, field_, type_, choices_, preset_, min_, max_, merge_, layers_, \
            bound_, help_)                                                                  \
        [KEY_##name_] = {                                                                   \
                .section = #section_,                                                       \
                .name = #name_,                                                             \
                .type = VALUE_##type_,                                                      \
                .choices = (choices_),                                                      \
                .preset = (preset_),                                                        \
                .min = (min_),                                                              \
                .max = (max_),                                                              \
                .merge = MERGE_##merge_,                                                    \
                .layers = LAYERS_##layers_,                                                 \
                .bound = BOUND_##bound_,                                                    \
                .built = true,                                                              \
                .offset = offsetof(Policy, field_),                                         \
                .width = sizeof(((const Policy *)NULL)->field_),                            \
                .help = (help_),                                                            \
        },
#define LATER(section_, name_, type_, merge_, layers_, help_) \
        [KEY_##name_] = {                                     \
                .section = #section_,                         \
                .name = #name_,                               \
                .type = VALUE_##type_,                        \
                .merge = MERGE_##merge_,                      \
                .layers = LAYERS_##layers_,                   \
                .help = (help_),                              \
        },
#include "policy/keys.def"
};

/* A choice is its index in the words of keys.def. */
static_assert(BASE_NONE == 0 && BASE_SYSTEM == 1 && BASE_PYTHON == 2 && _BASE_MAX == 3, "Base");
static_assert(ENFORCEMENT_STRICT == 0 && ENFORCEMENT_BEST_EFFORT == 1 && _ENFORCEMENT_MAX == 2,
              "Enforcement");
static_assert(AUDIT_REQUIRED == 0 && AUDIT_BEST_EFFORT == 1 && _AUDIT_MAX == 2, "Audit");
static_assert(AUDIT_ARGUMENTS_HASH == 0 && AUDIT_ARGUMENTS_FULL == 1 && _AUDIT_ARGUMENTS_MAX == 2,
              "AuditArguments");

static_assert(TIER_PROCESS == 0 && TIER_CONTAINER == 1 && TIER_GVISOR == 2 && TIER_MICROVM == 3 &&
                      _TIER_MAX == 4 && (uint64_t)TIER_UNKNOWN == LIMIT_UNSET,
              "RequireIsolation");

typedef struct LaterValue {
        Key key;
        const char *value;
        const char *why;
} LaterValue;

static const LaterValue later_values[] = {
#define LATER_VALUE(name_, value_, why_) { KEY_##name_, value_, why_ },
#include "policy/keys.def"
};

const KeyInfo *key_info(Key key) {
        assert(key >= 0 && key < _KEY_MAX);
        return &keys[key];
}

uint64_t key_load(const KeyInfo *info, const Policy *policy) {
        const void *field = (const char *)policy + info->offset;

        if (info->width == sizeof(bool))
                return *(const bool *)field;
        if (info->width == sizeof(int))
                return (uint64_t) * (const int *)field;
        return *(const uint64_t *)field;
}

uint64_t key_load_in_force(const KeyInfo *info, const Policy *policy) {
        uint64_t number = key_load(info, policy);
        bool is_weight = info == &keys[KEY_CPUWeight] || info == &keys[KEY_IOWeight];

        return is_weight && number == LIMIT_UNSET ? WEIGHT_UNSET : number;
}

void key_store(const KeyInfo *info, Policy *policy, uint64_t number) {
        void *field = (char *)policy + info->offset;

        if (info->width == sizeof(bool))
                *(bool *)field = number != 0;
        else if (info->width == sizeof(int))
                *(int *)field = (int)number; /* an enum: an index */
        else {
                assert(info->width == sizeof(uint64_t));
                *(uint64_t *)field = number;
        }
}

bool key_is_more(const KeyInfo *info, uint64_t number, uint64_t bound) {
        if (info->bound == BOUND_LEAST)
                return bound != LIMIT_UNSET && (number == LIMIT_UNSET || number < bound);
        return number > bound;
}

Key key_find(const char *name, const char **ret_near) {
        size_t nearest = SIZE_MAX;

        *ret_near = NULL;
        for (size_t i = 0; i < _KEY_MAX; i++) {
                size_t distance;

                if (strcmp(keys[i].name, name) == 0)
                        return (Key)i;
                distance = str_distance(keys[i].name, name);
                if (distance < nearest && str_is_near(keys[i].name, distance)) {
                        nearest = distance;
                        *ret_near = keys[i].name;
                }
        }
        return _KEY_INVALID;
}

const char *key_later_value(Key key, const char *value) {
        for (size_t i = 0; i < ARRAY_SIZE(later_values); i++)
                if (later_values[i].key == key && strcmp(later_values[i].value, value) == 0)
                        return later_values[i].why;
        return NULL;
}
