# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that never outlive the test, and commands with a time limit."""
import signal
import subprocess
import time
from pathlib import Path

from .undo import undo

# Logs of running programs; the runner prints their ends when a test fails.
logs = []

# The kernel kills the child when this process ends, even when it is killed with no chance to act.
WITH_PARENT = ["setpriv", "--pdeathsig", "KILL", "--"]


class CommandFailed(AssertionError):
    pass


def command(words, seconds=20, allowed=(0,), text_in=None):
    """Runs a short command to its end and gives back what it printed."""
    done = subprocess.run(WITH_PARENT + words, capture_output=True, text=True, timeout=seconds,
                          input=text_in, stdin=None if text_in is not None else subprocess.DEVNULL,
                          check=False)
    if done.returncode not in allowed:
        raise CommandFailed(f"{' '.join(words)}: exit code {done.returncode}\n"
                            f"{done.stdout}{done.stderr}")
    return done.stdout


class Program:
    """A long-running child. Its output goes to a log file."""

    def __init__(self, words, log, prefix=()):
        self.words = [*prefix, *words]
        self.log = Path(log)
        with open(self.log, "wb") as stream:
            self.process = subprocess.Popen(WITH_PARENT + self.words, stdin=subprocess.PIPE,
                                            stdout=stream, stderr=subprocess.STDOUT)
        logs.append(self.log)
        undo.push(self.stop)

    @property
    def pid(self):
        return self.process.pid

    def running(self):
        return self.process.poll() is None

    def output(self):
        return self.log.read_text(errors="replace")

    def wait_for_output(self, text, seconds):
        wait_until(lambda: text in self.output(), seconds, f"'{text}' in {self.log.name}", self)

    def wait(self, seconds):
        return self.process.wait(seconds)

    def stop(self, number=signal.SIGINT, seconds=10):
        """Ends it in the polite way, then by force; gives back the exit code."""
        if self.running():
            self.process.send_signal(number)
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait(5)
        self.forget()
        return code

    def kill(self):
        self.process.kill()
        self.process.wait(5)
        self.forget()

    def forget(self):
        self.process.stdin.close()
        if self.log in logs:
            logs.remove(self.log)


def wait_until(true_now, seconds, what, program=None):
    """Polls; the limit is only there to end a test that has failed already."""
    deadline = time.monotonic() + seconds
    while not true_now():
        if program is not None and not program.running():
            raise CommandFailed(f"{program.words[0]} ended with {program.process.returncode} "
                                f"while waiting for {what}:\n{tail(program.log)}")
        if time.monotonic() > deadline:
            raise CommandFailed(f"not in {seconds} s: {what}")
        time.sleep(0.02)


def tail(path, lines=40):
    return "\n".join(Path(path).read_text(errors="replace").splitlines()[-lines:])
