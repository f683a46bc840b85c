/* SPDX-License-Identifier: MIT */
/* Start times of processes. */
#include "supervisor/process-mark.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/base/base.h"
#include "supervisor/base/kernel.h"
#include "supervisor/base/str.h"

/* The place of starttime among what stands behind the name, the state being the first. */
#define FIELD_START 20

int process_mark(pid_t pid, ProcessMark *ret) {
        char path[32], text[1024];
        const char *at;
        ssize_t n;

        (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
        n = fd_read_file(AT_FDCWD, path, text, sizeof(text));
        if (n < 0)
                return (int)n;
        /* The name is the program's own choice, brackets and blanks included. */
        at = strrchr(text, ')');
        if (at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X'))
                return -ESRCH;
        for (int i = 0; at && i < FIELD_START; i++)
                at = strchr(at + 1, ' ');
        if (!at || !str_read_number(at, NULL, &ret->start))
                return -EPROTO;
        ret->pid = pid;
        return 0;
}

/* Whether a process with the number @pid has not ended. To be asked for it needs no /proc. */
static bool is_there(pid_t pid) {
        _cleanup_close_ int fd = kernel_pidfd_open(pid);
        struct pollfd pfd = { .fd = fd, .events = POLLIN };

        if (fd < 0)
                return fd != -ESRCH && fd != -EINVAL; /* -EINVAL: of a thread */
        return poll(&pfd, 1, 0) == 0;
}

bool process_mark_alive(const ProcessMark *mark) {
        ProcessMark now;
        int r;

        if (mark->pid <= 0)
                return false;
        r = process_mark(mark->pid, &now);
        if (r == 0)
                return now.start == mark->start;
        /* Not the same as gone: with hidepid= /proc shows nobody the processes of others. */
        return r != -ESRCH && is_there(mark->pid);
}
