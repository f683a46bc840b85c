/* SPDX-License-Identifier: MIT */
/* The hash of the code that a run is given. */
#include "supervisor/code-hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "supervisor/base/base.h"

/* Not read(2): the program reads from the same position. */
static void hash_file(int fd, off_t at, char ret[static DIGEST_HEX_SIZE]) {
        _cleanup_free_ char *content = NULL;
        size_t size = 0;
        struct stat st;
        ssize_t n;

        if (at < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size - at > CODE_SIZE_MAX)
                return;
        content = malloc(CODE_SIZE_MAX + 1); /* it may grow */
        if (!content)
                return;
        while ((n = pread(fd, content + size, CODE_SIZE_MAX + 1 - size, at + (off_t)size)) > 0)
                size += (size_t)n;
        if (n == 0 && size <= CODE_SIZE_MAX)
                digest_sha256_hex(content, size, ret);
}

/* By the modes alone. What root may read and the run may not is of no concern to the record: its
 * hash would answer guesses. */
static bool is_open_to(uid_t uid, const struct stat *file, const char *link) {
        char path[PATH_MAX], *slash;
        struct stat st;
        ssize_t n;

        if (uid == geteuid())
                return true;
        n = readlink(link, path, sizeof(path) - 1);
        if (n <= 0 || path[0] != '/' ||
            !(file->st_mode & (file->st_uid == uid ? S_IRUSR : S_IROTH)))
                return false;
        path[n] = '\0';
        while ((slash = strrchr(path, '/')) && slash > path) {
                *slash = '\0';
                if (stat(path, &st) < 0 || !(st.st_mode & (st.st_uid == uid ? S_IXUSR : S_IXOTH)))
                        return false;
        }
        return true;
}

/* Opened only when it is known to be a file: the opening of a device or a FIFO has effects. And not
 * on FUSE, whose server decides when a read comes back. */
static int open_code(const Run *run, const char *path) {
        _cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
        char link[32];
        struct statfs fs;
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || fstatfs(fd, &fs) < 0 ||
            fs.f_type == FUSE_SUPER_MAGIC)
                return -EBADF;
        (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        return is_open_to(run->identity.uid, &st, link) ? open(link, O_RDONLY | O_CLOEXEC) : -EBADF;
}

/* A plain hash would let anybody who reads the record try guesses at the words of the command. */
static void hash_word(Run *run, char *word) {
        const struct iovec part = { word, strlen(word) };

        if (hash_key_read(&run->hash_key))
                digest_hmac_sha256_hex(run->hash_key.bytes, sizeof(run->hash_key.bytes), &part, 1,
                                       run->code_sha256);
}

void code_hash(Run *run) {
        char *const *command = run->invocation->command;
        _cleanup_close_ int fd = -EBADF;

        if (run->code_sha256[0])
                return;
        switch (run->invocation->form) {
        case FORM_SCRIPT:
        case FORM_PROGRAM:
                fd = open_code(run, command[0]);
                if (fd >= 0)
                        hash_file(fd, 0, run->code_sha256);
                break;
        case FORM_STDIN:
                hash_file(STDIN_FILENO, lseek(STDIN_FILENO, 0, SEEK_CUR), run->code_sha256);
                break;
        case FORM_CODE:
                hash_word(run, command[1]);
                break;
        case FORM_COMMAND:
        case FORM_MODULE:
                break;
        }
}
