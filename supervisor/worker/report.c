/* SPDX-License-Identifier: MIT */
/* Messages between supervisor, keeper and worker. */
#include "supervisor/worker/report.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "supervisor/base/base.h"

int message_send(int fd, const Message *message, int pass_fd) {
        union {
                struct cmsghdr header;
                char space[CMSG_SPACE(sizeof(int))];
        } control = { 0 };
        Message copy = *message;
        struct iovec iov = { .iov_base = &copy, .iov_len = sizeof(copy) };
        struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
        ssize_t n;

        if (pass_fd >= 0) {
                msg.msg_control = control.space;
                msg.msg_controllen = sizeof(control.space);
                control.header = (struct cmsghdr){
                        .cmsg_len = CMSG_LEN(sizeof(int)),
                        .cmsg_level = SOL_SOCKET,
                        .cmsg_type = SCM_RIGHTS,
                };
                memcpy(CMSG_DATA(&control.header), &pass_fd, sizeof(int));
        }
        do
                n = sendmsg(fd, &msg, MSG_NOSIGNAL);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        return n == (ssize_t)sizeof(copy) ? 0 : -EIO;
}

int message_recv(int fd, Message *ret, int *ret_fd, int flags) {
        union {
                struct cmsghdr header;
                char space[CMSG_SPACE(sizeof(int))];
        } control = { 0 };
        Message message = { 0 };
        struct iovec iov = { .iov_base = &message, .iov_len = sizeof(message) };
        struct msghdr msg = {
                .msg_iov = &iov,
                .msg_iovlen = 1,
                .msg_control = control.space,
                .msg_controllen = sizeof(control.space),
        };
        _cleanup_close_ int passed = -EBADF;
        const struct cmsghdr *c;
        ssize_t n;

        do
                n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | flags);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        if (n == 0)
                return 0;
        c = CMSG_FIRSTHDR(&msg);
        if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
            c->cmsg_len == CMSG_LEN(sizeof(int)))
                memcpy(&passed, CMSG_DATA(c), sizeof(int));
        if (n != (ssize_t)sizeof(message) || message.kind >= _MESSAGE_MAX ||
            msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
                return -EPROTO;
        *ret = message;
        *ret_fd = TAKE_FD(passed);
        return 1;
}
