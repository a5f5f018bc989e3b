# SPDX-License-Identifier: BSD-3-Clause
"""weir as a bridge between Linux hosts: what a switch that nobody configured does, and VLANs."""
from lib import frames, require, runner
from lib.frames import RawSocket, Tag
from lib.rig import Rig
from lib.tagged import add_tagged
from lib.weir import Weir, af_packet_port

BROADCAST = "ff:ff:ff:ff:ff:ff"
NEEDS = (*require.hosts, require.programs("iperf3"))


class TransparentBridge(runner.Case):
    """Ports with neither VLANs nor addresses."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*NEEDS)
        cls.rig = Rig(hosts=3)
        for number, host in enumerate(cls.rig.hosts, 1):
            host.add_address(f"10.1.0.{number}/24")
            host.add_address(f"fd00:1::{number}/64")
        cls.weir = Weir(cls.rig.folder, {
            "switch": {"name": "s1"},
            "ports": [af_packet_port(i) for i in range(3)],
        }, cls.rig.switch_side)
        cls.left, cls.right, cls.third = cls.rig.hosts

    @classmethod
    def tearDownClass(cls):
        cls.weir.stop()

    def test_pings_over_ipv4_and_ipv6(self):
        for address in ("10.1.0.2", "fd00:1::2", "10.1.0.3", "fd00:1::3"):
            result = self.left.ping(address)
            self.assertEqual(result.lost, 0, result.text)

    def test_fills_the_largest_frame(self):
        # 1472 + 8 (ICMP) + 20 (IPv4) = 1500 bytes, the MTU of the cable.
        result = self.left.ping("10.1.0.2", payload=1472, more=("-M", "do"))
        self.assertEqual(result.lost, 0, result.text)

    def test_iperf3_both_ways(self):
        for more in ((), ("-R",), ("-6",)):
            address = "fd00:1::2" if "-6" in more else "10.1.0.2"
            result = self.left.iperf3_to(self.right, address, more=more)
            print(f"\n    iperf3 {' '.join(more)}: {result}", end="")
            self.assertGreater(result.bytes_received, 0)

    def test_known_destination_is_not_flooded(self):
        self.assertEqual(self.right.ping("10.1.0.1", count=1).lost, 0)
        right, third = RawSocket(self.right), RawSocket(self.third)
        left = RawSocket(self.left)
        left.send(frames.experiment(self.right.mac, self.left.mac, 1))
        self.assertEqual(len(received(right)), 1)
        last = frames.experiment(BROADCAST, self.left.mac, 2)
        left.send(last)
        # The broadcast was sent after the first frame had passed: it would come after it.
        self.assertEqual(received(third), [last])

    def test_tagged_frame_passes_unchanged(self):
        right, left = RawSocket(self.right), RawSocket(self.left)
        sent = frames.experiment(self.right.mac, self.left.mac, 3, Tag(100, 6))
        left.send(sent)
        self.assertEqual(received(right), [sent])

class Vlans(runner.Case):
    """Hosts 0 and 1 are in VLAN 10 and host 2 in VLAN 20, untagged. Hosts 3 and 4 tag their frames,
    host 3 as VLAN 10 and host 4 as VLAN 20, on ports that carry both."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*NEEDS)
        cls.rig = Rig(hosts=5)
        cls.hosts = cls.rig.hosts
        # One subnet for all: only the VLAN keeps them apart.
        for number, host in enumerate(cls.hosts[:3], 1):
            host.add_address(f"10.1.0.{number}/24")
        add_tagged(cls.hosts[3], Tag(10, 5), "10.1.0.4/24")
        add_tagged(cls.hosts[4], Tag(20, 2), "10.1.0.5/24")
        vlans = [{"native": 10}, {"native": 10}, {"native": 20},
                 {"native": 1, "tagged": [10, 20]}, {"native": 1, "tagged": [10, 20]}]
        cls.weir = Weir(cls.rig.folder, {
            "switch": {"name": "s1"},
            "ports": [af_packet_port(i, vlan=vlan) for i, vlan in enumerate(vlans)],
        }, cls.rig.switch_side)

    @classmethod
    def tearDownClass(cls):
        cls.weir.stop()

    def test_hosts_of_one_vlan_talk(self):
        for host, address in ((0, "10.1.0.2"), (0, "10.1.0.4"), (3, "10.1.0.2"), (2, "10.1.0.5"),
                              (4, "10.1.0.3")):
            result = self.hosts[host].ping(address)
            self.assertEqual(result.lost, 0, f"host {host} to {address}: {result.text}")

    def test_tagged_host_fills_the_largest_frame(self):
        result = self.hosts[3].ping("10.1.0.1", payload=1472, more=("-M", "do"))
        self.assertEqual(result.lost, 0, result.text)

    def test_hosts_of_different_vlans_do_not(self):
        for host, address in ((0, "10.1.0.3"), (2, "10.1.0.1"), (0, "10.1.0.5"), (3, "10.1.0.5")):
            self.assertEqual(self.hosts[host].ping(address, count=1, wait=1).received, 0,
                             f"host {host} to {address}")

    def test_untagged_frame_is_flooded_in_its_vlan_only(self):
        first, *others = [RawSocket(host) for host in self.hosts]
        first.send(self.broadcast(0, number=1))
        self.assertEqual(received(others[0]), [self.broadcast(0, number=1)])
        for tagging in others[2:]:
            self.assertEqual(received(tagging), [self.broadcast(0, number=1, tag=Tag(10))])
        # Host 2 gets what is sent afterwards in its VLAN, and nothing before it.
        others[2].send(self.broadcast(3, number=2, tag=Tag(20)))
        self.assertEqual(received(others[1]), [self.broadcast(3, number=2)])

    def test_tagged_frame_is_flooded_in_its_vlan_only(self):
        sockets = [RawSocket(host) for host in self.hosts]
        for number, vlan in enumerate((30, 20, 10)):
            sockets[3].send(self.broadcast(3, number=number, tag=Tag(vlan, 4)))
        # Each host's first frames, in the order sent: one that leaked would be among them.
        self.assertEqual(received(sockets[0]), [self.broadcast(3, number=2)])
        self.assertEqual(received(sockets[1]), [self.broadcast(3, number=2)])
        self.assertEqual(received(sockets[2]), [self.broadcast(3, number=1)])
        self.assertEqual(received(sockets[4], 2), [self.broadcast(3, number=1, tag=Tag(20, 4)),
                                                   self.broadcast(3, number=2, tag=Tag(10, 4))])

    def test_priority_in_the_tag_is_carried(self):
        third, fourth = RawSocket(self.hosts[3]), RawSocket(self.hosts[4])
        for priority in range(8):
            sent = frames.experiment(self.hosts[4].mac, self.hosts[3].mac, priority,
                                     Tag(10, priority))
            third.send(sent)
            self.assertEqual(received(fourth), [sent])

    def broadcast(self, sender, number, tag=None):
        return frames.experiment(BROADCAST, self.hosts[sender].mac, number, tag)


def received(watching, count=1):
    return watching.frames(5, frames.is_experiment, enough=count)


if __name__ == "__main__":
    runner.run(seconds=270)
