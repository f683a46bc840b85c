# SPDX-License-Identifier: MIT
"""zombies.py COUNT: forks COUNT children that end at once and never waits for them, then an orphan that ends too; prints
"ready" and stays until its stdin ends."""
import os
import sys

for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        os._exit(0)
if os.fork() == 0:
    if os.fork() == 0:
        os._exit(0)
    os._exit(0)
print("ready", flush=True)
sys.stdin.read()
