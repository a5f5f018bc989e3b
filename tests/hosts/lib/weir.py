# SPDX-License-Identifier: BSD-3-Clause
"""The switch under test: its configuration, its process and its console."""
import os
import socket
import time
from pathlib import Path

from .program import CommandFailed, Program, wait_until

START_SECONDS = 30
CONSOLE_SECONDS = 10
NO_HUGEPAGES = ("--no-huge", "-m", "256")
HUGEPAGES = ("-m", "128")


def binary():
    return Path(os.environ.get("WEIR", Path(__file__).resolve().parents[3] / "build" / "weir"))


def af_packet_port(index, **more):
    """Port p{index} on the veth end of the same name."""
    return {"name": f"p{index}", "device": f"net_af_packet{index},iface=p{index}", **more}


def vhost_port(index, path, **more):
    return {"name": f"p{index}", "device": f"net_vhost{index},iface={path},queues=1", **more}


class Weir:
    def __init__(self, folder, config, namespace=None, memory=NO_HUGEPAGES):
        self.folder = folder
        self.namespace = namespace
        self.memory = memory
        self.file = folder / "weir.yaml"
        self.socket_path = folder / "console"
        self.starts = 0
        self.save(config)
        self.start()

    def start(self):
        self.starts += 1
        words = [str(binary()), "--no-pci", "--no-telemetry", *self.memory,
                 f"--file-prefix=weirtest-{os.getpid()}", "--", "-c", str(self.file),
                 "--socket", str(self.socket_path)]
        self.program = Program(words, self.folder / f"weir-{self.starts}.log",
                               self.namespace.prefix() if self.namespace else ())
        wait_until(self.answers, START_SECONDS, "weir's console answers", self.program)

    def answers(self):
        try:
            return "p0" in self.console("show port stats all", seconds=2)
        except OSError:
            return False

    def save(self, config):
        """Whole or not at all, as an editor does: the running switch watches the file."""
        fresh = self.file.with_suffix(".new")
        fresh.write_text("\n".join(yaml_lines(config)) + "\n")
        fresh.rename(self.file)

    def console(self, line, seconds=CONSOLE_SECONDS):
        """The answer to a line; the switch puts a NUL byte behind it."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(str(self.socket_path))
            connection.sendall(line.encode() + b"\n")
            text = b""
            while not text.endswith(b"\0"):
                data = connection.recv(65536)
                if not data:
                    raise OSError(f"the console ended in its answer to '{line}'")
                text += data
        return text[:-1].decode()

    def stop(self):
        """In the polite way. A switch that has to be killed, or ends with an error, failed."""
        code = self.program.stop()
        if code != 0:
            raise CommandFailed(f"weir ended with {code}")

    def kill(self):
        self.program.kill()


def yaml_lines(value, indent=0):
    """Block style, as in the example files; lists of plain values stay on a line."""
    space = " " * indent
    if isinstance(value, dict):
        for key, inner in value.items():
            if is_plain(inner):
                yield f"{space}{key}: {plain_text(inner)}"
            else:
                yield f"{space}{key}:"
                yield from yaml_lines(inner, indent + 2)
    else:
        for item in value:
            first, *rest = yaml_lines(item, indent + 2)
            yield f"{space}- {first.lstrip()}"
            yield from rest


def is_plain(value):
    if isinstance(value, dict):
        return not value
    return not isinstance(value, list) or not any(isinstance(item, dict) for item in value)


def plain_text(value):
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return f"[{', '.join(plain_text(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    # Quoted, since a bare "fd00:1::1/64" or "10:20" means something else to YAML.
    return f'"{value}"' if isinstance(value, str) and ":" in value else str(value)


def settled(check, seconds=10):
    """Waits until the check gives something true, and gives it back; None after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := check():
            return found
        time.sleep(0.1)
    return None
