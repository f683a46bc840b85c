/* SPDX-License-Identifier: MIT */
/* Build tool: writes the shipped profile, compiled for both architectures and every set of grants,
 * as C tables to standard output. Never installed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy/filter.h"
#include "policy/profile.h"
#include "policy/shipped.h"
#include "supervisor/base/base.h"

static const char *const arch_macros[_PROFILE_ARCH_MAX] = {
        [PROFILE_X86_64] = "__x86_64__",
        [PROFILE_AARCH64] = "__aarch64__",
};

static const char *const layer_members[_FILTER_LAYER_MAX] = {
        [FILTER_OUTER] = "outer",
        [FILTER_OUTER_TRACE] = "outer_trace",
        [FILTER_INNER] = "inner",
};

/* The programs of one architecture. Many sets of grants share a program. */
typedef struct Programs {
        FilterProgram programs[_FILTER_COMBINATIONS][_FILTER_LAYER_MAX];
} Programs;

static void programs_done(Programs *p) {
        for (size_t i = 0; i < _FILTER_COMBINATIONS; i++)
                for (size_t layer = 0; layer < _FILTER_LAYER_MAX; layer++)
                        filter_program_done(&p->programs[i][layer]);
}

/* The first set of grants that has the same program as @grants. */
static size_t first_like(const Programs *p, size_t grants, size_t layer) {
        const FilterProgram *program = &p->programs[grants][layer];

        for (size_t i = 0; i < grants; i++) {
                const FilterProgram *other = &p->programs[i][layer];

                if (other->n_code == program->n_code &&
                    memcmp(other->code, program->code, other->n_code * sizeof(*other->code)) == 0)
                        return i;
        }
        return grants;
}

static void print_program(const FilterProgram *program, size_t grants, size_t layer) {
        printf("static const struct sock_filter %s_%zu[] = {\n", layer_members[layer], grants);
        for (size_t i = 0; i < program->n_code; i++)
                printf("        { 0x%02x, %u, %u, 0x%08x },\n", program->code[i].code,
                       program->code[i].jt, program->code[i].jf, program->code[i].k);
        printf("};\n");
}

static int print_families(const Profile *profile, ProfileArch arch, Diag *reterr) {
        uint8_t families[CALLS_MAX];
        int r;

        r = filter_families(profile, arch, families, reterr);
        if (r < 0)
                return r;
        printf("static const uint8_t families[] = {\n");
        for (size_t nr = 0; nr < CALLS_MAX; nr++)
                if (families[nr] != DENIAL_NONE)
                        printf("        [%zu] = %u, /* %s */\n", nr, families[nr],
                               call_name(arch, (int)nr));
        printf("};\n");
        return 0;
}

static int print_arch(const Profile *profile, ProfileArch arch, Diag *reterr) {
        _cleanup_(programs_done) Programs p = { 0 };
        int r;

        for (unsigned grants = 0; grants < _FILTER_COMBINATIONS; grants++)
                for (unsigned layer = 0; layer < _FILTER_LAYER_MAX; layer++) {
                        r = filter_compile(profile, arch, grants, (FilterLayer)layer,
                                           &p.programs[grants][layer], reterr);
                        if (r < 0)
                                return r;
                }

        printf("#if defined(%s)\n", arch_macros[arch]);
        for (size_t grants = 0; grants < _FILTER_COMBINATIONS; grants++)
                for (size_t layer = 0; layer < _FILTER_LAYER_MAX; layer++)
                        if (first_like(&p, grants, layer) == grants)
                                print_program(&p.programs[grants][layer], grants, layer);
        r = print_families(profile, arch, reterr);
        if (r < 0)
                return r;
        printf("static const FilterPair pairs[_FILTER_COMBINATIONS] = {\n");
        for (size_t grants = 0; grants < _FILTER_COMBINATIONS; grants++) {
                printf("        {\n");
                for (size_t layer = 0; layer < _FILTER_LAYER_MAX; layer++)
                        printf("                .%s = PROGRAM(%s_%zu),\n", layer_members[layer],
                               layer_members[layer], first_like(&p, grants, layer));
                printf("                .families = families,\n"
                       "                .n_families = sizeof(families),\n");
                printf("        },\n");
        }
        printf("};\n");
        printf("#endif\n\n");
        return 0;
}

static int print_all(const Profile *profile, Diag *reterr) {
        printf("/* Made by mkfilters from policy/seccomp: do not edit. */\n"
               "#include <assert.h>\n#include <stdint.h>\n\n#include \"policy/shipped.h\"\n\n"
               "/* The kernel's structure lacks the const that its tables deserve. */\n"
               "#define PROGRAM(t) { sizeof(t) / sizeof((t)[0]), (struct sock_filter "
               "*)(uintptr_t)(t) }\n\n");
        for (unsigned arch = 0; arch < _PROFILE_ARCH_MAX; arch++) {
                int r = print_arch(profile, (ProfileArch)arch, reterr);

                if (r < 0)
                        return r;
        }
        printf("const FilterPair *shipped_filters(unsigned grants) {\n"
               "        assert(grants < _FILTER_COMBINATIONS);\n"
               "        return &pairs[grants];\n}\n");
        return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -EIO;
}

int main(int argc, char *argv[]) {
        _cleanup_(profile_done) Profile profile = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };
        int r;

        if (argc != 2) {
                fprintf(stderr, "usage: mkfilters DIRECTORY\n");
                return 2;
        }
        r = profile_read_directory(&profile, argv[1], &diag);
        if (r >= 0)
                r = print_all(&profile, &diag);
        for (size_t i = 0; i < diag.n_messages; i++)
                fprintf(stderr, "mkfilters: %s\n", diag.messages[i].text);
        if (r < 0 && diag.n_messages == 0)
                fprintf(stderr, "mkfilters: %s: %s\n", argv[1], strerror(-r));
        return r < 0 ? 1 : 0;
}
