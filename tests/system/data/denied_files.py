# SPDX-License-Identifier: MIT
# denied_files.py HOW [N [WAIT]]: opens /etc/machine-id N times and fails with 1 if one of them is not denied.
#     plain    that is all, and with WAIT it says "denied" and waits for the end of its standard input
#     nested   in a Landlock domain of its own, within one that may read nothing
#     pass     sends an open file through the socket that is its standard input
import array
import ctypes
import errno
import os
import socket
import struct
import sys

CREATE_RULESET, RESTRICT_SELF = 444, 446
FS_READ_FILE = 4


def restrict():
    libc = ctypes.CDLL(None, use_errno=True)
    attr = ctypes.create_string_buffer(struct.pack("=Q", FS_READ_FILE), 8)
    ruleset = libc.syscall(CREATE_RULESET, attr, ctypes.c_size_t(8), 0)
    if ruleset < 0 or libc.syscall(RESTRICT_SELF, ruleset, 0) < 0:
        sys.exit(f"restrict: {os.strerror(ctypes.get_errno())}")


how = sys.argv[1]
n = int(sys.argv[2]) if len(sys.argv) > 2 else 0
if how == "nested":
    restrict()
for _ in range(n):
    try:
        os.close(os.open("/etc/machine-id", os.O_RDONLY))
        sys.exit("not denied")
    except OSError as e:
        if e.errno != errno.EACCES:
            raise
if how == "pass":
    with socket.socket(fileno=0) as s, open("/dev/null") as file:
        s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))])
if len(sys.argv) > 3:
    print("denied", flush=True)
    sys.stdin.read()
