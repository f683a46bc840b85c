# SPDX-License-Identifier: MIT
"""stuck_exec.py FILE: executes a program whose name is in the first page of FILE, as mapped: whoever looks at it has to read that."""
import ctypes
import mmap
import os
import sys

page = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)
call = ctypes.CDLL(None, use_errno=True).execve
print("returned", call(ctypes.byref(ctypes.c_char.from_buffer(page)), None, None), ctypes.get_errno(), flush=True)
