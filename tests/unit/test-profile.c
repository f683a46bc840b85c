/* SPDX-License-Identifier: MIT */
/* policy/profile.c, profile-call.c, json.c and the shipped JSON itself: P11, and what Moby's
 * default profile says about each call. */
#include "policy/profile.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/memfd.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#if defined(__x86_64__)
#include <asm/prctl.h>
#else
#define ARCH_SET_GS         0x1001
#define ARCH_SET_FS         0x1002
#define ARCH_GET_FS         0x1003
#define ARCH_GET_GS         0x1004
#define ARCH_GET_XCOMP_SUPP 0x1021
#define ARCH_GET_XCOMP_PERM 0x1022
#define ARCH_REQ_XCOMP_PERM 0x1023
#endif

#include "policy/json.h"
#include "tests/unit/tap.h"

/* Newer than the oldest build headers, or ours. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8U
#define MFD_EXEC        0x10U
#endif
#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif
#ifndef F_CREATED_QUERY
#define F_CREATED_QUERY 1028
#endif
#define PERSONALITY_QUERY 0xffffffff
#define self              PROFILE_SELF

static int parse(const char *text, size_t size, Profile *profile, char *message, size_t room) {
        Diag diag = { 0 };
        int r;

        r = profile_parse(profile, text, size, "test.json", &diag);
        (void)snprintf(message, room, "%s", diag.n_messages ? diag.messages[0].text : "");
        diag_done(&diag);
        return r;
}

#define DOC(groups)     "{\"version\":1,\"groups\":[" groups "]}"
#define GROUP(rest)     DOC("{\"name\":\"g\",\"reason\":\"r\"," rest "}")
#define CALLS(calls)    GROUP("\"calls\":[" calls "]")
#define CALL(arguments) CALLS("{\"name\":\"ioctl\",\"arguments\":[" arguments "]}")

static void test_refused(void) {
        static const struct {
                const char *text;
                const char *message;
        } rows[] = {
#include "tests/unit/profile-refused.def"
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                Profile profile = { 0 };
                char message[512];

                is_int(parse(rows[i].text, strlen(rows[i].text), &profile, message,
                             sizeof(message)),
                       -EINVAL, "refused: %s", rows[i].text);
                has_str(message, rows[i].message, "and the message says why");
                profile_done(&profile);
        }
}

static void test_accepted(void) {
        static const char text[] =
                DOC("{\"name\":\"a\",\"reason\":\"r\",\"moby\":\"m\",\"optional\":true,"
                    "\"when\":[\"subprocess\",\"!network\"],\"architectures\":[\"aarch64\"],"
                    "\"calls\":[\"read\",{\"name\":\"ioctl\",\"arguments\":["
                    "{\"index\":1,\"in\":[\"TCGETS\",7]},{\"index\":2,\"null\":true},"
                    "{\"index\":3,\"mask\":\"S_IFMT\",\"in\":[\"S_IFIFO\"]},"
                    "{\"index\":4,\"only\":\"MFD_CLOEXEC|MFD_EXEC\"},"
                    "{\"index\":5,\"without\":\"MAP_HUGETLB\"}]}]},"
                    "{\"name\":\"b\",\"reason\":\"r\",\"action\":\"errno\","
                    "\"errno\":\"ENOSYS\",\"calls\":[\"clone3\"]}") "\n ";
        Profile profile = { 0 };
        char message[512];
        const ProfileGroup *group;
        const ProfileArgument *a;

        if (!is_int(parse(text, strlen(text), &profile, message, sizeof(message)), 0, "accepted") ||
            profile.n_groups != 2)
                bail_out("%s", message);
        group = &profile.groups[0];
        is_str(group->name, "a", "name");
        is_str(group->moby, "m", "moby");
        is_uint(group->when_set, FILTER_SUBPROCESS, "when");
        is_uint(group->when_clear, FILTER_NETWORK, "when not");
        is_uint(group->arches, 1U << PROFILE_AARCH64, "architectures");
        ok(group->optional, "optional");
        ok(profile_group_active(group, PROFILE_AARCH64, FILTER_SUBPROCESS | FILTER_VIEW), "active");
        ok(!profile_group_active(group, PROFILE_AARCH64, 0), "not without the grant");
        ok(!profile_group_active(group, PROFILE_AARCH64, FILTER_SUBPROCESS | FILTER_NETWORK),
           "not with the other grant");
        ok(!profile_group_active(group, PROFILE_X86_64, FILTER_SUBPROCESS), "not elsewhere");
        is_uint(group->n_calls, 2, "calls");
        a = group->calls[1].arguments;
        ok(a[0].index == 1 && a[0].n_values == 2 && a[0].values[0] == TCGETS && a[0].values[1] == 7,
           "in");
        ok(a[1].null && a[1].index == 2, "null");
        ok(a[2].mask == S_IFMT && a[2].values[0] == S_IFIFO, "mask");
        ok(a[3].mask == ~UINT32_C(0x11) && a[3].values[0] == 0, "only");
        ok(a[4].mask == 0x40000 && a[4].values[0] == 0, "without");
        is_int(profile.groups[1].action, PROFILE_ERRNO, "action");
        is_int(profile.groups[1].error, ENOSYS, "errno");
        is_uint(profile.groups[1].arches, 3, "all architectures by default");
        profile_done(&profile);
}

/* Writes @before, @item @n_items times with commas between, and @after. */
static size_t repeat(char *text, size_t room, const char *before, const char *item,
                     unsigned n_items, const char *after) {
        size_t length = (size_t)snprintf(text, room, "%s", before);

        for (unsigned i = 0; i < n_items; i++)
                length +=
                        (size_t)snprintf(text + length, room - length, "%s%s", i ? "," : "", item);
        return length + (size_t)snprintf(text + length, room - length, "%s", after);
}

