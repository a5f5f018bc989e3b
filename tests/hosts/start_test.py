# SPDX-License-Identifier: BSD-3-Clause
"""tools/start, as a newcomer types it: with and without a terminal, and what it leaves behind."""
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import termios
import time

from lib import require, runner

TREE = pathlib.Path(__file__).resolve().parents[2]
PROMPT = "weir:leaf1> "
LIMIT = 120  # seconds; only ends what has failed already
HUGEPAGES = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")


def left_behind(pid):
    """Everything that a run of tools/start with this process id is the owner of."""
    name = f"weir-start-{pid}"
    found = [str(path) for folder in ("/run/netns", "/tmp")
             for path in pathlib.Path(folder).glob(f"{name}*")]
    processes = subprocess.run(["ps", "-o", "pid=,args=", "-s", str(pid)], capture_output=True,
                               text=True, check=False).stdout
    return found + processes.splitlines()


class Terminal:
    """tools/start in a terminal of its own."""

    def __init__(self, *words):
        self.text = ""
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.execv(TREE / "tools/start", ["tools/start", *words])

    def read_until(self, pattern):
        """What came since the last call, up to and with the pattern."""
        deadline = time.monotonic() + LIMIT
        while True:
            match = re.search(pattern, self.text)
            if match:
                taken, self.text = self.text[:match.end()], self.text[match.end():]
                return taken
            ready, _, _ = select.select([self.handle], [], [], 0.5)
            if ready:
                try:
                    self.text += os.read(self.handle, 65536).decode(errors="replace")
                except OSError:  # The other side is closed.
                    raise AssertionError(f"ended before {pattern!r}:\n{self.text}") from None
            elif time.monotonic() > deadline:
                raise AssertionError(f"not in {LIMIT} s: {pattern!r}:\n{self.text}")

    def type(self, text):
        os.write(self.handle, text.encode())

    def echoes(self):
        return bool(termios.tcgetattr(self.handle)[3] & termios.ECHO)

    def wait(self):
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
            if select.select([self.handle], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.handle, 65536).decode(errors="replace")
                except OSError:
                    time.sleep(0.1)
        raise AssertionError(f"did not end in {LIMIT} s:\n{self.text}")

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGTERM)
            os.waitpid(self.pid, 0)
        os.close(self.handle)


class Start(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*require.hosts)
        if not (TREE / "build/build.ninja").exists():
            cls.skipTest(cls, "tools/start uses the folder build/, which is not set up")

    def terminal(self):
        terminal = Terminal()
        self.addCleanup(terminal.close)
        return terminal

    def run_without_terminal(self, *words):
        """What it printed; it ended well and left nothing."""
        before = HUGEPAGES.read_text() if HUGEPAGES.exists() else None
        with subprocess.Popen([TREE / "tools/start", *words], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as run:
            out, err = run.communicate(timeout=LIMIT + 60)
        self.assertEqual(run.returncode, 0, out + err)
        self.assertEqual(left_behind(run.pid), [])
        if before is not None:
            self.assertEqual(HUGEPAGES.read_text(), before)
        return out

    def check_example(self, example):
        self.assertEqual(self.run_without_terminal("--check", example),
                         f"{example}: 2000 of 2000 RoCEv2 frames arrived over 16 queue pairs: "
                         "0 with a wrong ICRC, 0 missing, 0 reordered\n")

    def test_check_proves_that_frames_cross_a_switch(self):
        self.check_example("two-port-l2")

    def test_check_proves_that_frames_cross_a_fabric(self):
        self.check_example("fabric-in-a-box")

    def test_the_demonstration_of_failure_keeps_its_streams(self):
        """Two links are cut in turn; both streams go on, and both links come back into use."""
        out = self.run_without_terminal("--demo", "failure", "--check")
        found = re.fullmatch(r"2 links fell silent under 2 RoCEv2 streams: (\d+) of (\d+) frames "
                             r"lost, (\d+) reordered, 0 damaged; the worst flow .*\n", out)
        self.assertTrue(found, out)
        lost, sent, _ = map(int, found.groups())
        self.assertGreater(lost, 0, "nothing was cut")
        self.assertGreater(sent, 1000)

    def test_the_console_shows_traffic_and_quit_leaves_nothing(self):
        terminal = self.terminal()
        pid = terminal.pid
        terminal.read_until(re.escape(PROMPT))
        seen = set()
        deadline = time.monotonic() + LIMIT
        while len(seen) < 2 and time.monotonic() < deadline:
            terminal.type("show port stats all\r")
            seen.update(re.findall(r"received  frames: (\d{3,})", terminal.read_until(
                re.escape(PROMPT))))
        self.assertGreater(len(seen), 1, "the counters do not move")
        terminal.type("quit\r")
        self.assertEqual(terminal.wait(), 0, terminal.text)
        self.assertIn("0 wrong ICRC", terminal.text)
        self.assertEqual(left_behind(pid), [])

    def test_ctrl_c_leaves_nothing_and_the_terminal_as_it_was(self):
        terminal = self.terminal()
        pid = terminal.pid
        terminal.read_until(re.escape(PROMPT))
        self.assertFalse(terminal.echoes(), "the console edits lines by itself")
        terminal.type("\x03")
        self.assertEqual(terminal.wait(), 130, terminal.text)
        self.assertTrue(terminal.echoes())
        self.assertEqual(left_behind(pid), [])

    def test_without_a_terminal_it_says_what_to_do(self):
        run = subprocess.run([TREE / "tools/start"], capture_output=True, text=True, timeout=LIMIT,
                             stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("tools/start --check", run.stderr)


if __name__ == "__main__":
    runner.run(570)
