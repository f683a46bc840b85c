/* SPDX-License-Identifier: MIT */
/* The kernel's audit socket. What comes from it is never waited for without a deadline, and what is
 * not understood counts as not told. */
#include "supervisor/landlock-audit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "supervisor/base/base.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/kernel.h"
#include "supervisor/domain-record.h"

#define LANDLOCK_ABI_AUDIT 7
/* The kernel answers from a thread that it makes for it: at once, where a processor is free. */
#define ANSWER_USEC (1 * USEC_PER_SEC)
/* A domain is freed two grace periods of RCU after its last process is reaped, and then told by
 * another thread: 10 to 40 ms, half a second where all processors are taken. Only what is not going
 * to be told takes this long: who got an open file of the run's by SCM_RIGHTS holds the domain. */
#define FREED_USEC (2 * USEC_PER_SEC)

#define RECORDS_AT_A_TIME 64

/* What comes before the id of a domain, less the serial number, of 1 to 10 digits. The time has ten
 * digits until the year 2286. */
#define BEFORE_ID       (sizeof(struct nlmsghdr) + strlen("audit(1796000000.123:): domain="))
#define SERIAL_DIGITS   10U
#define ID_DIGITS       16
#define FILTERED_DIGITS 8U /* its last ones: it has nine at least */

bool landlock_audit_possible(const Facts *facts) {
        return facts->uid == 0 && facts->landlock_abi >= LANDLOCK_ABI_AUDIT;
}

int landlock_audit_fd(const Run *run) {
        return run->domain.id == 0 ? run->domain.fd : -EBADF;
}

bool landlock_audit_tells(const Run *run) {
        return run->domain.fd >= 0 || run->outcome.counters.n_landlock_denials != COUNTER_UNKNOWN;
}

/* Whether audit is switched on, and keeps up: to begin and to end to listen is logged itself, and
 * whoever has something logged waits for room, by default for a minute. The answer is only for root
 * in the initial pid and user namespaces with CAP_AUDIT_CONTROL, who is also who gets the records.
 * Source: the kernel's audit_log_start(). */
static bool is_enabled(int fd) {
        const struct nlmsghdr question = {
                .nlmsg_len = sizeof(question),
                .nlmsg_type = AUDIT_GET,
                .nlmsg_flags = NLM_F_REQUEST,
        };
        struct {
                struct nlmsghdr header;
                struct audit_status status;
        } answer = { 0 };
        struct pollfd pfd = { .fd = fd, .events = POLLIN };
        ssize_t n;

        if (send(fd, &question, sizeof(question), 0) != (ssize_t)sizeof(question))
                return false;
        (void)poll(&pfd, 1, clock_poll_timeout(clock_add_usec(clock_now_usec(), ANSWER_USEC)));
        n = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT);
        return n >= (ssize_t)(sizeof(answer.header) + offsetof(struct audit_status, version)) &&
               answer.header.nlmsg_type == AUDIT_GET && answer.status.enabled != 0 &&
               (answer.status.backlog_limit == 0 || /* without limit */
                answer.status.backlog < answer.status.backlog_limit);
}

static int set_filter(int fd, struct sock_filter *rows, size_t n_rows) {
        const struct sock_fprog program = { .len = (unsigned short)n_rows, .filter = rows };

        return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0 ? -errno
                                                                                           : 0;
}

/* Nothing else may fill the buffer: on some hosts there is much that is audited. */
#define FILTER_TYPE                                                                      \
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, offsetof(struct nlmsghdr, nlmsg_type)),       \
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htons(AUDIT_LANDLOCK_DOMAIN), 1, 0), \
                BPF_STMT(BPF_RET | BPF_K, 0)

static int listen_to_all(int fd) {
        struct sock_filter rows[] = { FILTER_TYPE, BPF_STMT(BPF_RET | BPF_K, UINT32_MAX) };

        return set_filter(fd, rows, ARRAY_SIZE(rows));
}

