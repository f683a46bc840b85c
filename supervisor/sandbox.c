/* SPDX-License-Identifier: MIT */
/* What the cgroup of one run tells. Nothing of it is believed to be well-formed. */
#include "supervisor/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "policy/value.h"
#include "supervisor/attributes.h"
#include "supervisor/base/base.h"
#include "supervisor/base/str.h"

const char *sandbox_state_name(SandboxState state) {
        static const char names[_SANDBOX_STATE_MAX][12] = {
                [SANDBOX_STARTING] = "starting",
                [SANDBOX_RUNNING] = "running",
                [SANDBOX_ENDING] = "ending",
                [SANDBOX_ORPHANED] = "orphaned",
        };

        return names[state];
}

static uint64_t read_number(int fd, const char *name) {
        char text[ATTRIBUTE_SIZE];
        const char *end;
        uint64_t number;

        if (attribute_read(fd, name, text) < 0 || !str_read_number(text, &end, &number) || *end)
                return COUNTER_UNKNOWN;
        return number;
}

static ProcessMark read_mark(int fd, const char *name) {
        ProcessMark mark = { 0 };
        char text[ATTRIBUTE_SIZE];
        const char *end;
        uint64_t pid;

        if (attribute_read(fd, name, text) >= 0 && str_read_number(text, &end, &pid) &&
            pid <= INT32_MAX && str_read_number(end, &end, &mark.start) && *end == '\0')
                mark.pid = (pid_t)pid;
        return mark;
}

static void read_hash(int fd, const char *name, char ret[static DIGEST_HEX_SIZE]) {
        char text[ATTRIBUTE_SIZE];

        if (attribute_read(fd, name, text) == DIGEST_HEX_SIZE - 1 &&
            strspn(text, "0123456789abcdef") == DIGEST_HEX_SIZE - 1)
                memcpy(ret, text, DIGEST_HEX_SIZE);
}

static int compare_strings(const void *a, const void *b) {
        return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_label(int fd, const char *name, char ***labels) {
        const char *key = name + strlen(ATTRIBUTE_LABEL);
        _cleanup_free_ char *label = NULL;
        char text[ATTRIBUTE_SIZE];
        ValueHint hint;

        if (attribute_read(fd, name, text) < 0)
                return 0;
        label = str_format("%s=%s", key, text);
        if (!label)
                return -ENOMEM;
        if (value_check_label(label, strlen(key), &hint) < 0 || strv_length(*labels) == LABELS_MAX)
                return 0; /* none that confine wrote */
        return strv_add(labels, label);
}

static int read_labels(int fd, Sandbox *sandbox) {
        _cleanup_free_ char *names = malloc(XATTR_LIST_MAX + 1);
        ssize_t n;

        if (!names)
                return -ENOMEM;
        n = flistxattr(fd, names, XATTR_LIST_MAX);
        if (n < 0)
                return errno == ENODEV ? -ENODEV : 0; /* whatever is there, the run is not hidden */
        names[n] = '\0';
        for (const char *name = names; name < names + n; name += strlen(name) + 1) {
                int r;

                if (strncmp(name, ATTRIBUTE_LABEL, strlen(ATTRIBUTE_LABEL)) != 0)
                        continue;
                r = add_label(fd, name, &sandbox->labels);
                if (r < 0)
                        return r;
        }
        if (sandbox->labels)
                qsort(sandbox->labels, strv_length(sandbox->labels), sizeof(char *),
                      compare_strings);
        return 0;
}

static SandboxState judge(int fd, const Sandbox *sandbox) {
        _cleanup_close_ int leaf_fd = openat(fd, CGROUP_LEAF, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (sandbox->supervisor.pid <= 0)
                return SANDBOX_STARTING;
        if (!process_mark_alive(&sandbox->supervisor))
                return SANDBOX_ORPHANED;
        return leaf_fd >= 0 && cgroup_populated(leaf_fd) > 0 ? SANDBOX_RUNNING : SANDBOX_ENDING;
}

int sandbox_read(int fd, Sandbox *sandbox) {
        struct stat st;

        if (fstat(fd, &st) < 0)
                return -errno;
        sandbox->owner = st.st_uid;
        sandbox->supervisor = read_mark(fd, ATTRIBUTE_SUPERVISOR);
        sandbox->main = read_mark(fd, ATTRIBUTE_MAIN);
        sandbox->started_usec = read_number(fd, ATTRIBUTE_STARTED);
        sandbox->deadline_usec = read_number(fd, ATTRIBUTE_DEADLINE);
        sandbox->uid = read_number(fd, ATTRIBUTE_UID);
        read_hash(fd, ATTRIBUTE_COMMAND, sandbox->command_sha256);
        read_hash(fd, ATTRIBUTE_POLICY, sandbox->policy_sha256);
        cgroup_read_usage(fd, &sandbox->usage);
        sandbox->state = judge(fd, sandbox);
        return read_labels(fd, sandbox);
}

int sandbox_open(const Sandbox *sandbox) {
        _cleanup_free_ char *path = str_format("%s%s", CGROUP_ROOT, sandbox->cgroup);
        int fd;

        if (!path)
                return -ENOMEM;
        fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}
