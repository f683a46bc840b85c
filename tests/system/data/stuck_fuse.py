# SPDX-License-Identifier: MIT
"""stuck_fuse.py DIRECTORY UID: a file system of one file, "file", of 4 KiB, that can be opened by anybody and never read: its
server does not answer. Says "ready" once it is there, and each read that it is asked for. Until it is killed. Source: fuse(4)."""
import ctypes
import os
import struct
import sys

LOOKUP, GETATTR, OPEN, READ, INIT, OPENDIR = 1, 3, 14, 15, 26, 27
FORGETS = {2, 36, 42}
directory, uid = sys.argv[1], int(sys.argv[2])
fd = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other" % (fd, uid, uid)
if libc.mount(b"stuck", directory.encode(), b"fuse", 6, options.encode()):  # nosuid, nodev
    sys.exit("mount: " + os.strerror(ctypes.get_errno()))


def attributes(node):
    mode, size = (0o40755, 0) if node == 1 else (0o100755, 4096)
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, uid, uid, 0, 4096, 0)


def answer(unique, error=0, body=b""):
    os.write(fd, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


while True:
    request = os.read(fd, 1 << 17)
    _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
    if opcode == INIT:
        answer(unique, 0, struct.pack("<IIIIHHII", 7, 31, 4096, 0, 12, 10, 1 << 16, 1) + bytes(36))
        print("ready", flush=True)
    elif opcode == LOOKUP:
        if request[40:].rstrip(b"\0") == b"file":
            answer(unique, 0, struct.pack("<QQQQII", 2, 0, 60, 60, 0, 0) + attributes(2))
        else:
            answer(unique, -2)
    elif opcode == GETATTR:
        answer(unique, 0, struct.pack("<QII", 60, 0, 0) + attributes(node))
    elif opcode in (OPEN, OPENDIR):
        answer(unique, 0, struct.pack("<QII", 1, 0, 0))
    elif opcode == READ:
        pid = struct.unpack_from("<I", request, 32)[0]
        try:
            with open("/proc/%d/comm" % pid, encoding="utf-8") as comm:
                print("read by", comm.read().strip(), flush=True)
        except OSError:
            print("read by nobody", flush=True)
    elif opcode not in FORGETS:
        answer(unique, -38)
