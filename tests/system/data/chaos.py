# SPDX-License-Identifier: MIT
"""chaos.py --seed S --rounds N ...: runs of confine under random injuries, in an environment that is disturbed at random.

A round is one run with one injury; those of a batch go at the same time, in one environment. What happens in batch B is
decided by the seed and B alone: --only B does that one again. Every run must end with a status and a cause that are true of
what was done to it, and after every batch nothing may be left. Prints a comment for each batch; to stderr go "bad:"
for each promise that was broken, and "done: KIND N" for how often each injury and environment was really reached."""
import argparse
import collections
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time

from chaos_injuries import GRACE, INJURIES, LASTING, LONG, LOST, NO_TIME, PROGRAMS, TIMEOUT, send
from chaos_world import ENVIRONMENTS, World

class Run:
    def __init__(self, world, rng, number, kind=None):
        """kind: this one, when it runs, where nothing is left to chance."""
        self.world = world
        self.rng = rng
        self.number = number
        self.kind = kind or world.injury or deal(list(INJURIES) + ["none"] * 2, world.seed, number)
        self.injury = INJURIES[self.kind]
        programs = [name for name in self.injury.programs if name != "oom" or world.limits]
        self.program = rng.choice(programs)
        self.early = not kind and self.injury.early is not None and rng.random() < 0.4
        # The moment is what is tested: while it starts.
        self.delay = rng.uniform(0, world.start_seconds) if self.early else None
        self.deadline = world.short if self.injury.by_deadline and self.program in LASTING else LONG
        self.descriptors = rng.randint(3, 40) if self.kind == "few-descriptors" else None
        self.result = os.path.join(world.directory, "result.%d" % number)
        self.stderr = os.path.join(world.stderr_directory, "err.%d" % number)
        self.process = self.end = None
        self.ready = self.reached = self.late = self.gave_up = False
        self.began = self.ended = self.limit = 0

    def __str__(self):
        return "round %d: %s %s, %s" % (self.number, self.kind, self.program,
                                        "after %d ms" % (self.delay * 1000) if self.early else "when it ran")

    def command(self):
        script, _, words = PROGRAMS[self.program]
        return self.world.command + ["--result=" + self.result, "--timeout=%dms" % (self.deadline * 1000),
                                     "-p", "TimeoutStopSec=%dms" % (GRACE * 1000),
                                     "-p", "StartTimeoutSec=%ds" % (self.world.patience // 2)] + words + ["--", "sh", "-c", script]

    def limit_descriptors(self):
        if self.descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

    def children(self):
        try:
            with open("/proc/%d/task/%d/children" % (self.process.pid, self.process.pid), encoding="ascii") as file:
                return [int(word) for word in file.read().split()]
        except OSError:
            return []

    def worker(self):
        """It is the first that is forked, and reaped only at the end."""
        return next(iter(self.children()), None)

    def keeper(self):
        return next(iter(self.children()[1:]), None)

    def scope(self):
        path = self.world.cgroup_of(self.keeper() or 0) or ""
        return path[:path.index(".scope") + 6] if ".scope" in path and "/confine-" in path else None

    def start(self):
        with open(self.stderr, "wb") as stderr:
            try:
                self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                                                preexec_fn=self.limit_descriptors, cwd="/", **self.world.identity)
            except OSError as error:  # the environment took what this driver needs, too
                self.end = "not started: %s" % error

    def live(self):
        """In a thread of its own: starts, is injured, ends."""
        self.world.go.wait()
        self.began = time.monotonic()
        self.limit = self.began + self.world.patience + (self.deadline if self.injury.by_deadline else 0)
        self.start()
        if not self.process:
            return
        self.injure()
        if self.kind == "stop-unit":
            # Not done before: a user's manager that has lost its bus does nothing for 90 s.
            self.limit = max(self.limit, time.monotonic() + self.world.patience)
        if not self.reached and not self.injury.by_deadline and self.process.poll() is None:
            self.gave_up = send(self.process.pid, signal.SIGKILL)  # what was to be its end cannot be done
        while self.process.poll() is None and time.monotonic() < self.limit:
            time.sleep(0.01)
        if self.process.poll() is None:
            self.world.complain("%s: does not end, state %s" % (self, self.world.state_of(self.process.pid)))
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.end = self.process.returncode
        self.ended = time.monotonic()
        # A signal can be sent to what has ended, too. Whom SIGKILL does not end, that was before it.
        if LOST in self.injury.ends and self.end != -signal.SIGKILL:
            self.reached = False

    def injure(self):
        if self.kind in ("none", "few-descriptors"):
            self.reached = True
            return
        if self.early:
            time.sleep(self.delay)
        else:
            self.ready = self.process.stdout.readline() == b"ready\n"
            if not self.ready:
                return
        ran = time.monotonic()
        # One that is to be done while it starts is done as soon as there is something to do it to.
        while True:
            self.reached = bool(self.injury.action(self))
            if self.reached or not self.early or self.process.poll() is not None:
                break
            time.sleep(0.002)
        self.late = time.monotonic() - ran > self.deadline - 0.2 and self.kind != "stop-both"

    def expected(self):
        own = PROGRAMS[self.program][1] or TIMEOUT
        ends = set(self.injury.ends) if self.reached else set()
        if self.gave_up:
            ends.add(LOST)
        if LOST in self.injury.ends:
            ends.add((LOST[0], own[1]))  # killed when it had told its own end already, and not yet gone
        if self.early:
            ends |= self.injury.early
            # Before it has read its signals, as before it was executed.
            ends |= {"term-supervisor": {(143, None)}, "int-stubborn": {(130, None)}}.get(self.kind, set())
        if self.kind == "few-descriptors":
            ends.add((127, None))  # for want of its libraries, says the linker
        if not self.reached or self.late or not ends or self.gave_up or self.kind == "few-descriptors":
            ends.add(own)
        if self.program in ("leaver", "stubborn") and self.world.environment in ("few-tasks", "few-files"):
            ends.add((2, "exit"))  # its own fork was refused
        if self.world.environment == "few-files":
            ends |= {(126, "exit"), (127, "exit")}  # and its own exec, or its child's libraries
        around = ENVIRONMENTS[self.world.environment].ends
        if LOST in self.injury.ends:
            ends |= {(LOST[0], cause) for _, cause in around}  # as above
        return ends | around

    def excused(self, record):
        """On a slow machine: it could not be started in its short time, or journald was busy. It says so, and that is known."""
        if record.get("error") == "AuditError":
            return self.world.journal_was_stuck(self.began, self.ended)
        return self.deadline != LONG and not self.ready and record.get("error") == "CreateTimeout" and bool(
            NO_TIME.match(record.get("reason", "")))

    def judge(self):
        if isinstance(self.end, str):
            return
        status = 128 - self.end if self.end < 0 else self.end
        fact, record = self.world.read_result(self.result), (None, None)
        if fact:
            record = (fact.get("cause"), fact.get("error"))
            if not fact.get("id"):  # not even its number could be drawn, for want of a descriptor: nothing began
                if record[0] not in ("refused", "error"):
                    self.world.complain("%s: %s without an id" % (self, record))
            elif self.world.environment != "full-disk":  # where journald has no room for it
                # One that could not be stored in time may be stored later, with the cause it had before.
                late = {cause for _, cause in self.expected()} if record[0] == "audit" else set()
                self.world.causes[fact.get("id")] = (record[0], late)
        end = (status, record[0])
        with open(self.stderr, encoding="utf-8", errors="replace") as file:
            said = [line for line in file.read().splitlines() if "Enforcement=best-effort" not in line]
        if end not in self.expected() and not self.result_lost(end, said) and not self.excused(fact or {}):
            self.world.complain("%s, in %s: ended with %s %s, not %s; it said: %s" % (
                self, self.world.environment, end, record[1], sorted(self.expected(), key=str), said))
        elif status == 125 and not any(line.endswith("]") for line in said):
            self.world.complain("%s: 125 without a named error: %s" % (self, said))

    def result_lost(self, end, said):
        """No result, for want of what the environment took: then that was said."""
        few = self.kind == "few-descriptors" or self.world.environment == "few-files"
        return end == (125, None) and few and any(line.endswith("]") for line in said)


def deal(cards, seed, number):
    """The card of this number: as from shuffled decks, so that none is missing for long."""
    deck = sorted(cards)
    random.Random("%s/%d/%s" % (seed, number // len(deck), deck)).shuffle(deck)
    return deck[number % len(deck)]


def batch(world, index, size):
    world.environment = deal(world.environments, world.seed, index)
    make(world, index, [Run(world, random.Random("%s/%d/%d" % (world.seed, index, i)), index * world.batch + i)
                        for i in range(size)])


def make_up(world, index):
    """The injuries that were always too late, or met runs that the environment had refused: once more, where it is calm."""
    missing = [kind for kind in INJURIES if kind != "none" and not world.done[kind] and not world.done[kind + " early"]]
    world.environment = "calm"
    for i in range(0, len(missing), world.batch):
        make(world, index, [Run(world, random.Random("%s/%d/%s" % (world.seed, index, kind)), index * world.batch + number, kind)
                            for number, kind in enumerate(missing[i:i + world.batch])])


def make(world, index, runs):
    rng = random.Random("%s/%d" % (world.seed, index))
    environment = world.environment
    begin = time.monotonic()
    threads = [threading.Thread(target=run.live) for run in runs]
    world.go = threading.Event()
    for thread in threads:  # before there may be no room for them
        thread.start()
    with world.disturbed(environment, rng):
        world.go.set()
        for thread in threads:
            thread.join()
    # Who lost its supervisor and its keeper ends when systemd has been told to end it.
    backstop = world.short + 2 * GRACE + 2 if any(run.kind == "kill-both" for run in runs) else 0
    world.wait_clean(backstop + world.slack, "batch %d, %s, %s" % (
        index, environment, [str(run) for run in runs if run.end in (-9, None)]))
    for run in runs:
        run.judge()
    world.compare_journal()
    print("# batch %d, %s, %.1f s: %s" % (index, environment, time.monotonic() - begin, ", ".join(
        "%s%s %s" % (run.kind, "" if run.reached else " (too late)", run.end) for run in runs)), flush=True)
    world.done.update(run.kind + (" early" if run.early else "") for run in runs if run.reached)
    world.done["in " + environment] += 1
    for run in runs:
        for path in (run.result, run.stderr):
            with contextlib.suppress(OSError):
                os.unlink(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--only", type=int, default=None)
    parser.add_argument("--environment", help="this one always")
    parser.add_argument("--injury", choices=list(INJURIES), help="this one always")
    World.add_arguments(parser)
    arguments = parser.parse_args()
    world = World(arguments)
    world.injury = arguments.injury
    world.done = collections.Counter()
    world.seed = arguments.seed
    if arguments.environment:
        world.environments = [arguments.environment]
    indices = [arguments.only] if arguments.only is not None else range((arguments.rounds + world.batch - 1) // world.batch)
    for index in indices:
        batch(world, index, min(world.batch, arguments.rounds - index * world.batch))
    if arguments.only is None and not arguments.injury and not arguments.environment:
        for again in range(3):
            make_up(world, len(indices) + again)
    print("# %d records agree" % world.n_agree)
    for kind, count in sorted(world.done.items()):
        print("done: %s %d" % (kind, count), file=sys.stderr)
    return 1 if world.n_bad else 0


if __name__ == "__main__":
    sys.exit(main())
