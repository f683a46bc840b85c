# SPDX-License-Identifier: MIT
# deep_cgroup.py DIRECTORY [PID]: makes cgroups below it until their path is longer than any that the kernel tells, and moves PID into
# the last one; without PID it removes them.
import os
import sys

NAME = "d" * 250
LEVELS = 18

os.chdir(sys.argv[1])
for _ in range(LEVELS):
    if len(sys.argv) > 2:
        os.mkdir(NAME)
    os.chdir(NAME)
if len(sys.argv) > 2:
    with open("cgroup.procs", "w") as procs:
        procs.write(sys.argv[2])
else:
    for _ in range(LEVELS):
        os.chdir("..")
        os.rmdir(NAME)