/* Limits, at the limit and one above. */
static void test_limits(void) {
        static const char before[] =
                "{\"version\":1,\"groups\":[{\"name\":\"g\",\"reason\":\"r\",\"calls\":[";
        static const struct {
                const char *before, *item, *after;
                unsigned limit;
                const char *what;
        } rows[] = {
                { "", "\"read\"", "]}]}", PROFILE_CALLS_MAX, "calls" },
                { "{\"name\":\"ioctl\",\"arguments\":[", "{\"index\":1,\"in\":[1]}", "]}]}]}",
                  PROFILE_ARGUMENTS_MAX, "conditions" },
                { "{\"name\":\"ioctl\",\"arguments\":[{\"index\":1,\"in\":[", "1", "]}]}]}]}",
                  PROFILE_VALUES_MAX, "values" },
        };
        _cleanup_free_ char *text = malloc(PROFILE_TEXT_MAX + 1);
        char start[256], message[512];

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                for (unsigned extra = 0; extra < 2; extra++) {
                        Profile profile = { 0 };
                        size_t n;

                        (void)snprintf(start, sizeof(start), "%s%s", before, rows[i].before);
                        n = repeat(text, PROFILE_TEXT_MAX, start, rows[i].item,
                                   rows[i].limit + extra, rows[i].after);
                        is_int(parse(text, n, &profile, message, sizeof(message)),
                               extra ? -EINVAL : 0, "%u %s", rows[i].limit + extra, rows[i].what);
                        profile_done(&profile);
                }
        for (unsigned extra = 0; extra < 2; extra++) {
                Profile profile = { 0 };
                size_t n = (size_t)snprintf(text, 64, "%s", DOC(""));

                memset(text + n, ' ', PROFILE_TEXT_MAX + 1 - n);
                is_int(parse(text, PROFILE_TEXT_MAX + extra, &profile, message, sizeof(message)),
                       extra ? -EINVAL : 0, "%u bytes", PROFILE_TEXT_MAX + extra);
                profile_done(&profile);
        }
}

static void test_groups_limit(void) {
        Profile profile = { 0 };
        char text[128], message[512];
        int r = 0;

        for (unsigned i = 0; r >= 0 && i <= PROFILE_GROUPS_MAX; i++) {
                (void)snprintf(text, sizeof(text),
                               DOC("{\"name\":\"%u\",\"reason\":\"r\",\"calls\":[\"read\"]}"), i);
                r = parse(text, strlen(text), &profile, message, sizeof(message));
        }
        is_int(r, -EINVAL, "one group too many");
        is_uint(profile.n_groups, PROFILE_GROUPS_MAX, "is refused at the limit, across files");
        profile_done(&profile);
}

static void test_nul(void) {
        static const char text[] = DOC("") "\0";
        Profile profile = { 0 };
        char message[512];

        is_int(parse(text, sizeof(text), &profile, message, sizeof(message)), -EINVAL,
               "a NUL byte is refused");
        profile_done(&profile);
}

/* constants.def against the headers. */
static void test_constants(void) {
        size_t n_wrong = 0;

#define CONSTANT(name, value)                        \
        if ((uint32_t)(name) != (uint32_t)(value)) { \
                diagnostic("%s", #name);             \
                n_wrong++;                           \
        }
#include "policy/constants.def"
#undef CONSTANT
        is_uint(n_wrong, 0, "constants.def says what the headers say");
}

int main(void) {
        test_refused();
        test_accepted();
        test_limits();
        test_groups_limit();
        test_nul();
        test_constants();
        return done_testing();
}
