# SPDX-License-Identifier: MIT
"""attempts.py DIRECTORY: tries what can be done to the files there, which `make_files` of the test has made, and prints the
name of each operation with "ok" or the name of its error. None of them depends on another."""
import errno
import os
import sys

os.chdir("/")
base = sys.argv[1]


def at(name):
    return os.path.join(base, name)


def write(name, flags):
    fd = os.open(at(name), flags, 0o666)
    os.write(fd, b"changed")
    os.close(fd)


def read(name):
    with open(at(name), "rb") as file:
        file.read()


OPERATIONS = {
    "read": lambda: read("read"),
    "list": lambda: os.listdir(at("list")),
    "write": lambda: write("write", os.O_WRONLY),
    "append": lambda: write("append", os.O_WRONLY | os.O_APPEND),
    "read-write": lambda: write("read-write", os.O_RDWR),
    "open-truncate": lambda: os.close(os.open(at("open-truncate"), os.O_RDONLY | os.O_TRUNC)),
    "truncate": lambda: os.truncate(at("truncate"), 0),
    "create": lambda: write("created", os.O_WRONLY | os.O_CREAT | os.O_EXCL),
    "tmpfile": lambda: os.close(os.open(base, os.O_TMPFILE | os.O_WRONLY)),
    "mkdir": lambda: os.mkdir(at("made")),
    "rmdir": lambda: os.rmdir(at("rmdir")),
    "unlink": lambda: os.unlink(at("unlink")),
    "rename": lambda: os.rename(at("rename"), at("renamed")),
    "rename-out": lambda: os.rename(at("rename-out"), at("list/renamed-out")),
    "link": lambda: os.link(at("link"), at("linked")),
    "symlink": lambda: os.symlink("read", at("symlinked")),
    "fifo": lambda: os.mkfifo(at("fifo")),
    "socket": lambda: os.mknod(at("socket"), 0o140666),
}

for name, operation in OPERATIONS.items():
    try:
        operation()
        print(name, "ok")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
