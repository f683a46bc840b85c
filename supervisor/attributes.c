/* SPDX-License-Identifier: MIT */
/* The attributes of the scope's cgroup. */
#include "supervisor/attributes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/xattr.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

int attributes_label(const Run *run) {
        for (char *const *label = run->policy->labels; *label; label++) {
                char name[sizeof(ATTRIBUTE_LABEL) + VALUE_LABEL_KEY_MAX];
                size_t length = strcspn(*label, "=");
                const char *value = *label + length + 1;

                (void)snprintf(name, sizeof(name), ATTRIBUTE_LABEL "%.*s", (int)length, *label);
                if (fsetxattr(run->scope_fd, name, value, strlen(value), 0) < 0)
                        return -errno;
        }
        return 0;
}

void attributes_prepare(Run *run) {
        /* Both live, this process and its unreaped child: it cannot fail but for a /proc that hides
         * them, and then nobody could compare. */
        (void)process_mark(getpid(), &run->supervisor_mark);
        (void)process_mark(run->worker_pid, &run->worker_mark);
}

static int write_text(int fd, const char *name, const char *text) {
        if (text[0] == '\0')
                return 0; /* not known */
        return fsetxattr(fd, name, text, strlen(text), 0) < 0 ? -errno : 0;
}

static int write_number(int fd, const char *name, uint64_t number) {
        char text[24];

        (void)snprintf(text, sizeof(text), "%" PRIu64, number);
        return write_text(fd, name, text);
}

static int write_mark(int fd, const char *name, const ProcessMark *mark) {
        char text[48];

        if (mark->pid <= 0)
                return 0;
        (void)snprintf(text, sizeof(text), "%d %" PRIu64, (int)mark->pid, mark->start);
        return write_text(fd, name, text);
}

int attributes_write(const Run *run) {
        int fd = run->scope_fd, worst = 0;
        const int results[] = {
                write_mark(fd, ATTRIBUTE_MAIN, &run->worker_mark),
                write_mark(fd, ATTRIBUTE_SUPERVISOR, &run->supervisor_mark),
                write_number(fd, ATTRIBUTE_STARTED, run->started_usec),
                write_number(fd, ATTRIBUTE_DEADLINE,
                             clock_add_usec(run->started_usec, run->policy->runtime_max_usec)),
                write_number(fd, ATTRIBUTE_UID, run->identity.uid),
                write_text(fd, ATTRIBUTE_COMMAND, run->command_sha256),
                write_text(fd, ATTRIBUTE_POLICY, run->policy_sha256),
        };

        for (size_t i = 0; i < ARRAY_SIZE(results); i++)
                worst = MIN(worst, results[i]);
        return worst;
}

int attribute_read(int fd, const char *name, char ret[static ATTRIBUTE_SIZE]) {
        ssize_t n = fgetxattr(fd, name, ret, ATTRIBUTE_SIZE - 1);

        if (n < 0)
                return -errno;
        if (memchr(ret, '\0', (size_t)n))
                return -ERANGE;
        ret[n] = '\0';
        return (int)n;
}
