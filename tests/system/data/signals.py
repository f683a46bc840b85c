# SPDX-License-Identifier: MIT
"""signals.py LAST STATUS [SECONDS]: prints a line for each signal it gets, one by one; exits with STATUS after the signal
LAST, SECONDS later."""
import _signal as signal  # `signal` itself takes longer to import than Python to start
import sys
import time

last, status = sys.argv[1], int(sys.argv[2])
names = ["HUP", "INT", "QUIT", "USR1", "USR2", "TERM", "CONT", "WINCH", "TSTP"]
wanted = {getattr(signal, "SIG" + name): name for name in names}
signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
print("ready", flush=True)
while True:
    name = wanted[signal.sigwaitinfo(wanted).si_signo]
    print(name, flush=True)
    if name == last:
        break
time.sleep(float(sys.argv[3]) if len(sys.argv) > 3 else 0)
sys.exit(status)
