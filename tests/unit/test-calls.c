/* SPDX-License-Identifier: MIT */
/* policy/calls.c and its table: the same as libseccomp says, in both directions. P20. */
#include "policy/calls.h"

#include <errno.h>
#include <linux/audit.h>
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

static const struct {
        uint32_t arch; /* of the kernel */
        uint32_t bit;
        uint32_t resolved; /* of libseccomp */
        const char *abi;
} foreign[] = {
        { AUDIT_ARCH_I386, 0, SCMP_ARCH_X86, "32-bit x86" },
        { AUDIT_ARCH_X86_64, X32_BIT, SCMP_ARCH_X32, "x32" },
        { AUDIT_ARCH_ARM, 0, SCMP_ARCH_ARM, "32-bit ARM" },
};

static void test_foreign(void) {
        const char *name, *untouched = "untouched";

        for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
                size_t n_known = 0, n_wrong = 0;

                for (uint32_t nr = 0; nr < CALLS_MAX + 2; nr++) {
                        uint32_t full = nr | foreign[i].bit;
                        _cleanup_free_ char *wanted =
                                seccomp_syscall_resolve_num_arch(foreign[i].resolved, (int)full);
                        const char *abi = call_foreign_abi(foreign[i].arch, full, &name);

                        n_known += wanted != NULL;
                        n_wrong += !abi || strcmp(abi, foreign[i].abi) != 0 ||
                                   (wanted ? !name || strcmp(name, wanted) != 0 : name != NULL);
                }
                is_uint(n_wrong, 0, "B64: every number of %s has libseccomp's name",
                        foreign[i].abi);
                ok(n_known > 300, "and these are many: %zu", n_known);
        }
        is_str(call_foreign_abi(AUDIT_ARCH_I386, UINT32_MAX, &name), "32-bit x86", "no number");
        ok(!name, "has no name");
        name = untouched;
        ok(!call_foreign_abi(AUDIT_ARCH_X86_64, 39, &name) && name == untouched,
           "what is not foreign is none");
        ok(!call_foreign_abi(AUDIT_ARCH_AARCH64, 39, &name), "on either");
        ok(!call_foreign_abi(0, 0, &name), "nor what nobody knows");
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
        test_foreign();
        return done_testing();
}
