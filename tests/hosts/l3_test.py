# SPDX-License-Identifier: BSD-3-Clause
"""weir as a router between Linux hosts, each in a subnet of its own."""
import socket

from lib import require, runner
from lib.frames import RawSocket, mac_bytes
from lib.rig import Rig
from lib.weir import Weir, af_packet_port, settled

NEEDS = (*require.hosts, require.programs("iperf3"))
TTL_AT = 14 + 8
PROTOCOL_AT = 14 + 9
ICMP = 1
UDP = 17
FLOWS = 64


class RoutedHosts(runner.Case):
    """Host i is 10.i.0.2 and fd00:i::2. Hosts 2 and 3 also both own 10.9.0.1."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*NEEDS)
        cls.rig = Rig(hosts=3)
        for number, host in enumerate(cls.rig.hosts, 1):
            host.add_address(f"10.{number}.0.2/24")
            host.add_address(f"fd00:{number}::2/64")
            host.add_route("default", f"10.{number}.0.1")
            host.add_route("default", f"fd00:{number}::1")
        for host in cls.rig.hosts[1:]:
            host.add_address("10.9.0.1/32", "lo")
        cls.weir = Weir(cls.rig.folder, {
            "switch": {"name": "r1"},
            "ports": [af_packet_port(i, addresses=[f"10.{i + 1}.0.1/24", f"fd00:{i + 1}::1/64"])
                      for i in range(3)],
            "routes": [{"prefix": "10.9.0.0/16", "via": ["10.2.0.2", "10.3.0.2"]}],
            "neighbor_reachable": "1s",
        }, cls.rig.switch_side)
        cls.left, cls.right, cls.third = cls.rig.hosts

    @classmethod
    def tearDownClass(cls):
        cls.weir.stop()

    def test_answers_pings_itself(self):
        for address in ("10.1.0.1", "fd00:1::1", "10.2.0.1", "fd00:2::1"):
            result = self.left.ping(address)
            self.assertEqual(result.lost, 0, result.text)

    def test_first_ping_after_start_waits_for_resolution_and_passes(self):
        for address in ("10.2.0.2", "fd00:2::2", "10.3.0.2"):
            result = self.left.ping(address)
            self.assertEqual(result.lost, 0, result.text)

    def test_fills_the_largest_frame(self):
        result = self.left.ping("10.2.0.2", payload=1472, more=("-M", "do"))
        self.assertEqual(result.lost, 0, result.text)

    def test_iperf3_both_ways(self):
        for more in ((), ("-R",), ("-6",)):
            address = "fd00:2::2" if "-6" in more else "10.2.0.2"
            result = self.left.iperf3_to(self.right, address, more=more)
            print(f"\n    iperf3 {' '.join(more)}: {result}", end="")
            self.assertGreater(result.bytes_received, 0)

    def test_one_hop_is_taken_from_the_ttl(self):
        watching = RawSocket(self.right)
        self.assertEqual(self.left.ping("10.2.0.2", count=1, ttl=9).lost, 0)
        (echo,) = watching.frames(5, lambda frame: is_ipv4(frame, ICMP), enough=1)
        self.assertEqual(echo[TTL_AT], 8)
        self.assertEqual(echo[0:6], mac_bytes(self.right.mac))

    def test_last_hop_is_told_by_the_router(self):
        for address, router, words in (("10.2.0.2", "10.1.0.1", "Time to live exceeded"),
                                       ("fd00:2::2", "fd00:1::1", "Time exceeded: Hop limit")):
            result = self.left.ping(address, count=1, ttl=1)
            self.assertEqual(result.received, 0)
            self.assertRegex(result.text, rf"From {router} icmp_seq=1 {words}")
            self.assertEqual(self.left.ping(address, count=1, ttl=2).lost, 0)

    def test_unknown_destination_is_told_by_the_router(self):
        result = self.left.ping("10.200.0.1", count=1)
        self.assertRegex(result.text, "From 10.1.0.1 icmp_seq=1 Destination Net Unreachable")

    def test_host_resolves_the_router_again(self):
        for address, router in (("10.2.0.2", "10.1.0.1"), ("fd00:2::2", "fd00:1::1")):
            self.left.forget_neighbours()
            self.assertEqual(self.left.neighbour(router), (None, None))
            self.assertEqual(self.left.ping(address).lost, 0)
            mac, _ = self.left.neighbour(router)
            self.assertIsNotNone(mac, router)

    def test_flows_spread_over_both_next_hops(self):
        watching = [RawSocket(host) for host in (self.right, self.third)]
        with self.left.entered():
            senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(FLOWS)]
        for number, sender in enumerate(senders):
            sender.bind(("10.1.0.2", 20000 + number))
            sender.sendto(b"flow", ("10.9.0.1", 9))
            sender.close()
        ports = [set(), set()]

        def all_seen():
            for seen, each in zip(ports, watching):
                for frame in each.frames(0.1, lambda frame: is_ipv4(frame, UDP)):
                    seen.add(int.from_bytes(frame[34:36], "big"))
            return len(ports[0] | ports[1]) == FLOWS

        self.assertTrue(settled(all_seen), ports)
        self.assertEqual(ports[0] & ports[1], set())
        # By chance all 64 on one of two would be 2^-63.
        print(f"\n    {len(ports[0])} and {len(ports[1])} flows", end="")
        self.assertTrue(ports[0] and ports[1])

    def test_neighbour_with_a_new_card_is_found(self):
        self.assertEqual(self.left.ping("10.3.0.2").lost, 0)
        with self.subTest("announced"):
            self.third.set("net.ipv4.conf.eth0.arp_notify", 1)
            self.third.ip("link", "set", "eth0", "address", "02:00:00:00:03:01")
            self.assertTrue(settled(self.third_answers), "not found after its announcement")
        with self.subTest("silent"):
            self.third.set("net.ipv4.conf.eth0.arp_notify", 0)
            self.third.ip("link", "set", "eth0", "address", "02:00:00:00:03:02")
            self.assertTrue(settled(self.third_answers, 20), "not found when resolved anew")

    def third_answers(self):
        return self.left.ping("10.3.0.2", count=1, wait=0.5).received


def is_ipv4(frame, protocol):
    return frame[12:14] == b"\x08\x00" and frame[PROTOCOL_AT] == protocol


if __name__ == "__main__":
    runner.run(seconds=270)
