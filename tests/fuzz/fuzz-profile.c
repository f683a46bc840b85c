/* SPDX-License-Identifier: MIT */
/* json.c, profile.c, filter.c: the input is a seccomp profile. It is refused with a message, or
 * every program made of it is one that the kernel would load. */
#include <errno.h>

#include "policy/filter.h"
#include "policy/profile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/bpf.h"

static void try_compile(const Profile *profile, ProfileArch arch, unsigned grants,
                        FilterLayer layer) {
        _cleanup_(filter_program_done) FilterProgram program = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };
        int r;

        r = filter_compile(profile, arch, grants, layer, &program, &diag);
        FUZZ_ASSERT(r <= 0 && (r != -EINVAL || diag.n_messages > 0));
        FUZZ_ASSERT(r < 0 || bpf_check(program.code, program.n_code) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size_bytes) {
        _cleanup_(profile_done) Profile profile = { 0 };
        _cleanup_(diag_done) Diag diag = { 0 };
        int r;

        r = profile_parse(&profile, (const char *)data, size_bytes, "input", &diag);
        FUZZ_ASSERT(r <= 0 && (r == -EINVAL) == (diag.n_messages > 0));
        if (r < 0)
                return 0;
        for (unsigned layer = 0; layer < _FILTER_LAYER_MAX; layer++) {
                try_compile(&profile, PROFILE_X86_64, 0, (FilterLayer)layer);
                try_compile(&profile, PROFILE_AARCH64, _FILTER_COMBINATIONS - 1,
                            (FilterLayer)layer);
        }
        return 0;
}
