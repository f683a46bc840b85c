# SPDX-License-Identifier: MIT
"""interrupt.py ROUNDS MILLISECONDS COMMAND...: starts the command ROUNDS times and sends it a signal, alone or with its group,
at a random moment of its first MILLISECONDS. Prints how many died by what they got, and what else there was."""
import os
import random
import signal
import subprocess
import sys
import time

rounds, span, command = int(sys.argv[1]), int(sys.argv[2]) / 1000, sys.argv[3:]
numbers = [signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
seed = random.randrange(1 << 32)
random.seed(seed)
as_sent = 0
others = []
for i in range(rounds):
    number = random.choice(numbers)
    moment = random.uniform(0, span)
    group = random.random() < 0.5
    # What dies before its exec was never confine: Popen returns after it.
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        time.sleep(moment)
        if group:
            os.killpg(process.pid, number)
        else:
            os.kill(process.pid, number)
        try:
            status = process.wait(30)
        except subprocess.TimeoutExpired:
            status = "still running"
            os.killpg(process.pid, signal.SIGKILL)
        said = process.stderr.read().decode(errors="replace")
    if status == -number and not said:
        as_sent += 1
    else:
        others.append("%s after %.1f ms%s: %s %r" % (number.name, moment * 1000, " to the group" if group else "", status, said))
print("as sent", as_sent)
print("others", len(others))
for line in others[:10]:
    print("#", line)
print("# seed", seed)
