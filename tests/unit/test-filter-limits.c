/* SPDX-License-Identifier: MIT */
/* policy/filter.c beyond what the shipped profile has an example of: contradictions, the ends of
 * the range, the limit of the kernel, the placeholder for the own pid. P11, P12. */
#include "policy/filter-bind.h"
#include "policy/filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>

#include "policy/profile.h"
#include "policy/shipped.h"
#include "tests/unit/bpf.h"
#include "tests/unit/tap.h"

static int compile_text(const char *text, FilterProgram *ret, char *message, size_t size) {
        Profile profile = { 0 };
        Diag diag = { 0 };
        int r;

        r = profile_parse(&profile, text, strlen(text), "test", &diag);
        if (r >= 0)
                r = filter_compile(&profile, PROFILE_X86_64, 0, FILTER_INNER, ret, &diag);
        (void)snprintf(message, size, "%s", diag.n_messages ? diag.messages[0].text : "");
        profile_done(&profile);
        diag_done(&diag);
        return r;
}

#define PROFILE(groups)   "{\"version\":1,\"groups\":[" groups "]}"
#define GROUP(name, rest) "{\"name\":\"" name "\",\"reason\":\"r\"," rest "}"

static void test_contradictions(void) {
        static const struct {
                const char *text;
                const char *message;
        } rows[] = {
                { PROFILE(GROUP("a", "\"calls\":[\"read\",\"read\"]")), "contradicts" },
                { PROFILE(GROUP("a", "\"calls\":[\"kill\",{\"name\":\"kill\",\"arguments\":[{"
                                     "\"index\":0,\"in\":[0]}]}]")),
                  "contradicts" },
                { PROFILE(GROUP("a", "\"calls\":[{\"name\":\"kill\",\"arguments\":[{\"index\":0,"
                                     "\"in\":[0]}]},\"kill\"]")),
                  "contradicts" },
                { PROFILE(GROUP("a", "\"calls\":[\"read\"]") "," GROUP(
                          "b", "\"action\":\"errno\",\"errno\":\"ENOSYS\",\"calls\":[\"read\"]")),
                  "contradicts" },
                { PROFILE(GROUP("a", "\"calls\":[\"no_such_call\"]")),
                  "unknown system call 'no_such_call'" },
                { PROFILE(GROUP("a", "\"optional\":true,\"calls\":[\"no_such_call\"]")), NULL },
                { PROFILE(GROUP("a", "\"calls\":[\"s390_sthyi\"]")), NULL }, /* exists elsewhere */
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                FilterProgram program = { 0 };
                char message[256];
                int r;

                r = compile_text(rows[i].text, &program, message, sizeof(message));
                is_int(r, rows[i].message ? -EINVAL : 0, "profile %zu is %s", i,
                       rows[i].message ? "refused" : "accepted");
                if (rows[i].message)
                        has_str(message, rows[i].message, "and says why");
                filter_program_done(&program);
        }
}

static void test_empty(void) {
        FilterProgram program = { 0 };
        struct seccomp_data data = { .nr = 0, .arch = AUDIT_ARCH_X86_64 };
        char message[256];

        is_int(compile_text(PROFILE(""), &program, message, sizeof(message)), 0,
               "an empty profile compiles");
        is_int(bpf_check(program.code, program.n_code), 0, "and would load");
        is_uint(bpf_run(program.code, program.n_code, &data), SECCOMP_RET_ERRNO | EPERM,
                "and denies all");
        filter_program_done(&program);
}

/* The longest program a profile can ask for takes trampolines everywhere; a longer one is refused.
 */
static void test_long(void) {
        static const char *const calls[] = { "ioctl", "fcntl", "prctl", "mmap",   "kill",   "tkill",
                                             "clone", "dup3",  "pipe2", "openat", "mkdirat" };
        _cleanup_free_ char *text = malloc(PROFILE_TEXT_MAX);
        FilterProgram program = { 0 };
        char message[256];
        size_t wrong = 0, length = 0;
        int r;

#define ADD(...) (length += (size_t)snprintf(text + length, PROFILE_TEXT_MAX - length, __VA_ARGS__))
        for (size_t n_entries = 1; n_entries <= 8; n_entries += 7) {
                length = 0;
                ADD("{\"version\":1,\"groups\":[{\"name\":\"a\",\"reason\":\"r\",\"calls\":["
                    "\"read\"");
                for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
                        for (size_t entry = 0; entry < n_entries; entry++) {
                                ADD(",{\"name\":\"%s\",\"arguments\":[{\"index\":1,\"in\":[",
                                    calls[i]);
                                for (size_t j = 0; j < PROFILE_VALUES_MAX; j++)
                                        ADD("%s%zu", j ? "," : "", 1000 * (entry + 1) + 3 * j);
                                ADD("]}]}");
                        }
                ADD("]}]}");
                r = compile_text(text, &program, message, sizeof(message));
                if (n_entries > 1) {
                        is_int(r, -E2BIG, "a program of more than %d instructions is refused",
                               BPF_MAXINSNS);
                        break;
                }
                is_int(r, 0, "a long program compiles: %s", message);
                is_int(bpf_check(program.code, program.n_code), 0, "to %zu instructions that load",
                       program.n_code);
                for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
                        for (uint64_t value = 990; value < 1200; value++) {
                                struct seccomp_data data = {
                                        .nr = call_number(PROFILE_X86_64, calls[i]),
                                        .arch = AUDIT_ARCH_X86_64,
                                        .args = { 0, value },
                                };
                                bool listed = value >= 1000 &&
                                              value < 1000 + 3 * PROFILE_VALUES_MAX &&
                                              (value - 1000) % 3 == 0;

                                wrong += bpf_run(program.code, program.n_code, &data) !=
                                         (listed ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | EPERM);
                        }
                is_uint(wrong, 0, "and answers right across its length");
                filter_program_done(&program);
        }
#undef ADD
}

static void test_bind_self(const Profile *profile) {
        FilterProgram program = { 0 };
        Diag diag = { 0 };
        int nr = call_number(PROFILE_X86_64, "tgkill");
        struct seccomp_data data = { .nr = nr, .arch = AUDIT_ARCH_X86_64, .args = { 4711, 1, 9 } };

        if (filter_compile(profile, PROFILE_X86_64, FILTER_BIND_SIGNALS, FILTER_INNER, &program,
                           &diag) < 0)
                bail_out("filter_compile");
        is_uint(bpf_run(program.code, program.n_code, &data), SECCOMP_RET_ERRNO | EPERM,
                "P12: before it is bound, 'self' is nobody");
        ok(filter_bind_self(program.code, program.n_code, 4711) >= 3, "'self' is replaced");
        is_uint(bpf_run(program.code, program.n_code, &data), SECCOMP_RET_ALLOW,
                "P12: the own process may be signalled");
        data.args[0] = 4712;
        is_uint(bpf_run(program.code, program.n_code, &data), SECCOMP_RET_ERRNO | EPERM,
                "P12: no other process may");
        is_uint(filter_bind_self(program.code, program.n_code, 1), 0, "nothing is left to replace");
        filter_program_done(&program);
        diag_done(&diag);
}

int main(void) {
        Profile profile = { 0 };
        Diag diag = { 0 };
        int r;

        r = profile_read_directory(&profile, "policy/seccomp", &diag);
        if (r < 0)
                bail_out("policy/seccomp: %d %s", r, diag.n_messages ? diag.messages[0].text : "");
        test_contradictions();
        test_empty();
        test_long();
        test_bind_self(&profile);
        profile_done(&profile);
        diag_done(&diag);
        return done_testing();
}
