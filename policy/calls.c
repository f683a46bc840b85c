/* SPDX-License-Identifier: MIT */
/* System calls by name and number. */
#include "policy/calls.h"

#include <errno.h>
#include <linux/audit.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/base.h"

static const struct {
        uint32_t arch;
        uint32_t bit; /* in the number */
        const char *name;
} foreign[_FOREIGN_ABI_MAX] = {
        [FOREIGN_X86] = { AUDIT_ARCH_I386, 0, "32-bit x86" },
        [FOREIGN_X32] = { AUDIT_ARCH_X86_64, X32_BIT, "x32" },
        [FOREIGN_ARM] = { AUDIT_ARCH_ARM, 0, "32-bit ARM" },
};

static int compare(const void *name, const void *row) {
        return strcmp(name, call_names + ((const CallRow *)row)->name);
}

int call_number(ProfileArch arch, const char *name) {
        const CallRow *row = bsearch(name, call_rows, n_call_rows, sizeof(*row), compare);

        if (!row)
                return -ENOENT;
        return row->numbers[arch] < CALLS_MAX ? row->numbers[arch] : -ENXIO;
}

const char *call_name(ProfileArch arch, int nr) {
        for (size_t i = 0; nr >= 0 && nr < (int)CALLS_MAX && i < n_call_rows; i++)
                if (call_rows[i].numbers[arch] == nr)
                        return call_names + call_rows[i].name;
        return NULL;
}

const char *call_foreign_abi(uint32_t arch, uint32_t nr, const char **ret_name) {
        for (size_t abi = 0; abi < ARRAY_SIZE(foreign); abi++) {
                uint32_t number = nr & ~foreign[abi].bit;

                if (arch != foreign[abi].arch || (nr & foreign[abi].bit) != foreign[abi].bit)
                        continue;
                *ret_name = NULL;
                for (size_t i = 0; number < CALLS_MAX && i < n_call_rows; i++)
                        if (call_rows[i].foreign[abi] == number)
                                *ret_name = call_names + call_rows[i].name;
                return foreign[abi].name;
        }
        return NULL;
}
