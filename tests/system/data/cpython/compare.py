#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs CPython's own test suite outside and inside the sandbox and compares: compare.py short|all CONFINE [OPTION...]

Prints a line for each module, `ok` or `not ok` and what was compared, and comments below it. Beside this file,
    modules    what is special about a module: that it is in the short run, the grants it has inside, why it is left out
    denied     the tests that pass outside and not inside, each with the capability that it lacks
A test that passes outside has to pass inside, or is listed there. What is listed has to fail inside and, where its capability is
one that an option grants, to pass with that option."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess
import sys
import tempfile

from test.libregrtest.findtests import findtests

HERE = os.path.dirname(os.path.abspath(__file__))
RUNNER = os.path.join(HERE, "runner.py")
# As a run without write grants has it.
PYTHON = ["/usr/bin/python3", "-X", "utf8", "-B"]
# For one run of a module; the longest take a quarter of that.
SECONDS = 150
# The capabilities that options grant.
OPTIONS = {"process": ["--allow-run"], "network": ["--allow-net"], "file-size": ["-p", "LimitFSIZE=64G"]}
# Of several outcomes of a test the worst counts.
WORST = ("ok", "skip", "fail")
NOT_REACHED = ("fail", "not reached")


def rows(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.rstrip("\n").split(" ", 1) for line in file if line.strip() and line[0] != "#"]


class Tables:
    def __init__(self):
        # A name that ends in .* is that of a class, and every test in it.
        self.denied = {}
        for capability, rest in rows("denied"):
            parent, *tests = rest.split()
            self.denied |= {f"test.{parent}.{test}": capability for test in tests}
        self.short, self.grants, self.left_out = [], {}, {}
        for word, rest in rows("modules"):
            if word == "short":
                self.short += rest.split()
            elif word == "out":
                name, reason = rest.split(" ", 1)
                self.left_out[name] = reason
            else:
                self.grants |= dict.fromkeys(rest.split(), [word])

    def row_of(self, test):
        """The name that stands for the test in the list, or None."""
        # What has failed may be the preparation of a class, which is called so.
        parent = test.removeprefix("setUpClass (").removesuffix(")") if " (" in test else test.rpartition(".")[0]
        return next((name for name in (test, parent + ".*") if name in self.denied), None)

    def lacks(self, test):
        return self.denied.get(self.row_of(test))

    def modules(self, which):
        names = [name.removeprefix("test.") for name in findtests()]
        unknown = {*self.short, *self.grants} - set(names)
        if unknown:
            raise ValueError(f"modules: there is no {unknown}")
        return self.short if which == "short" else [name for name in names if name not in self.left_out]


class Suite:
    def __init__(self, tables, confine):
        self.tables = tables
        self.confine = confine
        self.seen = set()
        # Outside the same environment, but for its directory.
        words = subprocess.run([*confine, "/usr/bin/env", "-0"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.environment = dict(word.split("=", 1) for word in words.split("\0") if word)

    def outside(self, module):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
            places = {"TMPDIR": directory, "HOME": directory}
            return self.outcomes(PYTHON, module, (), self.environment | places)

    def inside(self, module, tests=(), options=()):
        grants = self.tables.grants.get(module, [])
        options = [option for option in options if option not in grants]
        return self.outcomes([*self.confine, f"--timeout={SECONDS}", *grants, *options], module, tests)

    def outcomes(self, prefix, module, tests, environment=None):
        """{id: (word, why)}, and why the run broke off, if it did."""
        left_out = ["-" + name for name in self.tables.left_out if name.startswith("test.")]
        command = [*prefix, RUNNER, module, *left_out, *tests]
        # Files, since a pipe would stay open as long as what a test has left behind.
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+", errors="replace") as errors:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True
            )
            try:
                # confine has the same deadline, and ends its run itself.
                status = process.wait(SECONDS + 10)
            except subprocess.TimeoutExpired:
                status = "that of the deadline"
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            lines = read(output)
            found = {}
            for word, test, why in (line.split("\t", 2) for line in lines if not line.startswith("end")):
                if test not in found or WORST.index(word) > WORST.index(found[test][0]):
                    found[test] = word, why
            if status == 0 and lines and lines[-1].startswith("end"):
                return found, None
            return found, f"broke off with status {status}: {(read(errors) or [''])[-1][:200]}"

    def compare(self, module):
        """What is wrong, how many tests pass on both sides, and how many are listed."""
        lacks = self.tables.lacks
        outside, broken = self.outside(module)
        wrong = [f"outside it {broken}"] if broken else []
        passed = {test for test, (word, _) in outside.items() if word == "ok"}
        inside, broken = self.inside(module)
        wrong += [f"inside it {broken}"] if broken else []
        # Beside tests there is the end of a class or a module, which has an outcome only if it fails.
        tests = passed | {test for test, (word, _) in inside.items() if word == "fail" and test not in outside}
        failed = {test: outcome for test in tests if (outcome := inside.get(test, NOT_REACHED))[0] != "ok"}
        if not broken:
            wrong += [f"passes outside and not inside: {test}: {': '.join(why)}" for test, why in failed.items() if not lacks(test)]
        wrong += [f"is listed as denied, and passes: {test}" for test in passed - failed.keys() if lacks(test)]
        listed = [test for test in failed if lacks(test)]
        for capability in {lacks(test) for test in listed}:
            words = capability.split("+")
            if all(word in OPTIONS for word in words):
                options = [option for word in words for option in OPTIONS[word]]
                wrong += self.granted(module, options, [test for test in listed if lacks(test) == capability])
        self.seen |= {self.tables.row_of(test) for test in outside}
        return wrong, len(passed - failed.keys()), len(listed)

    def granted(self, module, options, tests):
        """What does not pass with what it lacks."""
        found, broken = self.inside(module, tests, options)
        return [
            f"does not pass with {' '.join(options)}: {test}: {broken or ': '.join(outcome)}"
            for test in tests
            if (outcome := found.get(test, NOT_REACHED))[0] != "ok"
        ]


def read(file):
    file.seek(0)
    return file.read().splitlines()


def report(module, wrong, n_passed, n_listed):
    print("not ok" if wrong else "ok", f"{module}: {n_passed} pass outside and inside, {n_listed} lack what is listed", flush=True)
    for text in wrong:
        print("#", text, flush=True)


def main():
    which, *confine = sys.argv[1:]
    tables = Tables()
    suite = Suite(tables, confine)
    again = []
    # More than there are processors, since many tests wait most of their time.
    with concurrent.futures.ThreadPoolExecutor(3 * os.cpu_count()) as pool:
        runs = {pool.submit(suite.compare, module): module for module in tables.modules(which)}
        for run in concurrent.futures.as_completed(runs):
            if run.result()[0]:
                again.append(runs[run])
            else:
                report(runs[run], *run.result())
    # Once more, alone: a busy machine breaks tests of times, outside as well as inside. What is denied is denied again.
    for module in again:
        report(module, *suite.compare(module))
    if which == "all":
        unknown = sorted(tables.denied.keys() - suite.seen)
        print("not ok" if unknown else "ok", "every test of the list is there", *unknown[:20])


main()
