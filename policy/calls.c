/* SPDX-License-Identifier: MIT */
/* System calls by name and number. */
#include "policy/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
