# SPDX-License-Identifier: MIT
"""network.py serve PATH      listens on the loopback: TCP and UDP that send back what they get, a name server that knows one
                           name, and the local sockets PATH, PATH.dgram and the abstract one of the name PATH. Prints the port
                           of both, and ends at the end of its input.
network.py attempts PORT PATH  tries what can be done with sockets, and prints the name of each operation with "ok" or the name
                           of its error. None of them depends on another."""
import errno
import os
import select
import socket
import struct
import sys

NAME = "confine.test"


def serve(path):
    streams, datagrams = [], []

    def add(sockets, family, kind, address):
        s = socket.socket(family, kind)
        if family == socket.AF_INET6:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if family != socket.AF_UNIX and kind == socket.SOCK_STREAM:
            # What the server of the test before has closed stays for a minute.
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(address)
        if kind == socket.SOCK_STREAM:
            s.listen()
        sockets.append(s)
        return s.getsockname()

    for _ in range(100):
        try:
            port = add(streams, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))[1]
            add(streams, socket.AF_INET6, socket.SOCK_STREAM, ("::1", port))
            add(datagrams, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port))
            add(datagrams, socket.AF_INET6, socket.SOCK_DGRAM, ("::1", port))
            break
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            streams, datagrams = [], []
    add(streams, socket.AF_UNIX, socket.SOCK_STREAM, path)
    add(streams, socket.AF_UNIX, socket.SOCK_STREAM, "\0" + path)
    add(datagrams, socket.AF_UNIX, socket.SOCK_DGRAM, path + ".dgram")
    os.chmod(path, 0o666)
    os.chmod(path + ".dgram", 0o666)
    add(datagrams, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 53))
    resolver = datagrams[-1]
    add(streams, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 53))
    tcp_resolver = streams[-1]
    print(port, flush=True)
    while True:
        for s in select.select(streams + datagrams + [sys.stdin], [], [])[0]:
            if s is sys.stdin:
                return
            if s in streams:
                connection = s.accept()[0]
                connection.settimeout(10)
                data = connection.recv(1000)
                if s is tcp_resolver:
                    data = answer(data[2:])
                    data = struct.pack(">H", len(data)) + data
                connection.sendall(data)
                connection.close()
                continue
            data, sender = s.recvfrom(1000)
            if s is resolver:
                data = answer(data)
            if sender:
                s.sendto(data, sender)


def answer(query):
    """127.0.0.1 for an A of NAME, nothing for everything else."""
    end = query.index(b"\0", 12) + 5
    known = query[12:end] == b"".join(bytes([len(w)]) + w.encode() for w in NAME.split(".")) + b"\0\0\1\0\1"
    record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton("127.0.0.1") if known else b""
    return query[:2] + struct.pack(">HHHHH", 0x8180, 1, int(known), 0, 0) + query[12:end] + record


def echo(s, address=None):
    s.settimeout(10)
    if address:
        s.connect(address)
    s.sendall(b"hello")
    if s.recv(100) != b"hello":
        raise OSError(errno.EPROTO, "another answer")
    s.close()


def listen(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind((address, 0))
        s.listen()
        client = socket.create_connection(s.getsockname()[:2], 10)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        s.accept()[0].close()
        client.close()


def fast_open(call, port):
    """Connects without connect(2)."""
    s = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if call == "sendto":
        s.sendto(b"hello", 0x20000000, ("127.0.0.1", port))
    else:
        s.sendmsg([b"hello"], [], 0x20000000, ("127.0.0.1", port))
    s.close()


def make(*arguments):
    socket.socket(*arguments).close()


def pair_connect(path):
    """A stream pair is connected for good, also when its other end is gone."""
    one, other = socket.socketpair()
    other.close()
    one.connect(path)


def resolve(port):
    family, kind, protocol, _, address = socket.getaddrinfo(NAME, port, socket.AF_INET, socket.SOCK_STREAM)[0]
    echo(socket.socket(family, kind, protocol), address)


def pair():
    one, other = socket.socketpair()
    one.sendall(b"x")
    other.recv(1)


def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def attempts(port, path):
    v4, v6, unix = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX
    stream, datagram, raw = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW
    operations = {
        "tcp4": lambda: echo(socket.socket(v4, stream), ("127.0.0.1", port)),
        "tcp6": lambda: echo(socket.socket(v6, stream), ("::1", port)),
        "udp4": lambda: echo(socket.socket(v4, datagram), ("127.0.0.1", port)),
        "udp6": lambda: echo(socket.socket(v6, datagram), ("::1", port)),
        "listen4": lambda: listen(v4, "127.0.0.1"),
        "listen6": lambda: listen(v6, "::1"),
        "resolve": lambda: resolve(port),
        "listen-unbound": lambda: socket.socket(v4, stream).listen(),
        "sendto-fast": lambda: fast_open("sendto", port),
        "sendmsg-fast": lambda: fast_open("sendmsg", port),
        "pair": pair,
        "mptcp": lambda: make(v4, stream, 262),
        "sctp": lambda: make(v4, stream, 132),
        "smc": lambda: make(43, stream, 0),
        "raw": lambda: make(v4, raw, socket.IPPROTO_ICMP),
        "raw6": lambda: make(v6, raw, 58),
        "ping": lambda: make(v4, datagram, socket.IPPROTO_ICMP),
        "netlink": lambda: make(socket.AF_NETLINK, raw, 0),
        "packet": lambda: make(socket.AF_PACKET, raw, 0),
        "vsock": lambda: make(40, stream, 0),
        "unix": lambda: echo(socket.socket(unix, stream), path),
        "abstract": lambda: echo(socket.socket(unix, stream), "\0" + path),
        "unix-dgram": lambda: socket.socket(unix, datagram).sendto(b"x", path + ".dgram"),
        "pair-dgram": lambda: socket.socketpair(unix, datagram)[0].close(),
        "pair-connect": lambda: pair_connect(path),
        "fork": fork,
        "exec": lambda: os.execv("/usr/bin/python3", ["python3", "-V"]),
    }
    for name, operation in operations.items():
        try:
            operation()
            print(name, "ok", flush=True)
        except socket.gaierror:
            print(name, "unknown", flush=True)
        except OSError as error:
            print(name, errno.errorcode[error.errno], flush=True)


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    attempts(int(sys.argv[2]), sys.argv[3])
