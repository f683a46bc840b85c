# SPDX-License-Identifier: MIT
"""tenants.py hold PRIVATE: a run with something of everything; tells as JSON where it is, and stays.
tenants.py reach FACTS NAME...: tries to get at it. A line "NAME ok", "NAME ERRNO", or
"NAME another", for a file that is not of the first run, for each."""
import ctypes
import errno
import json
import mmap
import os
import signal
import socket
import sys
import tempfile

SECRET = "of tenant one"


def write(path):
    with open(path, "w") as f:
        f.write(SECRET)
    return path


def hold(private):
    facts = {
        "scratch": write(os.path.join(tempfile.gettempdir(), "of-one")),
        "home": write(os.path.join(os.environ["HOME"], "of-one")),
        "tmp": write("/tmp/of-one"),
        "shm": write("/dev/shm/of-one"),
        "file": write(os.path.join(private, "of-one")),
        "credential": os.path.join(os.environ["CREDENTIALS_DIRECTORY"], "TENANT"),
    }
    # Each is there for the run itself, or the rest would prove nothing.
    for path in facts.values():
        with open(path) as f:
            assert f.read() == SECRET, path
    memory = mmap.mmap(-1, 4096)
    memory.write(SECRET.encode())
    facts["address"] = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    facts["fd"] = os.open(facts["file"], os.O_RDWR)
    print(json.dumps(facts), flush=True)
    while True:
        signal.pause()


def read(path):
    with open(path) as f:
        if SECRET not in f.read():
            raise LookupError


def read_memory(facts):
    with open(f"/proc/{facts['main']}/mem", "rb") as f:
        f.seek(facts["address"])
        assert f.read(len(SECRET)).decode() == SECRET


def kernel_objects(facts):
    libc = ctypes.CDLL(None, use_errno=True)
    key = libc.shmget(0x7E9A91, 4096, 0o1600)
    if key < 0:
        raise OSError(ctypes.get_errno(), "")
    libc.shmctl(key, 0, None)


def abstract_socket(facts):
    with socket.socket(socket.AF_UNIX) as s:
        s.bind("\0confine-tenants")


# Through the file system of the other run, as its processes see it.
def inside(facts, what):
    read(f"/proc/{facts['main']}/root{facts[what]}")


ATTEMPTS = {
    "scratch": lambda f: inside(f, "scratch"),
    "home": lambda f: inside(f, "home"),
    "tmp": lambda f: inside(f, "tmp"),
    "shm": lambda f: inside(f, "shm"),
    "credential": lambda f: inside(f, "credential"),
    "scratch-here": lambda f: read(f["scratch"]),
    "home-here": lambda f: read(f["home"]),
    "tmp-here": lambda f: read("/tmp/of-one"),
    "shm-here": lambda f: read("/dev/shm/of-one"),
    "credential-here": lambda f: read(f["credential"]),
    "file": lambda f: read(f["file"]),
    "file-write": lambda f: os.close(os.open(f["file"], os.O_WRONLY)),
    "file-chmod": lambda f: os.chmod(f["file"], 0o600),
    "fd": lambda f: read(f"/proc/{f['main']}/fd/{f['fd']}"),
    "memory": read_memory,
    "environ": lambda f: os.close(os.open(f"/proc/{f['main']}/environ", os.O_RDONLY)),
    "cwd": lambda f: os.listdir(f"/proc/{f['main']}/cwd"),
    "signal-main": lambda f: os.kill(f["main"], 0),
    "signal-supervisor": lambda f: os.kill(f["supervisor"], 0),
    "signal-keeper": lambda f: os.kill(f["keeper"], 0),
    "pidfd": lambda f: os.close(os.pidfd_open(f["main"])),
    "priority": lambda f: os.getpriority(os.PRIO_PROCESS, f["main"]),
    "limit": lambda f: __import__("resource").prlimit(f["main"], 7),
    "cgroup": lambda f: os.close(os.open(f["cgroup"] + "/run/cgroup.procs", os.O_RDONLY)),
    "label": lambda f: os.getxattr(f["cgroup"], "user.confine.label.tenant_id"),
    "shared-memory": kernel_objects,
    "socket": abstract_socket,
}


def main():
    if sys.argv[1] == "hold":
        hold(sys.argv[2])
    with open(sys.argv[2]) as f:
        facts = json.load(f)
    for name, attempt in ATTEMPTS.items():
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        try:
            attempt(facts)
            print(name, "ok")
        except OSError as e:
            print(name, errno.errorcode.get(e.errno, e.errno))
        except LookupError:
            print(name, "another")


main()
