/* SPDX-License-Identifier: MIT */
/* The key of command hashes: its file. Without a key there are no hashes, but there is a run. */
#include "supervisor/hash-key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "supervisor/base/base.h"
#include "supervisor/state.h"

#define KEY_NAME "/hash.key"

/* What others may have read or written is no secret. */
static int read_key(const char *path, HashKey *key) {
        _cleanup_close_ int fd = -EBADF;
        struct stat st;

        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
                return -errno;
        if (fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & (S_IRWXG | S_IRWXO) ||
            st.st_size != sizeof(key->bytes))
                return -EPERM;
        if (read(fd, key->bytes, sizeof(key->bytes)) != (ssize_t)sizeof(key->bytes))
                return -EIO;
        key->state = HASH_KEY_READ;
        return 0;
}

static int write_key(const char *path) {
        _cleanup_close_ int fd = -EBADF;
        unsigned char bytes[sizeof(((HashKey *)NULL)->bytes)];
        int r;

        if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
                return -EIO;
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
                return -errno;
        r = fd_write_all(fd, bytes, sizeof(bytes));
        if (r < 0)
                return r;
        return fsync(fd) < 0 ? -errno : 0;
}

/* Whole at once, and never over one that a run at the same time has made. */
static int make_key(char *path) {
        char draft[PATH_MAX + 32];
        uint64_t random;
        int r;

        if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
                return -EIO;
        state_make_directories(path);
        (void)snprintf(draft, sizeof(draft), "%s.%016" PRIx64, path, random); /* fits */
        r = write_key(draft);
        if (r == 0 && link(draft, path) < 0)
                r = -errno;
        (void)unlink(draft);
        return r;
}

bool hash_key_read(HashKey *key) {
        char path[PATH_MAX];
        int r;

        if (key->state != HASH_KEY_UNREAD)
                return key->state == HASH_KEY_READ;
        key->state = HASH_KEY_NONE;
        r = state_path(KEY_NAME, path);
        if (r < 0)
                return false;
        r = read_key(path, key);
        if (r == -ENOENT) {
                r = make_key(path);
                if (r == 0 || r == -EEXIST)
                        r = read_key(path, key);
        }
        return r == 0;
}
