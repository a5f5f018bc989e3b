# SPDX-License-Identifier: BSD-3-Clause
"""The harness itself, with testpmd as a wire between two hosts: what fails here is not weir's."""
from lib import frames, require, rig, runner, tagged, testpmd


class HostsOnAWire(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*require.hosts, require.programs("dpdk-testpmd", "iperf3"), require.cores(2))
        cls.rig = rig.Rig(hosts=2)
        cls.left, cls.right = cls.rig.hosts
        for number, host in enumerate(cls.rig.hosts, 1):
            host.add_address(f"10.1.0.{number}/24")
            host.add_address(f"fd00:1::{number}/64")
        cls.start_wire()

    @classmethod
    def start_wire(cls):
        cls.wire = testpmd.TestpmdWire(
            cls.rig.folder, ["net_af_packet0,iface=p0", "net_af_packet1,iface=p1"],
            cls.rig.switch_side)

    def test_pings_over_ipv4_and_ipv6(self):
        for address in ("10.1.0.2", "fd00:1::2"):
            result = self.left.ping(address)
            self.assertEqual(result.lost, 0, result.text)

    def test_fills_the_largest_frame(self):
        # 1472 + 8 (ICMP) + 20 (IPv4) = 1500 bytes, the MTU.
        result = self.left.ping("10.1.0.2", payload=1472, more=("-M", "do"))
        self.assertEqual(result.lost, 0, result.text)

    def test_iperf3_moves_bytes(self):
        for more in ((), ("-R",)):
            result = self.left.iperf3_to(self.right, "10.1.0.2", seconds=1, more=more)
            print(f"\n    {result}")
            self.assertGreater(result.bytes_received, 0)

    def test_tagged_hosts_talk(self):
        for number, host in enumerate(self.rig.hosts, 1):
            tagged.add_tagged(host, frames.Tag(20, 5), f"10.20.0.{number}/24")
        result = self.left.ping("10.20.0.2")
        self.assertEqual(result.lost, 0, result.text)

    def test_tags_are_seen_with_their_priority(self):
        watching, sending = frames.RawSocket(self.right), frames.RawSocket(self.left)
        sent = frames.experiment(self.right.mac, self.left.mac, 7, frames.Tag(30, 6))
        sending.send(sent)
        self.assertEqual(watching.frames(5, frames.is_experiment, enough=1), [sent])

    def test_nothing_passes_while_the_wire_is_away_and_everything_after(self):
        self.wire.kill()
        self.assertEqual(self.left.ping("10.1.0.2", count=1, wait=1).received, 0)
        self.start_wire()
        result = self.left.ping("10.1.0.2")
        self.assertEqual(result.lost, 0, result.text)


if __name__ == "__main__":
    runner.run(seconds=200)
