# SPDX-License-Identifier: MIT
# audit.py set 0|1        switches the kernel's audit off or on
# audit.py listen FILE    writes to FILE the type and the text of each audit record from now on, the first line is "ready"
import socket
import struct
import sys

NETLINK_AUDIT = 9
AUDIT_SET = 1001
NLM_F_REQUEST_ACK = 5
ENABLED = 1
HEADER = "=IHHII"
STATUS = "=10I"


def switch(enabled):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_AUDIT)
    status = struct.pack(STATUS, ENABLED, enabled, *[0] * 8)
    s.send(struct.pack(HEADER, 16 + len(status), AUDIT_SET, NLM_F_REQUEST_ACK, 1, 0) + status)
    (error,) = struct.unpack("=i", s.recv(4096)[16:20])
    if error:
        raise OSError(-error)


def listen(path):
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_AUDIT)
    s.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)  # SO_RCVBUFFORCE: nothing may be lost
    s.bind((0, 1))
    with open(path, "w", buffering=1) as out:
        print("ready", file=out)
        while True:
            message = s.recv(16384)
            print(struct.unpack(HEADER, message[:16])[1], message[16:].decode(errors="replace").rstrip("\0\n"), file=out)


if sys.argv[1] == "set":
    switch(int(sys.argv[2]))
else:
    listen(sys.argv[2])
