/* SPDX-License-Identifier: MIT */
/* Build tool: writes libseccomp's table of system calls as C tables to standard output. Never
 * installed. */
#include <assert.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/calls.h"
#include "supervisor/base/base.h"

/* Of all but the first two only the names count: a profile may list a call that neither has. */
static const uint32_t arches[] = {
        [PROFILE_X86_64] = SCMP_ARCH_X86_64,
        [PROFILE_AARCH64] = SCMP_ARCH_AARCH64,
        SCMP_ARCH_X86,
        SCMP_ARCH_ARM,
        SCMP_ARCH_PPC64LE,
        SCMP_ARCH_S390X,
        SCMP_ARCH_RISCV64,
};

typedef struct Names {
        char *names[ARRAY_SIZE(arches) * CALLS_MAX]; /* owned */
        size_t n_names;
} Names;

static void names_done(Names *n) {
        for (size_t i = 0; i < n->n_names; i++)
                free(n->names[i]);
}

static int compare(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every name once, sorted. */
static void names_collect(Names *n) {
        size_t n_unique = 0;

        for (size_t arch = 0; arch < ARRAY_SIZE(arches); arch++)
                for (int nr = 0; nr < (int)CALLS_MAX; nr++) {
                        char *name = seccomp_syscall_resolve_num_arch(arches[arch], nr);

                        if (name)
                                n->names[n->n_names++] = name;
                }
        qsort(n->names, n->n_names, sizeof(*n->names), compare);
        for (size_t i = 0; i < n->n_names; i++)
                if (n_unique == 0 || strcmp(n->names[n_unique - 1], n->names[i]) != 0)
                        n->names[n_unique++] = n->names[i];
                else
                        free(n->names[i]);
        n->n_names = n_unique;
}

static const uint32_t foreign_arches[_FOREIGN_ABI_MAX] = {
        [FOREIGN_X86] = SCMP_ARCH_X86,
        [FOREIGN_X32] = SCMP_ARCH_X32,
        [FOREIGN_ARM] = SCMP_ARCH_ARM,
};

static unsigned number(ProfileArch arch, const char *name) {
        int nr = seccomp_syscall_resolve_name_arch(arches[arch], name);

        /* Negative: a pseudo number of a call that this architecture lacks. */
        return nr >= 0 && nr < (int)CALLS_MAX ? (unsigned)nr : CALLS_MAX;
}

/* By number, since libseccomp has only pseudo numbers for names that i386 also reaches by
 * socketcall(2) and ipc(2). */
static unsigned foreign_number(ForeignAbi abi, const char *name) {
        unsigned bit = abi == FOREIGN_X32 ? X32_BIT : 0, nr = 0;

        for (bool found = false; nr < CALLS_MAX && !found; nr += !found) {
                char *other =
                        seccomp_syscall_resolve_num_arch(foreign_arches[abi], (int)(nr | bit));

                found = other && strcmp(other, name) == 0;
                free(other);
        }
        return nr;
}

static_assert(_PROFILE_ARCH_MAX == 2 && _FOREIGN_ABI_MAX == 3, "columns of print_tables()");

static void print_tables(const Names *n) {
        size_t offset = 0;

        printf("/* Made by mkcalls from libseccomp: do not edit. */\n"
               "#include \"policy/calls.h\"\n\nconst char call_names[] =\n");
        for (size_t i = 0; i < n->n_names; i++)
                printf("        \"%s\\0\"\n", n->names[i]);
        printf("        ;\nconst CallRow call_rows[] = {\n");
        for (size_t i = 0; i < n->n_names; i++) {
                printf("        { %zu, { %u, %u }, { %u, %u, %u } }, /* %s */\n", offset,
                       number(PROFILE_X86_64, n->names[i]), number(PROFILE_AARCH64, n->names[i]),
                       foreign_number(FOREIGN_X86, n->names[i]),
                       foreign_number(FOREIGN_X32, n->names[i]),
                       foreign_number(FOREIGN_ARM, n->names[i]), n->names[i]);
                offset += strlen(n->names[i]) + 1;
        }
        printf("};\nconst size_t n_call_rows = %zu;\n", n->n_names);
}

int main(void) {
        _cleanup_(names_done) Names names = { 0 };

        names_collect(&names);
        print_tables(&names);
        return names.n_names > 300 && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
