# SPDX-License-Identifier: BSD-3-Clause
"""Two FRR routers with two links between them, a host behind each, and a stream across.

    host 1 - router 1 == wire 1, wire 2 == router 2 - host 2       each a network namespace

A wire is a namespace with a bridge, so that a cut of it is silent at both routers.
"""

import contextlib
import json
import os
import re
import shutil
import time

import packet_stream
import peer_process

DAEMONS = "/usr/lib/frr"
READY_SECONDS = 90
CUT_SECONDS = 15  # only ends what has failed already
AFTER_SECONDS = 0.5
PACKETS_PER_SECOND = 4000
HOST_PORT = 9000

ROUTER = """router bgp 6500{own}
 bgp router-id 10.9.255.{own}
 no bgp ebgp-requires-policy
 bgp bestpath as-path multipath-relax
 timers bgp 3 9
{neighbors} address-family ipv4 unicast
  redistribute connected
  maximum-paths 2
 exit-address-family
"""
NEIGHBOR = """ neighbor 10.9.{wire}.{peer} remote-as 6500{peer}
 neighbor 10.9.{wire}.{peer} timers connect 1
 neighbor 10.9.{wire}.{peer} advertisement-interval 0
 neighbor 10.9.{wire}.{peer} bfd profile fast
"""
PROFILE = """bfd
 profile fast
  detect-multiplier {multiplier}
  transmit-interval {interval_ms}
  receive-interval {interval_ms}
"""


