# SPDX-License-Identifier: MIT
# hold.py PID: lets the process live on after it is killed, as one in uninterruptible sleep does, until stdin ends.
# A tracee stops once more on its way out, and waits for its tracer there. Source: ptrace(2), PTRACE_EVENT_EXIT.
import ctypes
import sys

PTRACE_SEIZE = 0x4206
PTRACE_O_TRACEEXIT = 0x40

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
if libc.ptrace(PTRACE_SEIZE, int(sys.argv[1]), None, PTRACE_O_TRACEEXIT) != 0:
    sys.exit(f"ptrace: {ctypes.get_errno()}")
print("held", flush=True)
sys.stdin.read()
