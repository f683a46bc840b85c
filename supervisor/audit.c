/* SPDX-License-Identifier: MIT */
/* The journal: journald's native protocol, with an answer to "was it taken". */
#include "supervisor/audit.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define SEND_BUFFER    (8 * 1024 * 1024)
#define RECHECK_MSEC   5
#define RECHECK_NSEC   50000

int audit_open(void) {
        const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };
        const int size = SEND_BUFFER;
        _cleanup_close_ int fd = -EBADF;

        fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0)
                return -errno;
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)); /* capped: memfd helps */
        if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
                return -errno;
        return TAKE_FD(fd);
}

/* One field. A value with a newline takes the form with a length, so that it cannot forge another
 * field. */
static void put_field(FILE *f, const char *prefix, const char *name, const char *value) {
        size_t length = strlen(value);
        uint64_t le = htole64(length);

        if (!strchr(value, '\n')) {
                (void)fprintf(f, "%s%s=%s\n", prefix, name, value);
                return;
        }
        (void)fprintf(f, "%s%s\n", prefix, name);
        (void)fwrite(&le, sizeof(le), 1, f);
        (void)fwrite(value, 1, length, f);
        (void)fputc('\n', f);
}

void audit_entry_done(AuditEntry *entry) {
        free(entry->data);
        *entry = (AuditEntry){ 0 };
}

int audit_format(const Record *record, const char *unit, bool system, AuditEntry *ret) {
        _cleanup_free_ char *buf = NULL;
        size_t size = 0;
        FILE *f = open_memstream(&buf, &size);
        bool failed;

        if (!f)
                return -ENOMEM;
        put_field(f, "", "MESSAGE", record->message);
        put_field(f, "", "MESSAGE_ID", record_message_id(record->event));
        /* A warning, where nothing isolates; else information. */
        put_field(f, "", "PRIORITY", record->event == RECORD_NO_SANDBOX ? "4" : "6");
        put_field(f, "", "SYSLOG_IDENTIFIER", "confine");
        /* Not OBJECT_PID: journald would look the process up, and it may be gone. */
        if (unit[0])
                put_field(f, "", system ? "OBJECT_SYSTEMD_UNIT" : "USER_UNIT", unit);
        for (size_t i = 0; i < record->n_fields; i++)
                put_field(f, "CONFINE_", record->fields[i].name, record->fields[i].value);
        failed = ferror(f) != 0;
        if (fclose(f) != 0 || failed)
                return -ENOMEM;
        *ret = (AuditEntry){ TAKE_PTR(buf), size };
        return 0;
}

static int send_datagram(int fd, const char *data, size_t size, int pass_fd) {
        union {
                struct cmsghdr header;
                char space[CMSG_SPACE(sizeof(int))];
        } control = { 0 };
        char *writable = NULL;
        struct iovec iov;
        struct msghdr msg = { 0 };

        memcpy(&writable, &data, sizeof(writable)); /* sendmsg does not write to it */
        iov = (struct iovec){ writable, size };
        if (pass_fd >= 0) {
                control.header = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
                memcpy(CMSG_DATA(&control.header), &pass_fd, sizeof(int));
                msg.msg_control = control.space;
                msg.msg_controllen = sizeof(control.space);
        } else {
                msg.msg_iov = &iov;
                msg.msg_iovlen = 1;
        }
        return sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Like send_datagram(), waiting for room until @deadline_usec. */
static int send_waiting(int fd, const char *data, size_t size, int pass_fd,
                        uint64_t deadline_usec) {
        for (;;) {
                struct pollfd pfd = { .fd = fd, .events = POLLOUT };
                int r;

                r = send_datagram(fd, data, size, pass_fd);
                if (r != -EAGAIN && r != -EINTR)
                        return r;
                if (clock_now_usec() >= deadline_usec)
                        return -ETIMEDOUT;
                (void)poll(&pfd, 1, clock_poll_timeout(deadline_usec));
        }
}

static int send_memfd(int fd, const char *data, size_t size, uint64_t deadline_usec) {
        _cleanup_close_ int memfd = memfd_create("confine-record", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        int r;

        if (memfd < 0)
                return -errno;
        r = fd_write_all(memfd, data, size);
        if (r < 0)
                return r;
        /* journald reads it only if nobody can change it any more. */
        if (fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
                return -errno;
        return send_waiting(fd, NULL, 0, memfd, deadline_usec);
}

int audit_send(int fd, const AuditEntry *entry, uint64_t deadline_usec) {
        int r;

        r = send_waiting(fd, entry->data, entry->size_bytes, -EBADF, deadline_usec);
        if (r == -EMSGSIZE || r == -ENOBUFS)
                r = send_memfd(fd, entry->data, entry->size_bytes, deadline_usec);
        return r;
}

int audit_confirm(int fd, uint64_t deadline_usec) {
        const int smallest = 1; /* the kernel raises it to its minimum */
        const int size = SEND_BUFFER;
        const struct timespec pause = { .tv_nsec = RECHECK_NSEC };
        int queued = 0, r = 0;

        /* With the smallest buffer a datagram that is still queued makes the socket not writable,
         * so that poll(2) wakes up when journald takes it. Small ones escape that: hence the
         * recheck. */
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &smallest, sizeof(smallest));
        while (ioctl(fd, SIOCOUTQ, &queued) == 0 && queued > 0) {
                struct pollfd pfd = { .fd = fd, .events = POLLOUT };

                if (clock_now_usec() >= deadline_usec) {
                        r = -ETIMEDOUT;
                        break;
                }
                if (poll(&pfd, 1, RECHECK_MSEC) > 0)
                        (void)ppoll(NULL, 0, &pause,
                                    NULL); /* writable but not empty: do not spin */
        }
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
        return r;
}

int audit_finish(int fd, uint64_t deadline_usec) {
        int r;

        /* An empty datagram, which journald drops. It takes one datagram after the other: once this
         * one is taken, it has done with those before. */
        r = send_waiting(fd, "", 0, -EBADF, deadline_usec);
        return r < 0 ? r : audit_confirm(fd, deadline_usec);
}

int audit_store(Run *run, RecordEvent event, uint64_t timeout_usec) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), timeout_usec);
        _cleanup_(audit_entry_done) AuditEntry entry = { 0 };
        _cleanup_(record_done) Record record = { 0 };
        _cleanup_close_ int fd = audit_open();
        int r;

        if (fd < 0)
                return fd;
        r = record_build(run, event, &record);
        if (r == 0)
                r = audit_format(&record, run->unit, run->facts.system_manager, &entry);
        if (r == 0)
                r = audit_send(fd, &entry, deadline);
        return r == 0 ? audit_finish(fd, deadline) : r;
}
