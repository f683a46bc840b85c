# SPDX-License-Identifier: MIT
"""outer.py CALL ANSWER COMMAND...: installs a seccomp filter that answers one system call itself, as the filter of a container
does, then executes the command. The answer is an errno's name, or "ok": success, without doing anything."""
import ctypes
import errno
import os
import platform
import struct
import sys

CALLS = {
    "x86_64": {"seccomp": 317, "capset": 126, "setgroups": 116, "setresgid": 119, "setresuid": 117, "prctl": 157, "prlimit64": 302},
    "aarch64": {"seccomp": 277, "capset": 91, "setgroups": 159, "setresgid": 149, "setresuid": 147, "prctl": 167, "prlimit64": 261},
}[platform.machine()]
CALLS |= {
    "mseal": 462,
    "clone3": 435,
    "close_range": 436,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}
ALLOW, ERRNO = 0x7FFF0000, 0x00050000

call, answer, command = sys.argv[1], sys.argv[2], sys.argv[3:]
number = 0 if answer == "ok" else getattr(errno, answer)
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(
    b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in ((0x20, 0, 0, 0), (0x15, 0, 1, CALLS[call]), (6, 0, 0, ERRNO | number), (6, 0, 0, ALLOW))
    )
)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


program = Program(4, ctypes.addressof(code))
if libc.prctl(38, 1, 0, 0, 0) or libc.syscall(CALLS["seccomp"], 1, 0, ctypes.byref(program)):
    sys.exit("filter: " + os.strerror(ctypes.get_errno()))
os.execvp(command[0], command)