/* A thousand that wait must not each take in what is told to one of them. */
static int listen_to(int fd, uint64_t id) {
        struct sock_filter rows[4 + 4 * SERIAL_DIGITS + 1] = { FILTER_TYPE };
        char digits[ID_DIGITS + 1];
        size_t n_digits = (size_t)snprintf(digits, sizeof(digits), "%" PRIx64, id), n = 3;
        uint32_t words[FILTERED_DIGITS / sizeof(uint32_t)];

        if (n_digits < FILTERED_DIGITS)
                return -EBADMSG;
        memcpy(words, digits + n_digits - FILTERED_DIGITS, sizeof(words));
        for (size_t serial = 1; serial <= SERIAL_DIGITS; serial++) {
                uint32_t at = (uint32_t)(BEFORE_ID + serial + n_digits - FILTERED_DIGITS);

                rows[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at);
                rows[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ntohl(words[0]),
                                                         0, 2);
                rows[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                                         at + sizeof(words[0]));
                rows[n++] = (struct sock_filter)BPF_JUMP(
                        BPF_JMP | BPF_JEQ | BPF_K, ntohl(words[1]),
                        (uint8_t)(4 * (SERIAL_DIGITS - serial) + 1), 0);
        }
        rows[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
        rows[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, UINT32_MAX);
        return set_filter(fd, rows, n);
}

void landlock_audit_open(Run *run) {
        static const int group = AUDIT_NLGRP_READLOG;
        _cleanup_close_ int fd = -EBADF;

        if (!landlock_audit_possible(&run->facts) || run->domain.fd >= 0)
                return;
        fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
        if (fd < 0 || !is_enabled(fd) || listen_to_all(fd) < 0)
                return;
        /* Last, since what comes before the filter would be taken in. */
        if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
                return;
        run->domain = (DomainWatch){ .fd = TAKE_FD(fd), .pid = run->worker_pid };
}

/* Reads one message. Returns 1 and the record in it; 0 if it is another one, or was lost, which may
 * have been another; a negative errno, -EAGAIN if there is none. */
static int next_record(int fd, DomainRecord *ret) {
        struct {
                struct nlmsghdr header;
                char text[257]; /* of a longer one the rest is not needed */
        } message = { 0 };
        struct sockaddr_nl from = { 0 };
        socklen_t from_size = sizeof(from);
        ssize_t n = recvfrom(fd, &message, sizeof(message.header) + sizeof(message.text) - 1,
                             MSG_DONTWAIT, (struct sockaddr *)&from, &from_size);

        if (n < 0)
                return errno == ENOBUFS ? 0 : -errno;
        /* Of the kernel: a process with CAP_NET_ADMIN may send here, too. */
        return from.nl_pid == 0 && (size_t)n > sizeof(message.header) &&
               message.header.nlmsg_type == AUDIT_LANDLOCK_DOMAIN &&
               domain_record_parse(message.text, ret) == 0;
}

/* The pid alone would not do: a domain whose maker is gone may be logged for the first time when
 * the number is another's, and anybody can arrange for that. But not with the uid of the run,
 * unless it is shared. */
static bool is_own(const Run *run, const DomainRecord *record) {
        return record->allocated && record->pid == (uint64_t)run->domain.pid &&
               record->uid == run->identity.uid;
}

/* Takes in what is there, not too much at a time. Returns 0 once the number is known; -EAGAIN if it
 * is not yet; another negative errno. */
static int take_in(Run *run) {
        DomainWatch *domain = &run->domain;

        for (int i = 0; i < RECORDS_AT_A_TIME; i++) {
                DomainRecord record = { 0 };
                int r;

                r = next_record(domain->fd, &record);
                if (r < 0)
                        return r;
                if (r == 0)
                        continue;
                if (domain->id == 0 && is_own(run, &record)) {
                        domain->id = record.domain;
                        r = listen_to(domain->fd, domain->id);
                        if (r < 0)
                                return r;
                } else if (domain->id != 0 && !record.allocated && record.domain == domain->id) {
                        if (record.n_denials == 0)
                                return -EBADMSG; /* there is the worker's own */
                        run->outcome.counters.n_landlock_denials = record.n_denials - 1;
                        return 0;
                }
        }
        return -EAGAIN;
}

static void stop(Run *run) {
        run->domain.fd = fd_close(run->domain.fd);
}

void landlock_audit_read(Run *run) {
        if (take_in(run) != -EAGAIN)
                stop(run);
}

void landlock_audit_finish(Run *run) {
        uint64_t deadline = clock_add_usec(clock_now_usec(), FREED_USEC);

        while (run->domain.fd >= 0 && run->started_usec != 0 && !run->outcome.orphaned) {
                struct pollfd pfd = { .fd = run->domain.fd, .events = POLLIN };

                if (take_in(run) != -EAGAIN || clock_now_usec() >= deadline)
                        break;
                (void)poll(&pfd, 1, clock_poll_timeout(deadline));
        }
        stop(run);
}
