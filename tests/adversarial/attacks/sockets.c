/* SPDX-License-Identifier: MIT */
/* Attacks by sockets: services of the host, the network, families that are neither. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "attacks.h"

static int closed(int fd, long r) {
        int met = result(r);

        if (fd >= 0)
                (void)close(fd);
        return met;
}

/* @path: "s" or "d" for stream or datagram, then the path; %u stands for the own uid. */
static socklen_t unix_address(const char *path, struct sockaddr_un *ret) {
        const char *mark = strstr(path, "%u");

        *ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
        if (mark)
                (void)snprintf(ret->sun_path, sizeof(ret->sun_path), "%.*s%u%s", (int)(mark - path),
                               path, (unsigned)getuid(), mark + 2);
        else
                (void)snprintf(ret->sun_path, sizeof(ret->sun_path), "%s", path);
        return sizeof(*ret);
}

static int connect_path(const Scene *scene UNUSED, const char *path) {
        struct sockaddr_un address;
        socklen_t length = unix_address(path + 1, &address);
        int fd = socket(AF_UNIX, path[0] == 's' ? SOCK_STREAM : SOCK_DGRAM, 0);

        return closed(fd, fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, length));
}

/* An entry of its own in the journal, as if confine had sent it (B56). */
static int send_record(const Scene *scene UNUSED, const char *path) {
        static const char record[] = "MESSAGE=ended: exit, status 0\nCONFINE_EVENT=end\n";
        struct sockaddr_un address;
        socklen_t length = unix_address(path, &address);
        int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

        return closed(fd, fd < 0 ? fd
                                 : sendto(fd, record, sizeof(record) - 1, 0,
                                          (struct sockaddr *)&address, length));
}

/* A datagram socket of a pair can send to any path. */
static int send_from_pair(const Scene *scene UNUSED, const char *path) {
        struct sockaddr_un address;
        socklen_t length = unix_address(path, &address);
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
                return errno;
        (void)close(pair[1]);
        return closed(pair[0], sendto(pair[0], "x", 1, 0, (struct sockaddr *)&address, length));
}

static int pair_high(const Scene *scene UNUSED, const char *argument UNUSED) {
        int pair[2];

        return result(syscall(SYS_socketpair, AF_UNIX | HIGH, SOCK_DGRAM | HIGH, HIGH, pair));
}

static int connect_abstract(const Scene *scene, const char *argument UNUSED) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        size_t length = strlen(scene->name);
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);

        memcpy(address.sun_path + 1, scene->name, length);
        length += offsetof(struct sockaddr_un, sun_path) + 1;
        return closed(fd,
                      fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, (socklen_t)length));
}

static struct sockaddr_in neighbour_port(const Scene *scene) {
        return (struct sockaddr_in){ .sin_family = AF_INET,
                                     .sin_port = htons(scene->tcp_port),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int connect_tcp(const Scene *scene, const char *argument UNUSED) {
        struct sockaddr_in address = neighbour_port(scene);
        int fd = socket(AF_INET, SOCK_STREAM, 0);

        return closed(fd, fd < 0 ? fd : connect(fd, (struct sockaddr *)&address, sizeof(address)));
}

static int listen_tcp(const Scene *scene UNUSED, const char *argument UNUSED) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);

        return closed(fd, fd < 0 ? fd : listen(fd, 1));
}

static int send_udp(const Scene *scene, const char *argument UNUSED) {
        struct sockaddr_in address = neighbour_port(scene);
        int fd = socket(AF_INET, SOCK_DGRAM, 0);

        return closed(fd,
                      fd < 0 ? fd
                             : sendto(fd, "x", 1, 0, (struct sockaddr *)&address, sizeof(address)));
}

/* @numbers: family, type and protocol. */
static int make_socket(const Scene *scene UNUSED, const char *numbers) {
        char *end;
        long family = strtol(numbers, &end, 0);
        long type = strtol(end, &end, 0);
        long protocol = strtol(end, NULL, 0);
        int fd = socket((int)family, (int)type, (int)protocol);

        return closed(fd, fd);
}

static int make_socket_high(const Scene *scene UNUSED, const char *argument UNUSED) {
        int fd = (int)syscall(SYS_socket, AF_INET | HIGH, SOCK_STREAM | HIGH, HIGH);

        return closed(fd, fd);
}

/* ---- sockets that somebody outside made, and handed in over a socket that is standard input */

static int connect_handed(const Scene *scene, const char *path) {
        struct sockaddr_un address;
        socklen_t length = unix_address(path, &address);
        int fd = scene_fd(scene, 'u');

        return fd < 0 ? EPROTO : closed(fd, connect(fd, (struct sockaddr *)&address, length));
}

