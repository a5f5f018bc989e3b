# SPDX-License-Identifier: BSD-3-Clause
"""Runs the tests of a file. Exit code: 0 passed, 1 failed, 77 everything was skipped."""
import sys
import time
import unittest

from . import program, undo

SKIPPED = 77


class Case(unittest.TestCase):
    """Unmakes what the class made before the next class begins."""

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(undo.undo.run, len(undo.undo.actions))


class Result(unittest.TextTestResult):
    """Adds the ends of the programs' logs to a failure, before the clean-up removes them."""

    def startTest(self, test):
        self.started = time.monotonic()
        super().startTest(test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        show_logs(self.stream)

    def addError(self, test, err):
        super().addError(test, err)
        show_logs(self.stream)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.stream.writeln(f"    {time.monotonic() - self.started:.1f} s")


def show_logs(stream):
    for log in program.logs:
        stream.write(f"---- end of {log.name}\n{program.tail(log)}\n")


def run(seconds):
    """Call it as the last line of a test file; `seconds` is the limit for the whole file."""
    undo.install(seconds)
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    tests = suite.countTestCases()
    try:
        result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result).run(suite)
    except undo.Stopped as reason:
        show_logs(sys.stdout)
        sys.exit(f"stopped: {reason}")
    undo.undo.run()
    for _, reason in result.skipped:
        print(f"skipped: {reason}")
    if not result.wasSuccessful() or tests == 0:
        sys.exit(1)
    if len(result.skipped) >= result.testsRun:
        sys.exit(SKIPPED)
