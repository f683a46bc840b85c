# SPDX-License-Identifier: MIT
"""mounts.py DIRECTORY: tries to undo what mounts have made read-only or covered, and prints each way with "ok" or the name of
its error. DIRECTORY is on a mount of its own. The harmless ones come first: each would spoil the next."""
import ctypes
import errno
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)
place = sys.argv[1].encode()
AT_FDCWD, AT_EMPTY_PATH, AT_RECURSIVE = -100, 0x1000, 0x8000
MS_REMOUNT, MS_BIND, MS_MOVE, MNT_DETACH = 32, 4096, 8192, 2
OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR, FSOPEN = 428, 429, 442, 430


def call(number, *arguments):
    return libc.syscall(ctypes.c_long(number), *arguments)


class Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "namespace")]


def writable():
    attributes = Attributes(0, 1, 0, 0)
    return call(MOUNT_SETATTR, AT_FDCWD, place, 0, ctypes.byref(attributes), ctypes.sizeof(attributes))


def move():
    tree = call(OPEN_TREE, AT_FDCWD, place, 1)
    return tree if tree < 0 else call(MOVE_MOUNT, tree, b"", AT_FDCWD, place, 4)


WAYS = {
    "open-tree": lambda: call(OPEN_TREE, AT_FDCWD, place, 1 | AT_RECURSIVE),
    "mount-setattr": writable,
    "remount": lambda: libc.mount(None, place, None, MS_REMOUNT | MS_BIND, None),
    "bind": lambda: libc.mount(place, place, None, MS_BIND, None),
    "move-mount": move,
    "tmpfs": lambda: libc.mount(b"tmpfs", place, b"tmpfs", 0, None),
    "fsopen": lambda: call(FSOPEN, b"tmpfs", 0),
    "umount": lambda: libc.umount2(place, MNT_DETACH),
    "chroot": lambda: libc.chroot(place),
    "unshare": lambda: libc.unshare(0x00020000),
}

for name, way in WAYS.items():
    result = way()
    print(name, "ok" if result >= 0 else errno.errorcode[ctypes.get_errno()])
