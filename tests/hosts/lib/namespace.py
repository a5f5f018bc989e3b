# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces that belong to this process and go with it."""
import ctypes
import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .program import Program, command
from .undo import undo

PREFIX = "weirtest"
CLONE_NEWNET = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)


class Namespace:
    def __init__(self, name):
        self.name = f"{PREFIX}-{os.getpid()}-{name}"
        command(["ip", "netns", "add", self.name])
        undo.push(lambda: command(["ip", "netns", "delete", self.name]))
        self.set("net.ipv6.conf.all.accept_dad", 0)
        self.set("net.ipv6.conf.default.accept_dad", 0)
        self.set("net.ipv6.conf.default.router_solicitations", 0)
        self.set("net.ipv6.conf.default.accept_ra", 0)
        self.ip("link", "set", "lo", "up")

    def run(self, *words, seconds=20, allowed=(0,)):
        return command([*self.prefix(), *map(str, words)], seconds, allowed)

    def start(self, *words, log):
        return Program([str(word) for word in words], log, self.prefix())

    def ip(self, *words):
        return command(["ip", "-n", self.name, *map(str, words)])

    def set(self, key, value):
        self.run("sysctl", "-qw", f"{key}={value}")

    def prefix(self):
        return ["ip", "netns", "exec", self.name]

    @contextmanager
    def entered(self):
        """Sockets and devices opened inside belong to the namespace, also afterwards. Only for
        the main thread: a child started inside would be of this namespace too."""
        with open("/proc/thread-self/ns/net", "rb") as home, \
                open(f"/run/netns/{self.name}", "rb") as there:
            enter(there)
            try:
                yield
            finally:
                enter(home)


def enter(handle):
    if libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def scratch_folder():
    """For logs and sockets; short, since a UNIX socket's path has at most 107 characters."""
    remove_left_over()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}-{os.getpid()}-"))
    undo.push(lambda: shutil.rmtree(folder))
    return folder


def remove_left_over():
    """What a test made that was killed itself; the name tells whose it was."""
    places = [Path("/run/netns"), Path(tempfile.gettempdir())]
    for place in places:
        for entry in place.glob(f"{PREFIX}-*"):
            owner = re.fullmatch(rf"{PREFIX}-(\d+)-\w+", entry.name)
            if not owner or Path("/proc", owner.group(1)).exists():
                continue
            if place == places[0]:
                command(["ip", "netns", "delete", entry.name], allowed=(0, 1))
            else:
                shutil.rmtree(entry, ignore_errors=True)
