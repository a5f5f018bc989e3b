# SPDX-License-Identifier: BSD-3-Clause
"""What was made is unmade, last first: at the end, on a signal, and when the time is over."""
import atexit
import signal
import sys


class OutOfTime(BaseException):
    """Not an Exception, so that no test's `except Exception` swallows it."""


class UndoStack:
    def __init__(self):
        self.actions = []

    def push(self, action):
        self.actions.append(action)

    def run(self, down_to=0):
        while len(self.actions) > down_to:
            action = self.actions.pop()
            try:
                action()
            except Exception as problem:  # The remaining actions must run all the same.
                print(f"clean-up: {problem!r}", file=sys.stderr)


undo = UndoStack()


def end_on_signal(number, _frame):
    sys.exit(128 + number)


def end_on_alarm(_number, _frame):
    raise OutOfTime("the time limit of this test file is over")


def install(seconds):
    """`seconds` bounds everything up to the clean-up, which has limits of its own."""
    atexit.register(undo.run)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end_on_signal)
    signal.signal(signal.SIGALRM, end_on_alarm)
    signal.alarm(seconds)
