# SPDX-License-Identifier: BSD-3-Clause
"""`weir` as a process with virtual ports: no hardware, no hugepages, no network interfaces."""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
START_SECONDS = 60
ESCAPES = re.compile(r"\x1b(\[[0-9;]*[A-Za-z]|[A-Z])")  # that move a terminal's cursor
ANSWER_SECONDS = 20

# Two ports that are joined to each other: each is always up and nothing ever arrives.
TWO_PORTS = """\
switch: {name: leaf}
frames: 4096
ports:
  - {name: left, device: "ring:a"}
  - {name: right, device: "ring:a"}
"""

ONE_END = """\
switch: {{name: {name}}}
frames: 4096
ports:
  - {{name: {name}-up, device: "ring:up"}}
"""


def binary():
    return str(os.environ.get("WEIR", ROOT / "build" / "weir"))


class Folder:
    """A temporary directory with a test's files."""

    def __init__(self):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="weir-console-"))

    def write(self, name, text):
        (self.path / name).write_text(text)
        return str(self.path / name)

    def name(self, name):
        return str(self.path / name)

    def remove(self):
        shutil.rmtree(self.path)


def command_line(words, eal=()):
    eal = ["--no-huge", "-m", "192", "--no-pci", *eal]
    return [binary(), *eal, "--", *words]


def run(words, text="", eal=()):
    """Runs to the end with `text` on stdin; a CompletedProcess."""
    return subprocess.run(command_line(words, eal), input=text, capture_output=True, text=True,
                          timeout=START_SECONDS, check=False)


def run_plain(words, text=""):
    """The same without EAL options."""
    return subprocess.run([binary(), *words], input=text, capture_output=True, text=True,
                          timeout=START_SECONDS, check=False)


class Background:
    """A switch that runs until it is told to end."""

    def __init__(self, words, log, eal=()):
        with open(log, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(command_line(words, eal), stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=subprocess.STDOUT)
        self.log = log

    def wait_for(self, check, what):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if check():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        text = pathlib.Path(self.log).read_text(encoding="utf-8")
        raise AssertionError(f"waited for {what}; weir said: {text}")

    def wait_for_socket(self, path):
        def answers():
            try:
                ask(path, "show switches")
                return True
            except OSError:
                return False
        self.wait_for(answers, f"a console at {path}")

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(ANSWER_SECONDS)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(ANSWER_SECONDS)


class Client:
    """The console's socket, spoken directly."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.socket.settimeout(ANSWER_SECONDS)  # before, connect() would not wait in line
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text.encode())

    def answer(self):
        """The next answer without its NUL; None at the end of the stream."""
        while b"\0" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return text.decode(errors="replace")

    def ask(self, line):
        self.send(line + "\n")
        return self.answer()

    def close(self):
        self.socket.close()


def ask(path, line):
    client = Client(path)
    try:
        return client.ask(line)
    finally:
        client.close()


class Terminal:
    """A program on a terminal of its own, as a person has it."""

    def __init__(self, words):
        self.seen = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(words[0], words)
        self.status = None

    def send(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, pattern, seconds=ANSWER_SECONDS):
        """What was printed up to and with `pattern`; the rest stays for the next call."""
        deadline = time.monotonic() + seconds
        while not (match := re.search(pattern, self.seen)):
            left = deadline - time.monotonic()
            ready = select.select([self.fd], [], [], max(left, 0))[0]
            data = b""
            if ready:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:  # EIO: the other end is closed
                    data = b""
            if not data:
                raise AssertionError(f"waited for {pattern!r}, got {self.seen!r}")
            self.seen = ESCAPES.sub("", self.seen + data.decode(errors="replace"))
        text, self.seen = self.seen[:match.end()], self.seen[match.end():]
        return text

    def end_status(self):
        """Waits for the end and gives the exit status."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < deadline:
            try:
                if select.select([self.fd], [], [], 0.05)[0]:
                    self.seen += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.status = os.waitstatus_to_exitcode(status)
                return self.status
        raise AssertionError(f"did not end: {self.seen!r}")

    def close(self):
        if self.status is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        os.close(self.fd)
