/* SPDX-License-Identifier: MIT */
/* Trust is a file of the caller's state directory that is named after a hash of path and text. */
#include "supervisor/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "policy/digest.h"
#include "supervisor/base/base.h"
#include "supervisor/base/log.h"
#include "supervisor/base/str.h"
#include "supervisor/policy-text.h"
#include "supervisor/state.h"

static int find(const char *path, const char *text, size_t size_bytes, char ret[static PATH_MAX]) {
        static const char purpose[] = "confine policy trust";
        const struct iovec parts[] = {
                { .iov_base = (void *)(uintptr_t)path, .iov_len = strlen(path) },
                { .iov_base = (void *)(uintptr_t)text, .iov_len = size_bytes },
        };
        char hex[DIGEST_HEX_SIZE], name[sizeof("/trusted/") + DIGEST_HEX_SIZE];

        /* Not for secrecy: the HMAC keeps the two parts apart. */
        digest_hmac_sha256_hex(purpose, strlen(purpose), parts, ARRAY_SIZE(parts), hex);
        (void)snprintf(name, sizeof(name), "/trusted/%s", hex);
        return state_path(name, ret);
}

#define STATUS_WRONG 1

bool trust_has(const char *path, const char *text, size_t size_bytes) {
        char file[PATH_MAX];
        struct stat st;

        return find(path, text, size_bytes, file) == 0 && lstat(file, &st) == 0 &&
               S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int trust_add(const char *path, const char *text, size_t size_bytes) {
        _cleanup_close_ int fd = -EBADF;
        char file[PATH_MAX];
        int r;

        r = find(path, text, size_bytes, file);
        if (r < 0)
                return r;
        state_make_directories(file);
        fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
                return -errno;
        /* For who looks what is trusted; nothing reads it. */
        r = fd_write_all(fd, path, strlen(path));
        return r < 0 ? r : fd_write_all(fd, "\n", 1);
}

int trust_file(const char *name) {
        _cleanup_(policy_text_done) PolicyText file = POLICY_TEXT_INIT;
        _cleanup_(diag_done) Diag diag = { 0 };
        _cleanup_free_ char *place = NULL, *directory = NULL;
        const char *base;
        int r;

        if (!name)
                name = "confine.conf";
        base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
        if (strcmp(base, "confine.conf") != 0) {
                log_line("'%s' is no project's own file, which has the name confine.conf: name it "
                         "with --policy= if you trust it [%s]",
                         name, error_name(ERROR_CONFIGURATION));
                return STATUS_WRONG;
        }
        /* The directory by its real path, as a run finds it; the file itself is no link there. */
        place = str_format("./%.*s", (int)(base - name), name);
        directory = place ? realpath(name[0] == '/' ? place + 2 : place, NULL) : NULL;
        if (!directory) {
                log_line("'%s' cannot be found: %s: correct the name", name, strerror(errno));
                return STATUS_WRONG;
        }
        r = policy_text_read(&file, str_format("%s/%s", directory[1] ? directory : "", base),
                             O_NOFOLLOW, &diag);
        if (r == 0)
                r = policy_text_check_owner(&file, OWNER_ROOT_OR_CALLER, &diag);
        if (r == 0)
                r = trust_add(file.path, file.text, file.size_bytes);
        if (r == 0)
                log_line("'%s' is trusted as it is now: what it asks for is granted until it "
                         "changes",
                         file.path);
        else if (diag.n_messages > 0)
                log_line("%s [%s]", diag.messages[0].text, error_name(diag.messages[0].type));
        else
                log_line("'%s' cannot be trusted: %s: check the name, and that your state "
                         "directory can be written",
                         name, strerror(-r));
        return r == 0 ? 0 : STATUS_WRONG;
}
