#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a module of CPython's own test suite, without some tests of it, or only some: runner.py MODULE [-TEST-ID...] [TEST-ID...]

Each outcome is a line: ok, skip or fail, a tab, the id of the test, a tab, why. The same program runs outside and inside the
sandbox. Nothing is started: the module runs in this process, without the resources that the suite takes only when asked."""

import os
import socket
import sys
import tempfile
import unittest

from test import support
from test.libregrtest.setup import setup_process
from test.support import socket_helper


def id_of(test):
    # Some tests have an attribute of that name.
    return id_of(test.test_case) if isinstance(test, unittest.case._SubTest) else type(test).id(test)


class Outcomes(unittest.TestResult):
    """Tells each outcome at once, since a test may end the process. A test has several if its parts have."""

    def __init__(self, descriptor):
        super().__init__()
        self.descriptor = descriptor

    def tell(self, word, test, why=""):
        self.write(word, id_of(test), " ".join(str(why).split())[:200])

    def write(self, *words):
        os.write(self.descriptor, ("\t".join(words) + "\n").encode("utf-8", "backslashreplace"))

    def addSuccess(self, test):
        self.tell("ok", test)

    def addExpectedFailure(self, test, err):
        self.tell("ok", test)

    def addUnexpectedSuccess(self, test):
        self.tell("fail", test, "unexpected success")

    def addSkip(self, test, reason):
        self.tell("skip", test, reason)

    def addFailure(self, test, err):
        self.tell("fail", test, f"{err[0].__name__}: {err[1]}")

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.addFailure(subtest, err)


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def main():
    module, *words = sys.argv[1:]
    left_out = {word[1:] for word in words if word[0] == "-"}
    wanted = {word for word in words if word[0] != "-"}
    outcomes = Outcomes(os.dup(1))
    # Tests write whatever they like.
    os.dup2(2, 1)
    # What they make they make in a directory of this run, and some import it from there.
    os.chdir(tempfile.mkdtemp())
    sys.path[0] = os.getcwd()
    setup_process()
    support.verbose = 0
    support.use_resources = ()
    # A decorator finds out by itself, but expects that bind fails, not socket: whole modules could not be imported.
    try:
        socket.socket(socket.AF_UNIX).close()
    except OSError as error:
        socket_helper._bind_nix_socket_error = error
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName("test." + module)
    except unittest.SkipTest as reason:
        outcomes.write("skip", "test." + module, str(reason))
    else:
        if words:
            tests = (test for test in tests_of(suite) if id_of(test) not in left_out)
            suite = unittest.TestSuite(test for test in tests if not wanted or id_of(test) in wanted)
        suite.run(outcomes)
    outcomes.write("end", "", "")
    # A thread that a failed test has left is not to keep the process.
    os._exit(0)


# Processes that multiprocessing spawns import this file.
if __name__ == "__main__":
    main()
