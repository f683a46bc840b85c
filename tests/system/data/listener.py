# SPDX-License-Identifier: MIT
"""Installs a seccomp filter with a listener, as a container manager does, then executes a command."""
import ctypes
import os
import platform
import struct
import sys

SECCOMP = {"x86_64": 317, "aarch64": 277}[platform.machine()]
ALLOW = struct.pack("HBBI", 6, 0, 0, 0x7FFF0000)  # one instruction: return ALLOW


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(ALLOW)
program = Program(1, ctypes.addressof(code))
if libc.prctl(38, 1, 0, 0, 0):
    sys.exit("no_new_privs: " + os.strerror(ctypes.get_errno()))
listener = libc.syscall(SECCOMP, 1, 8, ctypes.byref(program))
if listener < 0:
    sys.exit("listener: " + os.strerror(ctypes.get_errno()))
os.set_inheritable(listener, True)  # a listener that nobody holds is none
os.execvp(sys.argv[1], sys.argv[1:])
