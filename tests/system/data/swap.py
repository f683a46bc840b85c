# SPDX-License-Identifier: MIT
"""swap.py DIRECTORY ROUNDS CONFINE...: runs `CONFINE... DIRECTORY/job/script.py` so often, while somebody exchanges job with a link
to another directory all the time. The script tries to read a file there. Prints how often it ran, and how often it could."""
import ctypes
import os
import random
import subprocess
import sys
import threading

AT_FDCWD, RENAME_EXCHANGE = -100, 2
base, rounds, confine = os.path.realpath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
libc = ctypes.CDLL(None)
done = threading.Event()

os.umask(0o022)
os.mkdir(base + "/job")
os.mkdir(base + "/other")
with open(base + "/other/data", "w", encoding="utf-8") as file:
    file.write("secret")
with open(base + "/job/script.py", "w", encoding="utf-8") as file:
    file.write(f"try:\n    print('read', open('{base}/other/data').read())\nexcept PermissionError:\n    print('denied')\n")
os.symlink("other", base + "/link")


def swap():
    # At very different speeds, so that it falls into every moment of a start.
    while not done.wait(random.random() ** 4 / 50):
        libc.renameat2(AT_FDCWD, os.fsencode(base + "/job"), AT_FDCWD, os.fsencode(base + "/link"), RENAME_EXCHANGE)


def run():
    return subprocess.run([*confine, "-q", base + "/job/script.py"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


outputs = [run()]
thread = threading.Thread(target=swap)
thread.start()
outputs += [run() for _ in range(rounds)]
done.set()
thread.join()
print(outputs.count(b"denied\n"), "denied")
print(len(outputs) - outputs.count(b"denied\n") - outputs.count(b""), "read")
