/* SPDX-License-Identifier: MIT */
/* policy/rights.c: P5, B72, B74, B83. Values are written out, not computed from the same table. */
#include "policy/rights.h"

#include <sys/stat.h>

#include "policy/policy.h"
#include "supervisor/base/kernel.h"
#include "tests/unit/tap.h"

#define DIR_READ  0x000cU /* READ_FILE, READ_DIR */
#define FILE_READ 0x0004U

static void test_handled(void) {
        static const struct {
                int abi;
                uint64_t fs, net, scoped;
                uint32_t flags, logged;
        } rows[] = {
                { -1, 0, 0, 0, 0, 0 },
                { 0, 0, 0, 0, 0, 0 },
                { 1, 0x01fff, 0, 0, 0, 0 },
                { 2, 0x03fff, 0, 0, 0, 0 },
                { 3, 0x07fff, 0, 0, 0, 0 },
                { 4, 0x07fff, 0x3, 0, 0, 0 },
                { 5, 0x0ffff, 0x3, 0, 0, 0 },
                { 6, 0x0ffff, 0x3, 0x3, 0, 0 },
                { 7, 0x0ffff, 0x3, 0x3, 0x5, 0x4 },
                { 8, 0x0ffff, 0x3, 0x3, 0x5, 0x4 },
                { 9, 0x1ffff, 0x3, 0x3, 0x5, 0x4 },
                { 10, 0x1ffff, 0xf, 0x3, 0x5, 0x4 },
                { 11, 0x1ffff, 0xf, 0x3, 0x5, 0x4 },
                { 1000, 0x1ffff, 0xf, 0x3, 0x5, 0x4 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
                int abi = rows[i].abi;

                is_uint(rights_handled_fs(abi), rows[i].fs, "P5: file rights of ABI %d", abi);
                is_uint(rights_handled_net(abi), rows[i].net, "P5: port rights of ABI %d", abi);
                is_uint(rights_scoped(abi), rows[i].scoped, "P5: scopes of ABI %d", abi);
                is_uint(rights_restrict_flags(abi, false), rows[i].flags, "log flags of ABI %d",
                        abi);
                is_uint(rights_restrict_flags(abi, true), rows[i].logged, "for one that is logged");
        }
        is_uint(rights_ruleset_size(3), 8, "the attribute of ABI 3 has one field");
        is_uint(rights_ruleset_size(4), 16, "of ABI 4 two");
        is_uint(rights_ruleset_size(5), 16, "of ABI 5, too");
        is_uint(rights_ruleset_size(6), 24, "of ABI 6 three");
        is_uint(rights_ruleset_size(1000), 24, "and of what comes after");
        is_int(rights_floor(), 3, "P5: nothing below ABI 3");
        is_int(rights_newest(), 10, "the newest row");
}

static void test_grants(void) {
        static const struct {
                unsigned access;
                mode_t mode;
                int abi;
                uint64_t wanted;
                const char *what;
        } rows[] = {
                { GRANT_READ, S_IFDIR, 3, DIR_READ, "read, directory" },
                { GRANT_READ, S_IFREG, 3, FILE_READ, "B72: read, file: no directory right" },
                { GRANT_READ, S_IFIFO, 3, FILE_READ, "B72: read, FIFO" },
                { GRANT_READ, S_IFSOCK, 9, FILE_READ, "read, socket: no RESOLVE_UNIX" },
                { GRANT_EXEC, S_IFDIR, 3, DIR_READ | 0x1, "exec, directory" },
                { GRANT_EXEC, S_IFREG, 3, FILE_READ | 0x1, "exec, file" },
                { GRANT_WRITE, S_IFDIR, 3, 0x77be, "write, directory, ABI 3" },
                { GRANT_WRITE, S_IFDIR, 2, 0x37be, "write, directory, ABI 2: no TRUNCATE" },
                { GRANT_WRITE, S_IFDIR, 1, 0x17be, "write, directory, ABI 1: no REFER" },
                { GRANT_WRITE, S_IFDIR, 10, 0x77be, "write, directory, ABI 10: no IOCTL_DEV" },
                { GRANT_WRITE, S_IFREG, 3, 0x4006, "B72: write, file: READ, WRITE, TRUNCATE" },
                { GRANT_WRITE, S_IFBLK, 5, 0x4006, "write, block device: no IOCTL_DEV" },
                { GRANT_READ, S_IFCHR, 4, 0x0004, "B72: read, character device, ABI 4" },
                { GRANT_READ, S_IFCHR, 5, 0x8004, "read, character device, ABI 5: IOCTL_DEV" },
                { GRANT_READ | GRANT_WRITE, S_IFCHR, 6, 0xc006, "read and write, device" },
                { GRANT_READ | GRANT_EXEC, S_IFDIR, 6, DIR_READ | 0x1, "read and exec" },
                { 0, S_IFDIR, 6, 0, "no access" },
                { GRANT_READ, S_IFREG, 0, 0, "no ABI" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
                is_uint(rights_for_grant(rows[i].access, rows[i].mode | 0644, rows[i].abi),
                        rows[i].wanted, "%s", rows[i].what);
}

/* What add_rule(2) accepts: handled rights, and on a file none that is about directories. */
static void test_accepted(void) {
        static const mode_t types[] = { S_IFREG, S_IFDIR, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK };
        const uint64_t on_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                  LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
                                  LANDLOCK_ACCESS_FS_IOCTL_DEV;
        const uint64_t never = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                               LANDLOCK_ACCESS_FS_RESOLVE_UNIX;
        size_t n_wrong = 0;

        for (int abi = 1; abi <= 12; abi++)
                for (unsigned access = 1; access < 8; access++)
                        for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
                                uint64_t rights = rights_for_grant(access, types[i], abi);

                                n_wrong += rights == 0;
                                n_wrong += (rights & ~rights_handled_fs(abi)) != 0;
                                n_wrong += (rights & never) != 0;
                                n_wrong += types[i] != S_IFDIR && (rights & ~on_files) != 0;
                                n_wrong += !(access & GRANT_WRITE) &&
                                           (rights & (LANDLOCK_ACCESS_FS_WRITE_FILE |
                                                      LANDLOCK_ACCESS_FS_TRUNCATE |
                                                      LANDLOCK_ACCESS_FS_REFER)) != 0;
                        }
        is_uint(n_wrong, 0,
                "every grant on every kind of file, at every ABI, is one the kernel takes");
}

int main(void) {
        test_handled();
        test_grants();
        test_accepted();
        return done_testing();
}
