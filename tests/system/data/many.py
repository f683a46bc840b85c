# SPDX-License-Identifier: MIT
"""many.py --count N --at-once M -- CONFINE...: N sandboxes alive at the same time, M of them starting at a time.

Prints NAME VALUE lines: what went wrong ("bad"), how many lived, the PSS of a waiting supervisor and keeper, what a start takes
beside one and beside all of them, as the median of so many pairs of both, and the units and the memory of the manager before and after."""
import argparse
import os
import resource
import selectors
import signal
import statistics
import subprocess
import sys
import time

STARTS = 15


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def kib_of(path, name):
    return next((int(line.split()[1]) for line in read(path).splitlines() if line.startswith(name + ":")), 0)


def children(pid):
    return [int(word) for word in read("/proc/%d/task/%d/children" % (pid, pid)).split()]


class Many:
    def __init__(self, command, manager):
        self.command = command
        self.manager = "--" + manager
        self.alive = []
        self.bad = []

    def launch(self):
        return subprocess.Popen(self.command + ["--allow-run", "--", "sh", "-c", "echo ready; exec sleep 10000"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def start(self, count, at_once):
        """Until so many live, with so many starting at a time."""
        selector = selectors.DefaultSelector()
        n_left = count - len(self.alive)
        while n_left or selector.get_map():
            while n_left and len(selector.get_map()) < at_once:
                process = self.launch()
                selector.register(process.stdout, selectors.EVENT_READ, process)
                n_left -= 1
            for key, _ in selector.select():
                selector.unregister(key.fileobj)
                if key.fileobj.readline() == b"ready\n":
                    self.alive.append(key.data)
                else:
                    self.bad.append("start: %s %s" % (key.data.wait(), key.data.stderr.read().decode().strip()))
        selector.close()

    def latency(self):
        """Seconds of a start, in the middle of some."""
        times = []
        for _ in range(STARTS):
            begin = time.monotonic()
            result = subprocess.run(self.command + ["--", "true"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            times.append(time.monotonic() - begin)
            if result.returncode:
                self.bad.append("true: %d %s" % (result.returncode, result.stderr.decode().strip()))
        return statistics.median(times)

    def pss(self):
        """KiB of supervisors and of keepers, the middle ones of some."""
        some = self.alive[::max(1, len(self.alive) // 40)]
        keepers = [pid for process in some for pid in children(process.pid) if read("/proc/%d/comm" % pid) == "confine-keeper\n"]
        return (statistics.median(kib_of("/proc/%d/smaps_rollup" % process.pid, "Pss") for process in some),
                statistics.median(kib_of("/proc/%d/smaps_rollup" % pid, "Pss") for pid in keepers))

    def end(self, at_once):
        """So many at a time, too: journald takes five seconds at most for a record, whatever the number of those who wait."""
        while self.alive:
            some, self.alive = self.alive[:at_once], self.alive[at_once:]
            for process in some:
                process.send_signal(signal.SIGTERM)
            for process in some:
                status = process.wait()
                if status != -signal.SIGTERM:
                    self.bad.append("end: %d %s" % (status, process.stderr.read().decode().strip()))
                process.stdout.close()
                process.stderr.close()

    def units(self):
        text = subprocess.run(["systemctl", self.manager, "list-units", "--all", "--plain", "--no-legend"], stdout=subprocess.PIPE,
                              check=True).stdout.decode()
        return len(text.splitlines())

    def units_back_at(self, count):
        end = time.monotonic() + 30
        while self.units() > count and time.monotonic() < end:
            time.sleep(0.1)
        return self.units()


def manager_pid(option):
    if option == "system":
        return 1
    return int(subprocess.run(["systemctl", "show", "--value", "--property=MainPID", "user@%d.service" % os.getuid()],
                              stdout=subprocess.PIPE, check=True).stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--at-once", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=1)
    parser.add_argument("--manager", choices=["system", "user"], required=True)
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 3 * arguments.count + 100), hard))
    many = Many(arguments.command, arguments.manager)
    manager = "/proc/%d/status" % manager_pid(arguments.manager)
    before = many.units()
    many.start(min(arguments.count, 50), arguments.at_once)  # what the manager keeps of its first ones is not the point
    many.end(arguments.at_once)
    facts = {"units_before": many.units_back_at(before), "manager_kib_before": kib_of(manager, "VmRSS")}
    pairs = []
    for _ in range(arguments.pairs):
        many.start(1, 1)
        beside_1 = 1000 * many.latency()
        begin = time.monotonic()
        many.start(arguments.count, arguments.at_once)
        facts["starts_per_second"] = (arguments.count - 1) / (time.monotonic() - begin)
        facts["alive"] = sum(process.poll() is None for process in many.alive)
        facts["supervisor_pss_kib"], facts["keeper_pss_kib"] = many.pss()
        beside_all = 1000 * many.latency()
        facts["manager_kib_beside_all"] = kib_of(manager, "VmRSS")
        many.end(arguments.at_once)
        pairs.append((beside_all / beside_1, beside_1, beside_all))
    facts["start_ms_beside_1"] = statistics.median(pair[1] for pair in pairs)
    facts["start_ms_beside_all"] = statistics.median(pair[2] for pair in pairs)
    ratios = [pair[0] for pair in pairs]
    facts["ratio"], facts["ratio_min"], facts["ratio_max"] = statistics.median(ratios), min(ratios), max(ratios)
    facts["units_after"] = many.units_back_at(facts["units_before"])
    facts["manager_kib_after"] = kib_of(manager, "VmRSS")
    for name, value in facts.items():
        print(name, round(value, 2))
    for text in many.bad[:20]:
        print("bad", text.replace("\n", " "))
    return 1 if many.bad else 0


if __name__ == "__main__":
    sys.exit(main())
