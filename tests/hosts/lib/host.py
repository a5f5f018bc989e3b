# SPDX-License-Identifier: BSD-3-Clause
"""A Linux host on a port of the switch, and the programs it runs."""
import json
import re
from dataclasses import dataclass

from .namespace import Namespace
from .program import wait_until

# The switch under test sees whole frames with their checksums: nothing is left to a NIC.
OFFLOADS = ["rx", "tx", "sg", "tso", "gso", "gro", "rxvlan", "txvlan"]


@dataclass
class Ping:
    sent: int
    received: int
    text: str

    @property
    def lost(self):
        return self.sent - self.received


@dataclass
class Transfer:
    megabits_per_second: float
    bytes_received: int
    retransmits: int


class Host(Namespace):
    """`eth0` is its cable to the switch."""

    def __init__(self, name, mac, folder):
        super().__init__(name)
        self.mac = mac
        self.folder = folder
        self.servers = 0

    def add_address(self, address, interface="eth0"):
        words = ["nodad"] if ":" in address else []
        self.ip("address", "add", address, "dev", interface, *words)

    def add_route(self, prefix, gateway):
        self.ip("route", "add", prefix, "via", gateway)

    def ping(self, address, *, count=3, interval=0.2, payload=56, ttl=64, wait=2, more=()):
        text = self.run("ping", "-n", "-c", count, "-i", interval, "-s", payload, "-t", ttl, "-W",
                        wait, *more, address, seconds=count * (interval + wait) + 10,
                        allowed=(0, 1))
        return read_ping(text)

    def start_ping(self, address, *, count, interval):
        """In the background; read its result with ping_result when it has ended."""
        self.servers += 1
        return self.start("ping", "-n", "-c", count, "-i", interval, "-W", 2, address,
                          log=self.folder / f"{self.name}-ping{self.servers}.log")

    def iperf3_to(self, server, address, *, seconds=2, more=()):
        """Sends to (with "-R": receives from) an iperf3 server at `address` on `server`."""
        server.servers += 1
        port = 5200 + server.servers
        log = server.folder / f"{server.name}-iperf3-{server.servers}.log"
        serving = server.start("iperf3", "-s", "-1", "-B", address, "-p", port, log=log)
        wait_until(lambda: f":{port}" in server.run("ss", "-Hltn"), 10, "iperf3 listens", serving)
        report = json.loads(self.run("iperf3", "-J", "-c", address, "-p", port, "-t", seconds,
                                     *more, seconds=seconds + 30, allowed=(0, 1)))
        serving.stop()
        if "error" in report:
            raise AssertionError(f"iperf3: {report['error']}")
        received, sent = report["end"]["sum_received"], report["end"]["sum_sent"]
        return Transfer(received["bits_per_second"] / 1e6, received["bytes"],
                        sent.get("retransmits", 0))

    def neighbour(self, address):
        """(MAC address, state) of an entry of the neighbour table, (None, None) without one."""
        entries = json.loads(self.ip("-j", "neighbor", "show", "dev", "eth0") or "[]")
        for entry in entries:
            if entry["dst"] == address:
                return entry.get("lladdr"), entry["state"][0]
        return None, None

    def forget_neighbours(self):
        self.ip("neighbor", "flush", "all")


def ping_result(program, seconds):
    program.wait(seconds)
    return read_ping(program.output())


def read_ping(text):
    found = re.search(r"(\d+) packets transmitted, (\d+) received", text)
    if not found:
        raise AssertionError(f"ping gave no result:\n{text}")
    return Ping(int(found.group(1)), int(found.group(2)), text)


def plain_frames(namespace, interface):
    """Turns off what a NIC would do for the kernel, as far as the device knows the feature."""
    for feature in OFFLOADS:
        namespace.run("ethtool", "-K", interface, feature, "off", allowed=(0, 1, 79, 95))
