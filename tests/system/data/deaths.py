# SPDX-License-Identifier: MIT
"""deaths.py SIGSELF "SIGNALS" RUN...: for each signal a program that dies by it, plain and under confine. Prints a line
for each: N plain=N confine=N core=no CAUSE SIGNAL EXIT_STATUS ERROR. A plain run must end in the same way."""
import json
import os
import resource
import subprocess
import sys
import tempfile

sigself, signals, run = sys.argv[1], sys.argv[2].split(), sys.argv[3:]
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
result = tempfile.mktemp(dir="/tmp")


def death(command):
    """How it ended, and whether it left a core. Without a shell: the status itself, not 128+n."""
    pid = os.posix_spawnp(command[0], command, os.environ)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status), os.WCOREDUMP(status)
    return "exit%d" % os.WEXITSTATUS(status), False


for signal in signals:
    # No core in the control run; for confine the most that may be.
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    plain = death([sigself, signal])[0]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    how, core = death(run + ["-q", "--result=" + result, "--", sigself, signal])
    with open(result, encoding="utf-8") as file:
        end = json.load(file)
    words = [json.dumps(end.get(key)).strip('"') for key in ("cause", "signal", "exit_status", "error")]
    print(signal, "plain=%s" % plain, "confine=%s" % how, "core=%s" % ("yes" if core else "no"), *words)
os.unlink(result)
