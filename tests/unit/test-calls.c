/* SPDX-License-Identifier: MIT */
/* policy/calls.c and its table: the same as libseccomp says, in both directions. P20. */
#include "policy/calls.h"

#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <sys/syscall.h>

#include "tests/unit/tap.h"

static const uint32_t arches[_PROFILE_ARCH_MAX] = {
        [PROFILE_X86_64] = SCMP_ARCH_X86_64,
        [PROFILE_AARCH64] = SCMP_ARCH_AARCH64,
};

static void test_arch(ProfileArch arch) {
        size_t n_known = 0, n_wrong = 0;

        for (int nr = -2; nr < (int)CALLS_MAX + 2; nr++) {
                _cleanup_free_ char *name =
                        nr < 0 ? NULL : seccomp_syscall_resolve_num_arch(arches[arch], nr);
                const char *ours = call_name(arch, nr);

                n_known += ours != NULL;
                if (!name && !ours)
                        continue;
                if (!name || !ours || strcmp(name, ours) != 0 || call_number(arch, ours) != nr)
                        n_wrong++;
        }
        is_uint(n_wrong, 0, "P20: every number has the name that libseccomp gives it");
        ok(n_known > 300, "and these are many: %zu", n_known);
}

int main(void) {
        for (unsigned arch = 0; arch < _PROFILE_ARCH_MAX; arch++)
                test_arch((ProfileArch)arch);
        is_int(call_number(PROFILE_NATIVE, "read"), SYS_read, "the native ones are the kernel's");
        is_int(call_number(PROFILE_NATIVE, "prlimit64"), SYS_prlimit64, "all of them");
        is_int(call_number(PROFILE_AARCH64, "open"), -ENXIO, "aarch64 has no open");
        is_int(call_number(PROFILE_X86_64, "s390_sthyi"), -ENXIO, "nor x86_64 what s390 has");
        is_int(call_number(PROFILE_X86_64, "no_such_call"), -ENOENT, "an unknown name");
        is_int(call_number(PROFILE_X86_64, ""), -ENOENT, "no name");
        is_int(call_number(PROFILE_X86_64, "READ"), -ENOENT, "small letters count");
        return done_testing();
}
