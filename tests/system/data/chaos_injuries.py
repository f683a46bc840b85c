# SPDX-License-Identifier: MIT
"""What chaos.py runs, what it does to a run, and how one may end then."""
import os
import re
import signal
import time

GRACE = 0.5
LONG = 120.0

READY = "echo ready; "
# name: (script, how it ends by itself, extra words)
PROGRAMS = {
    "exit": (READY + "exit 7", (7, "exit"), []),
    "crash": (READY + "kill -SEGV $$", (139, "signal"), []),
    "sleeper": (READY + "exec sleep 1000", None, ["--allow-run"]),
    "stubborn": ("trap '' TERM INT HUP; setsid sleep 1000 & " + READY + "while :; do sleep 1000; done", None, ["--allow-run"]),
    "leaver": ("setsid sleep 1000 & " + READY + "exit 7", (7, "exit"), ["--allow-run"]),
    "oom": (READY + "exec perl -e '$size = 96 << 20; $x = \"x\" x $size'", (137, "limit"), ["--allow-run", "--memory=32M"]),
}
LASTING = ["sleeper", "stubborn"]
TIMEOUT = (124, "timeout")
GONE = (125, "error")
LOST = (137, None)  # the supervisor was killed: there is nobody to tell
# Why a program with a short time may not have been started, on a machine that took longer than that.
NO_TIME = re.compile(r"RuntimeMaxSec=\S+ passed before the program could be started")


class Injury:
    """What is done to a run, and how it may end then. by_deadline: with the run's time, which is short."""

    def __init__(self, action, ends, by_deadline=False, programs=LASTING, early=None):
        self.action = action
        self.ends = ends
        self.by_deadline = by_deadline
        self.programs = programs
        # How it may end beside that if it was done while the run started; None: only done when it runs.
        self.early = early


def send(pid, sig):
    try:
        os.kill(pid, sig)
        return True
    except ProcessLookupError:
        return False


def kill_supervisor(run):
    return send(run.process.pid, signal.SIGKILL)


def kill_both(run):
    """Not one after the other: each would notice the end of the other one."""
    keeper = run.keeper()
    reached = send(run.process.pid, signal.SIGSTOP)
    if keeper:
        send(keeper, signal.SIGSTOP)
        send(keeper, signal.SIGKILL)
    return send(run.process.pid, signal.SIGKILL) and reached


def signal_keeper(sig):
    def act(run):
        keeper = run.keeper()
        return bool(keeper) and send(keeper, sig)
    return act


def signal_worker(sig):
    def act(run):
        worker = run.worker()
        return bool(worker) and send(worker, sig)
    return act


def signal_supervisor(sig):
    return lambda run: send(run.process.pid, sig)


def stop_supervisor(run):
    """Only while its program lives there is somebody to wake it: one that is about to end goes on, and was not injured."""
    send(run.process.pid, signal.SIGSTOP)
    while (state := run.world.state_of(run.process.pid)) not in ("T", "Z", ""):
        time.sleep(0.002)
    children = run.children()
    if state == "T" and len(children) == 2 and run.world.state_of(children[0]) not in ("Z", ""):
        return True
    send(run.process.pid, signal.SIGCONT)
    return False


def stop_and_go(run):
    """Stops and continues of everything, at random."""
    reached = False
    for target in run.rng.choices(["keeper", "worker", "supervisor"], k=6):
        pid = {"keeper": run.keeper, "worker": run.worker, "supervisor": lambda: run.process.pid}[target]()
        reached |= bool(pid) and send(pid, signal.SIGSTOP)
        time.sleep(run.rng.uniform(0, 0.02))
        if pid:
            send(pid, signal.SIGCONT)
    return reached


def stop_all(run):
    """systemd is the only one left; who was stopped goes on when all is over, and must know."""
    keeper, scope = run.keeper(), run.scope()
    reached = bool(keeper) and bool(scope) and send(run.process.pid, signal.SIGSTOP) and send(keeper, signal.SIGSTOP)
    while reached and os.path.exists(scope) and run.process.poll() is None and time.monotonic() < run.limit:
        time.sleep(0.02)
    send(run.process.pid, signal.SIGCONT)
    return reached


def stop_then_kill(run):
    """The program stops itself, its supervisor with it, and those who would wake that are killed."""
    worker = run.worker()
    reached = bool(worker) and send(worker, signal.SIGSTOP)
    while reached and run.world.state_of(run.process.pid) != "T" and run.process.poll() is None:
        time.sleep(0.005)
    return reached and write_cgroup("cgroup.kill", "1")(run)


def write_cgroup(name, text):
    def act(run):
        scope = run.scope()
        try:
            with open(os.path.join(scope or "/nowhere", name), "w", encoding="ascii") as file:
                file.write(text)
            return True
        except OSError:
            return False
    return act


def stop_unit(run):
    scope = run.scope()
    return bool(scope) and run.world.systemctl("stop", os.path.basename(scope)) == 0


def nothing(run):
    return True


INJURIES = {
    "none": Injury(nothing, set(), programs=list(PROGRAMS), by_deadline=True),
    "few-descriptors": Injury(nothing, {GONE, (125, "refused"), (127, "exec"), (126, "exec")}, programs=list(PROGRAMS),
                              by_deadline=True),
    "kill-program": Injury(signal_worker(signal.SIGKILL), {(137, "signal")}, early={GONE}),
    "term-program": Injury(signal_worker(signal.SIGTERM), {(143, "signal")}, programs=["sleeper"], early={GONE}),
    "stop-program": Injury(signal_worker(signal.SIGSTOP), {TIMEOUT}, by_deadline=True, early={GONE}),
    "kill-keeper": Injury(signal_keeper(signal.SIGKILL), {GONE}, early=set()),
    "stop-keeper": Injury(signal_keeper(signal.SIGSTOP), {TIMEOUT}, by_deadline=True, early=set()),
    "kill-supervisor": Injury(kill_supervisor, {LOST}, early=set()),
    "stop-supervisor": Injury(stop_supervisor, {TIMEOUT}, by_deadline=True),
    "term-supervisor": Injury(signal_supervisor(signal.SIGTERM), {(143, "signal")}, programs=["sleeper"], early=set()),
    "int-stubborn": Injury(signal_supervisor(signal.SIGINT), {(137, "killed")}, programs=["stubborn"], early={(130, "signal")}),
    "kill-both": Injury(kill_both, {LOST}, by_deadline=True, early=set()),
    "stop-both": Injury(stop_all, {TIMEOUT}, by_deadline=True),
    "stop-and-go": Injury(stop_and_go, {TIMEOUT}, by_deadline=True, early={GONE}),
    "freeze-program": Injury(write_cgroup("run/cgroup.freeze", "1"), {TIMEOUT}, by_deadline=True),
    "freeze-scope": Injury(write_cgroup("cgroup.freeze", "1"), {TIMEOUT}, by_deadline=True),
    "kill-scope": Injury(write_cgroup("cgroup.kill", "1"), {GONE, (137, "signal"), (137, "killed")}),
    "stop-then-kill": Injury(stop_then_kill, {TIMEOUT}, by_deadline=True),
    "kill-leaf": Injury(write_cgroup("run/cgroup.kill", "1"), {(137, "signal")}),
    "stop-unit": Injury(stop_unit, {(143, "killed"), (137, "killed")}),
}
