# SPDX-License-Identifier: BSD-3-Clause
"""What was made is unmade, last first: at the end, on a signal, and when the time is over."""
import atexit
import signal
import sys


class Stopped(KeyboardInterrupt):
    """The one kind of exception that neither a test nor unittest takes for a failed test."""


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


def stop(number, _frame):
    signal.alarm(0)
    reason = "the time limit of this test file is over" if number == signal.SIGALRM else \
        signal.Signals(number).name
    raise Stopped(reason)


def install(seconds):
    """`seconds` bounds everything up to the clean-up, which has limits of its own."""
    atexit.register(undo.run)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, stop)
    signal.alarm(seconds)
