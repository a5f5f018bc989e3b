# SPDX-License-Identifier: BSD-3-Clause
"""Numbered UDP packets at a constant rate from one namespace to another, and their gaps."""

import ctypes
import os
import signal
import socket
import struct
import threading
import time

CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG = 1
PR_SET_TIMERSLACK = 29
SO_TIMESTAMPNS = 35  # the kernel's time of arrival; this process may be late
NUMBER = struct.Struct("!Q")
TIMESPEC = struct.Struct("qq")

_libc = ctypes.CDLL(None, use_errno=True)


def socket_in(namespace):
    """A UDP socket that belongs to the namespace; this thread stays where it is."""
    with open("/proc/thread-self/ns/net", "rb") as home, \
            open(f"/run/netns/{namespace}", "rb") as there:
        for handle in (there, home):
            if handle is home:
                made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            if _libc.setns(handle.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
    return made


def send_forever(sender, packets_per_second):
    """At the rate, in small steps; what was missed by a late wake-up is sent at once."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    _libc.prctl(PR_SET_TIMERSLACK, 1)
    start, number = time.monotonic(), 0
    while True:
        due = int((time.monotonic() - start) * packets_per_second)
        while number < due:
            try:
                sender.send(NUMBER.pack(number))
            except OSError:
                pass  # no route for a moment: the packet is lost like others
            number += 1
        time.sleep(1 / packets_per_second)


class Window:
    """The longest gap between two packets of which one in between is missing."""

    def __init__(self):
        self.last = None  # (number, seconds)
        self.lost = 0
        self.gap_ms = 0.0
        self.came_back_at = None

    def add(self, number, seconds):
        if self.last is not None and number > self.last[0] + 1:
            self.lost += number - self.last[0] - 1
            gap_ms = 1000 * (seconds - self.last[1])
            if gap_ms > self.gap_ms:
                self.gap_ms = gap_ms
                self.came_back_at = time.monotonic()
        if self.last is None or number > self.last[0]:
            self.last = (number, seconds)


class PacketStream:
    """Runs from the beginning until stop()."""

    def __init__(self, source, destination, address, packets_per_second):
        self.receiver = socket_in(destination)
        self.receiver.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.receiver.bind(address)
        self.receiver.settimeout(0.1)
        sender = socket_in(source)
        sender.connect(address)
        self.child = os.fork()
        if self.child == 0:
            try:
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_DFL)
                send_forever(sender, packets_per_second)
            finally:
                os._exit(1)
        sender.close()
        self.window = Window()
        self.ended = False
        self.thread = threading.Thread(target=self.receive, daemon=True)
        self.thread.start()

    def receive(self):
        while not self.ended:
            try:
                data, about, _, _ = self.receiver.recvmsg(64, 64)
            except TimeoutError:
                continue
            seconds, nanoseconds = TIMESPEC.unpack(about[0][2])
            self.window.add(NUMBER.unpack(data)[0], seconds + nanoseconds / 1e9)

    def start_window(self):
        """Forgets all gaps until now."""
        fresh = Window()
        fresh.last = self.window.last
        self.window = fresh

    def wait_for_outage(self, seconds, quiet_seconds):
        """(ms, packets lost) when packets have come for so long after a gap; None: never."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            back = self.window.came_back_at
            if back is not None and time.monotonic() - back > quiet_seconds:
                return self.window.gap_ms, self.window.lost
            time.sleep(0.02)
        return None

    def stop(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.ended = True
        self.thread.join()
        self.receiver.close()
