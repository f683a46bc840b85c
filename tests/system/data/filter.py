# SPDX-License-Identifier: MIT
"""filter.py NUMBER ERRNO [INDEX=VALUE]... -- COMMAND...: executes the command under a seccomp filter, as a container has one, that
answers ERRNO to the system call NUMBER, if all those arguments have those values (their low 32 bits count). With "ok" for ERRNO
it answers with success, and nothing is done: filters that fake root do that."""
import ctypes
import errno
import os
import platform
import struct
import sys

SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


end = sys.argv.index("--")
number, name, command = int(sys.argv[1]), sys.argv[2], sys.argv[end + 1:]
conditions = [(0, number)]
for word in sys.argv[3:end]:
    index, value = word.split("=")
    conditions.append((16 + 8 * int(index), int(value)))
code = []
for i, (offset, value) in enumerate(conditions):
    code += [(LOAD, 0, 0, offset), (EQUAL, 0, 2 * (len(conditions) - i) - 1, value)]
answer = 0 if name == "ok" else getattr(errno, name)
code += [(RETURN, 0, 0, ERRNO | answer), (RETURN, 0, 0, ALLOW)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.syscall(SECCOMP, 1, 0, ctypes.byref(Program(len(code), ctypes.addressof(text)))):
    sys.exit("filter: " + os.strerror(ctypes.get_errno()))
os.execvp(command[0], command)
