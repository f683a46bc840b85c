# SPDX-License-Identifier: MIT
"""hold-uids.py UID COMMAND...: runs the command while every other uid of the range is taken, as by runs of confine."""
import fcntl
import os
import struct
import sys

F_OFD_SETLK = 37
FIRST, LAST = 60578, 61183

free = int(sys.argv[1])
fd = os.open("/run/confine/uids", os.O_RDWR)
for start, end in (FIRST, free), (free + 1, LAST + 1):
    if end > start:
        fcntl.fcntl(fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, start, end - start, 0))
os.set_inheritable(fd, True)
os.execvp(sys.argv[2], sys.argv[2:])
