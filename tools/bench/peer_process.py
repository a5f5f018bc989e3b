# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program of the peers bench: limits, pinning, output, CPU share, a sure end."""

import ctypes
import os
import resource
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
# A poll-mode program burns one CPU second per second and worker, so this ends even one whose
# parent could not; a run takes --seconds plus a few.
CPU_SECONDS_MAX = 600
STOP_SECONDS = 10
POLL_SECONDS = 0.02

_libc = ctypes.CDLL(None, use_errno=True)


class BenchError(Exception):
    """A program could not be measured; the text says why."""


class Place:
    """What all programs of a run share: cores, memory and a private folder."""

    def __init__(self, main_core, worker_core, huge, folder):
        self.main_core = main_core
        self.worker_core = worker_core
        self.huge = huge
        self.folder = folder

    def eal_memory(self):
        """EAL's memory options: the same for every program."""
        return ["-m", "256", "--huge-unlink"] if self.huge else ["--no-huge", "-m", "256"]

    def environment(self, **more):
        """EAL keeps its sockets and files below RUNTIME_DIRECTORY, so they go with the folder."""
        return {**os.environ, "RUNTIME_DIRECTORY": self.folder, "LC_ALL": "C", **more}


def _in_child(cores):
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_MAX, CPU_SECONDS_MAX))
    os.sched_setaffinity(0, cores)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        # Where the kernel groups tasks by session, it weighs the group, not the task.
        with open("/proc/self/autogroup", "w", encoding="ascii") as group:
            group.write("-20")
    except OSError:
        pass  # The table shows the share of the core that each program got.


class Process:
    """A started program with its output in a file; stop() ends it by its pid.

    Threads that the program does not pin itself run on `cores`: on the main core, so that they
    leave the worker alone.
    """

    def __init__(self, place, command, name, environment=None, with_input=False, cores=None):
        self.log_path = os.path.join(place.folder, name + ".log")
        with open(self.log_path, "wb") as log:
            self._child = subprocess.Popen(
                command, stdin=subprocess.PIPE if with_input else subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, cwd=place.folder,
                env=environment or place.environment(), start_new_session=True,
                preexec_fn=lambda: _in_child(cores or {place.main_core}))
        self.name = name
        self.pid = self._child.pid

    def log(self):
        """All output so far."""
        with open(self.log_path, encoding="utf-8", errors="replace") as log:
            return log.read()

    def failure(self, what):
        """The error that says what went wrong and what the program said last."""
        last = "\n    ".join(self.log().strip().splitlines()[-8:])
        return BenchError(f"{self.name}: {what}\n    {last}")

    def write(self, text):
        """Types a line into the program."""
        try:
            self._child.stdin.write(text.encode())
            self._child.stdin.flush()
        except BrokenPipeError:
            raise self.failure("ended early") from None

    def wait_for(self, ready, seconds, what):
        """Polls ready() until it returns something other than None."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = ready()
            if found is not None:
                return found
            if self._child.poll() is not None:
                raise self.failure(f"ended with {self._child.returncode} before {what}")
            time.sleep(POLL_SECONDS)
        raise self.failure(f"no {what} within {seconds} s")

    def wait_for_end(self, seconds):
        """The exit status, when the program has ended by itself."""
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise self.failure(f"did not end within {seconds} s") from None

    def worker_cpu_seconds(self, worker_core):
        """CPU time used so far by the threads that may run on worker_core only."""
        ticks = 0
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            if os.sched_getaffinity(int(thread)) == {worker_core}:
                with open(f"/proc/{self.pid}/task/{thread}/stat", encoding="ascii") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self):
        """Asks the program to end, then makes it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._child.poll() is None:
                self._child.send_signal(number)
            try:
                self._child.wait(STOP_SECONDS)
                break
            except subprocess.TimeoutExpired:
                continue
        if self._child.stdin:
            try:
                self._child.stdin.close()
            except BrokenPipeError:
                pass


def call(command, environment, seconds=15):
    """Runs a short command and returns all it printed."""
    try:
        done = subprocess.run(command, env=environment, timeout=seconds, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        raise BenchError(f"{command[0]}: no answer within {seconds} s") from None
    if done.returncode != 0:
        raise BenchError(f"{' '.join(command)}: {done.stdout.strip()}")
    return done.stdout
