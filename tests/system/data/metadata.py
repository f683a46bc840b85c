# SPDX-License-Identifier: MIT
"""metadata.py FILE: changes what is known about the file, one kind after the other, and prints each with "ok" or the name of
its error. The file's owner may do all of it. FILE may be fd:N, a descriptor."""
import errno
import os
import sys

target = int(sys.argv[1][3:]) if sys.argv[1].startswith("fd:") else sys.argv[1]


def descriptor(change):
    fd = os.open(target, os.O_RDONLY) if isinstance(target, str) else os.dup(target)
    try:
        change(fd)
    finally:
        os.close(fd)


OPERATIONS = {
    "chmod": lambda: os.chmod(target, 0o604),
    "fchmod": lambda: descriptor(lambda fd: os.fchmod(fd, 0o640)),
    "chown": lambda: os.chown(target, os.getuid(), -1),
    "fchown": lambda: descriptor(lambda fd: os.fchown(fd, -1, os.getgid())),
    "utime": lambda: os.utime(target, (1, 1)),
    "futime": lambda: descriptor(lambda fd: os.utime(fd, (2, 2))),
    "now": lambda: os.utime(target),
    "setxattr": lambda: os.setxattr(target, "user.confine", b"1"),
    "fsetxattr": lambda: descriptor(lambda fd: os.setxattr(fd, "user.confine", b"2")),
    "removexattr": lambda: os.removexattr(target, "user.confine"),
}

for name, operation in OPERATIONS.items():
    try:
        operation()
        print(name, "ok")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