static int connect_handed_tcp(const Scene *scene, const char *argument UNUSED) {
        struct sockaddr_in address = neighbour_port(scene);
        int fd = scene_fd(scene, 'i');

        return fd < 0 ? EPROTO
                      : closed(fd, connect(fd, (struct sockaddr *)&address, sizeof(address)));
}

static int accept_handed(const Scene *scene, const char *argument UNUSED) {
        int fd = scene_fd(scene, 'l'), r;

        if (fd < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
                return EPROTO;
        r = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        return closed(fd, r);
}

static int set_option_handed(const Scene *scene, const char *argument UNUSED) {
        int fd = scene_fd(scene, 'u'), on = 1;

        return fd < 0 ? EPROTO
                      : closed(fd, setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)));
}

/* clang-format off */
const Attack attacks_sockets[] = {
        { "docker-sock", "P6 B01", "a service behind a path", connect_path, "sscene/docker.sock", 0, EPERM, 0 },
        { "docker-sock-granted", "P6 B01 B79", "one below a write grant", connect_path, "swrite/docker.sock", 0, EPERM, 0 },
        { "abstract", "P6 B01 B79", "a service behind an abstract name", connect_abstract, "", 0, EPERM, 0 },
        { "dbus", "P6 B01", "the system bus", connect_path, "s/run/dbus/system_bus_socket", 0, EPERM, SERVICES },
        { "dbus-user", "P6 B01", "the user's bus", connect_path, "s/run/user/%u/bus", 0, EPERM, USER | SERVICES },
        { "systemd-user", "P6 B01", "the user's manager", connect_path, "s/run/user/%u/systemd/private", 0, EPERM, USER | SERVICES },
        { "systemd", "P6 B01", "the system's manager", connect_path, "s/run/systemd/private", 0, EPERM, ROOT | SERVICES },
        { "notify", "P6 B01", "systemd's notifications", connect_path, "d/run/systemd/notify", 0, EPERM, SERVICES },
        { "journal", "P6 B01 B56", "a record for the journal", send_record, "/run/systemd/journal/socket", 0, EPERM, SERVICES },
        { "syslog", "P6 B01", "a line for the log", send_record, "/dev/log", 0, EPERM, SERVICES },
        { "pair-path", "P6", "from a pair of datagram sockets to a path", send_from_pair, "scene/datagram", 0, EPERM, 0 },
        { "pair-high", "P6 B54", "such a pair, with high bits", pair_high, "", 0, EPERM, 0 },
        { "tcp", "P7 S3", "a TCP connection", connect_tcp, "", 0, EPERM, INTERNET },
        { "tcp-listen", "P7 S3", "a TCP port", listen_tcp, "", 0, EPERM, INTERNET },
        { "tcp-high", "P7 B54", "a TCP socket, with high bits", make_socket_high, "", 0, EPERM, INTERNET },
        { "tcp6", "P7 S3", "a socket of IPv6", make_socket, "10 1 0", ANY, EPERM, INTERNET },
        { "udp", "P7 S3", "a datagram of UDP", send_udp, "", 0, EPERM, INTERNET },
        { "mptcp", "P7", "a socket of MPTCP", make_socket, "2 1 262", ANY, EPERM, 0 },
        { "ping", "P7", "a socket for ping", make_socket, "2 2 1", ANY, EPERM, ROOT },
        { "raw", "P7", "a raw socket", make_socket, "2 3 1", 0, EPERM, ROOT },
        { "packet", "P7", "a packet socket", make_socket, "17 3 0x0300", ANY, EPERM, ROOT },
        { "netlink", "P7", "netlink", make_socket, "16 3 0", 0, EPERM, 0 },
        { "netlink-uevent", "P7", "netlink of the kernel's events", make_socket, "16 3 15", 0, EPERM, 0 },
        { "vsock", "P7", "the virtual machine's host", make_socket, "40 1 0", ANY, EPERM, 0 },
        { "alg", "P11", "the kernel's ciphers", make_socket, "38 5 0", ANY, EPERM, 0 },
        { "handed-unix", "P6 B01", "connecting a socket that was handed in", connect_handed, "scene/docker.sock", 0, EPERM, INTERNET },
        { "handed-tcp", "P7", "one of TCP", connect_handed_tcp, "", 0, EPERM, INTERNET },
        { "handed-accept", "P6", "accepting on one", accept_handed, "", EAGAIN, EPERM, INTERNET },
        { "handed-option", "P6", "an option of one", set_option_handed, "", 0, EPERM, INTERNET },
};
/* clang-format on */
const size_t n_attacks_sockets = COUNT(attacks_sockets);