class BgpPair:
    """Made by running(); cut_once() may be called again and again."""

    def __init__(self, place, interval_ms, multiplier, undo):
        self.place = place
        self.prefix = f"weir-failover-{os.getpid()}"
        self.undo = undo
        for name in ("host1", "host2", "router1", "router2", "wire1", "wire2"):
            self.add_namespace(name)
        for router in (1, 2):
            self.join(f"host{router}", "eth0", f"router{router}", "host")
            for wire in (1, 2):
                self.join(f"router{router}", f"wire{wire}", f"wire{wire}", f"r{router}")
        self.address_all()
        for router in (1, 2):
            self.start_router(router, interval_ms, multiplier)

    def namespace(self, name):
        return f"{self.prefix}-{name}"

    def ip(self, name, *words):
        return peer_process.call(["ip", "-n", self.namespace(name), *words],
                                 self.place.environment())

    def add_namespace(self, name):
        environment = self.place.environment()
        peer_process.call(["ip", "netns", "add", self.namespace(name)], environment)
        self.undo.callback(peer_process.call,
                           ["ip", "netns", "delete", self.namespace(name)], environment)
        self.ip(name, "link", "set", "lo", "up")

    def join(self, one, interface, other, peer):
        self.ip(one, "link", "add", interface, "type", "veth", "peer", "name", peer, "netns",
                self.namespace(other))
        self.ip(one, "link", "set", interface, "up")
        self.ip(other, "link", "set", peer, "up")

    def address_all(self):
        for number in (1, 2):
            subnet = f"10.9.{100 + number}"
            self.ip(f"host{number}", "address", "add", f"{subnet}.2/24", "dev", "eth0")
            self.ip(f"router{number}", "address", "add", f"{subnet}.1/24", "dev", "host")
            self.ip(f"host{number}", "route", "add", "default", "via", f"{subnet}.1")
            self.inside(f"router{number}", "sysctl", "-qw", "net.ipv4.ip_forward=1")
            for wire in (1, 2):
                self.ip(f"router{number}", "address", "add", f"10.9.{wire}.{number}/24", "dev",
                        f"wire{wire}")
        for wire in ("wire1", "wire2"):
            self.ip(wire, "link", "add", "bridge", "type", "bridge")
            self.ip(wire, "link", "set", "bridge", "up")
            for end in ("r1", "r2"):
                self.ip(wire, "link", "set", end, "master", "bridge")

    def inside(self, name, *words):
        return peer_process.call(["ip", "netns", "exec", self.namespace(name), *words],
                                 self.place.environment())

    def start_router(self, own, interval_ms, multiplier):
        folder = os.path.join(self.place.folder, f"router{own}-{interval_ms}")
        os.mkdir(folder)
        # The daemons give up root.
        shutil.chown(folder, "frr", "frr")
        os.chmod(self.place.folder, 0o711)
        peer = 3 - own
        neighbors = "".join(NEIGHBOR.format(wire=wire, peer=peer) for wire in (1, 2))
        texts = {"zebra": "", "bfdd": PROFILE.format(interval_ms=interval_ms,
                                                     multiplier=multiplier),
                 "bgpd": ROUTER.format(own=own, neighbors=neighbors)}
        for daemon, text in texts.items():
            conf = os.path.join(folder, daemon + ".conf")
            with open(conf, "w", encoding="ascii") as file:
                file.write(text)
            shutil.chown(conf, "frr", "frr")
            words = [f"{DAEMONS}/{daemon}", "-f", conf, "-P", "0",
                     "-i", os.path.join(folder, daemon + ".pid"), "-z",
                     os.path.join(folder, "zserv"), "--vty_socket", folder, "--log", "stdout"]
            if daemon == "bfdd":
                words += ["--bfdctl", os.path.join(folder, "bfdd.sock")]
            process = peer_process.Process(
                self.place, ["ip", "netns", "exec", self.namespace(f"router{own}"), *words],
                f"router{own}-{interval_ms}-{daemon}", cores=os.sched_getaffinity(0))
            self.undo.callback(process.stop)
            process.wait_for(lambda name=daemon: os.path.exists(
                os.path.join(folder, name + ".vty")) or None, READY_SECONDS, "socket")
        setattr(self, f"folder{own}", folder)

    def ready(self):
        """Both routers know two ways to the other's host, and all BFD sessions are up."""
        for own in (1, 2):
            routes = self.ip(f"router{own}", "route", "show", f"10.9.{103 - own}.0/24")
            if len(re.findall("nexthop", routes)) != 2:
                return None
            text = peer_process.call(
                ["vtysh", "--vty_socket", getattr(self, f"folder{own}"), "-d", "bfdd", "-c",
                 "show bfd peers json"], self.place.environment())
            states = [peer["status"] for peer in json.loads(text)]
            if states.count("up") != 2:
                return None
        return True

    def wait_until_ready(self):
        deadline = time.monotonic() + READY_SECONDS
        while not self.ready():
            if time.monotonic() > deadline:
                raise peer_process.BenchError("FRR: the routers do not find each other")
            time.sleep(0.2)

    def packets_over(self, wire):
        text = self.ip(f"wire{wire}", "-j", "-s", "link", "show", "dev", "r1")
        return json.loads(text)[0]["stats64"]["rx"]["packets"]

    def wire_in_use(self):
        """Which of the two the stream goes by."""
        before = [self.packets_over(wire) for wire in (1, 2)]
        time.sleep(0.3)
        moved = [self.packets_over(wire) - count for wire, count in zip((1, 2), before)]
        return 1 if moved[0] > moved[1] else 2

    def cut_once(self):
        """(ms without a packet, packets lost) of one cut; the wire is whole again afterwards."""
        self.wait_until_ready()
        wire = f"wire{self.wire_in_use()}"
        self.stream.start_window()
        self.ip(wire, "link", "set", "r2", "nomaster")
        try:
            outage = self.stream.wait_for_outage(CUT_SECONDS, AFTER_SECONDS)
        finally:
            self.ip(wire, "link", "set", "r2", "master", "bridge")
        if outage is None:
            raise peer_process.BenchError("FRR: the stream did not come back")
        return outage


@contextlib.contextmanager
def running(place, interval_ms, multiplier):
    """A pair with its stream; everything is gone afterwards, whatever happens."""
    if not os.path.exists(f"{DAEMONS}/bgpd"):
        raise peer_process.BenchError("not installed: frr")
    with contextlib.ExitStack() as undo:
        pair = BgpPair(place, interval_ms, multiplier, undo)
        pair.wait_until_ready()
        pair.stream = packet_stream.PacketStream(
            pair.namespace("host1"), pair.namespace("host2"), ("10.9.102.2", HOST_PORT),
            PACKETS_PER_SECOND)
        undo.callback(pair.stream.stop)
        yield pair
