# SPDX-License-Identifier: MIT
"""deliver.py ROUNDS COMMAND...: runs signals.py (the end of the command) in a process group of its own and sends SIGUSR1
ROUNDS times to the command alone, to its group, and in turns; prints for each how many arrived."""
import os
import select
import signal
import subprocess
import sys

rounds, command = int(sys.argv[1]), sys.argv[2:]


def pending(pid, number):
    """True while the process has not taken the signal: a second one now would be merged with it, by the kernel."""
    with open("/proc/%d/status" % pid, encoding="ascii") as status:
        masks = [int(line.split()[1], 16) for line in status if line.startswith("ShdPnd:")]
    return masks[0] >> (number - 1) & 1


def keeper_of(pid):
    """The keeper takes the signals of the group, too."""
    keeper = subprocess.run(["pgrep", "-P", str(pid), "-x", "confine-keeper"], stdout=subprocess.PIPE, check=True)
    return int(keeper.stdout)


def send(process, keeper, number, group):
    while pending(process.pid, number) or pending(keeper, number):
        os.sched_yield()
    if group:
        os.killpg(process.pid, number)
    else:
        os.kill(process.pid, number)


for mode in "alone", "group", "turns":
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1, start_new_session=True) as process:
        assert process.stdout.readline() == "ready\n"
        keeper = keeper_of(process.pid)
        lines = []
        lost = 0
        for i in range(rounds):
            send(process, keeper, signal.SIGUSR1, mode == "group" or (mode == "turns" and i % 2))
            if select.select([process.stdout], [], [], 5)[0]:
                lines.append(process.stdout.readline())
            else:
                lost += 1
        # A second delivery of the last one comes before this.
        os.kill(process.pid, signal.SIGUSR2)
        lines += process.stdout.readlines()
        print(mode, "lost", lost, "USR1", lines.count("USR1\n"), "USR2", lines.count("USR2\n"), "status", process.wait(), flush=True)
