# SPDX-License-Identifier: MIT
"""daemon.py SECONDS: becomes a daemon by the book: two forks, a session of its own, no descriptor, another directory, every
signal ignored; the first process exits when the daemon is there."""
import os
import signal
import sys
import time

read, write = os.pipe()
if os.fork():
    os.close(write)
    sys.exit(0 if os.read(read, 1) == b"x" else 1)
os.setsid()
if os.fork():
    os._exit(0)
os.chdir("/")
os.umask(0)
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_IGN)
null = os.open("/dev/null", os.O_RDWR)
for fd in range(3):
    os.dup2(null, fd)
os.write(write, b"x")
os.closerange(3, 256)
time.sleep(int(sys.argv[1]))
