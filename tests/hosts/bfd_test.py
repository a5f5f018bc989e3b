# SPDX-License-Identifier: BSD-3-Clause
"""Sessions of links with FRR's bfdd, a BFD speaker that is not ours: over IPv4 and IPv6.

The timers are long (200 ms x 5), as for a machine whose cores are not ours alone."""
import re

from lib import require, runner
from lib.frr import Frr, daemons
from lib.rig import Rig
from lib.weir import Weir, af_packet_port, settled

V4, V6 = "10.1.0.1", "fd00:2::1"
PEER_V4 = "peer 10.1.0.1 local-address 10.1.0.2 interface eth0"
PEER_V6 = "peer fd00:2::1 local-address fd00:2::2 interface eth0"
SLOW = {"desired_min_tx": "200ms", "required_min_rx": "200ms", "detect_mult": 5}
TIMERS = (" detect-multiplier 5", " receive-interval 200", " transmit-interval 200")


def config(timers):
    return {
        "switch": {"name": "r1"},
        "ports": [
            af_packet_port(0, addresses=["10.1.0.1/24"],
                           link={"peer": "10.1.0.2", "hold_down": "100ms", "damping": "0s",
                                 **timers}),
            af_packet_port(1, addresses=["fd00:2::1/64"],
                           link={"peer": "fd00:2::2", "hold_down": "100ms", "damping": "0s",
                                 **timers}),
        ],
    }


class WithFrr(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*require.hosts, daemons, require.programs("vtysh"))
        cls.rig = Rig(hosts=2)
        left, right = cls.rig.hosts
        left.add_address("10.1.0.2/24")
        right.add_address("fd00:2::2/64")
        for folder in ("v4", "v6"):
            (cls.rig.folder / folder).mkdir()
        cls.left = Frr(left, cls.rig.folder / "v4", [PEER_V4, *TIMERS])
        cls.right = Frr(right, cls.rig.folder / "v6", [PEER_V6, *TIMERS])
        cls.weir = Weir(cls.rig.folder, config(SLOW), cls.rig.switch_side)

    @classmethod
    def tearDownClass(cls):
        cls.weir.stop()
        cls.left.stop()
        cls.right.stop()

    def setUp(self):
        self.weir.save(config(SLOW))
        self.come_up()
        self.weir.console("clear stats")

    def come_up(self):
        for port, frr, address in ((0, self.left, V4), (1, self.right, V6)):
            up = settled(lambda: self.is_up(port, frr, address), seconds=30)
            self.assertTrue(up, f"{self.link(port)}\n{frr.peers()}")

    def is_up(self, port, frr, address):
        return (frr.peers().get(address, {}).get("status") == "up" and
                re.search(r"\) +\S+ +usable +up +up ", self.link(port)))

    def link(self, port):
        return self.weir.console(f"show links p{port}")

    def wait_for_link(self, port, pattern, seconds=30):
        found = settled(lambda: re.search(pattern, self.link(port)), seconds)
        self.assertTrue(found, f"no '{pattern}' in\n{self.link(port)}")

    def wait_for_peer(self, frr, address, **wanted):
        def has_all():
            peer = frr.peers()[address]
            return all(peer.get(key.replace("_", "-")) == value for key, value in wanted.items())
        self.assertTrue(settled(has_all, 30), f"not {wanted}:\n{frr.peers()[address]}")

    def assert_no_flap(self):
        for port in (0, 1):
            self.assertRegex(self.link(port), r"usable +up +up +0 ")

    def test_comes_up_over_ipv4_and_ipv6(self):
        for frr, address in ((self.left, V4), (self.right, V6)):
            peer = frr.peers()[address]
            self.assertEqual(peer["status"], "up")
            self.assertEqual(peer["remote-detect-multiplier"], 5)
            self.assertEqual(peer["remote-transmit-interval"], 200)
            self.assertEqual(peer["remote-receive-interval"], 200)
            self.assertNotEqual(peer["remote-id"], 0)
        for port in (0, 1):
            self.assertRegex(self.link(port), r"we send every +200\.000 us|200000\.000 us")
            self.assertRegex(self.link(port), r"lost after +1000000\.000 us of silence")
            self.assertRegex(self.link(port), r"discarded +none")

    def test_survives_timer_changes_by_poll_sequences(self):
        """Of both ends, longer and shorter; each is told to the other and nobody goes down."""
        before = self.left.counters(V4)["session-down"]
        self.weir.save(config({"desired_min_tx": "300ms", "required_min_rx": "250ms",
                               "detect_mult": 7}))
        for frr, address in ((self.left, V4), (self.right, V6)):
            self.wait_for_peer(frr, address, remote_transmit_interval=300,
                               remote_receive_interval=250, remote_detect_multiplier=7)
        self.wait_for_link(0, r"we send every +300000\.000 us\n")
        self.left.configure(PEER_V4, "transmit-interval 400", "receive-interval 500",
                            "detect-multiplier 6")
        self.wait_for_link(0, r"we send every +500000\.000 us\n")
        self.wait_for_link(0, r"lost after +2400000\.000 us")  # 6 x max(250, 400) ms
        self.left.configure(PEER_V4, "transmit-interval 200", "receive-interval 200",
                            "detect-multiplier 5")
        self.weir.save(config(SLOW))
        self.wait_for_link(0, r"lost after +1000000\.000 us")
        self.wait_for_link(0, r"we send every +200000\.000 us\n")
        self.assert_no_flap()
        self.assertEqual(self.left.counters(V4)["session-down"], before)

    def test_the_operator_takes_it_down(self):
        self.addCleanup(self.weir.console, "set link p0 up")
        self.weir.console("set link p0 down")
        self.wait_for_peer(self.left, V4, status="down", remote_diagnostic="administratively down")
        self.assertIn("down by operator", self.link(0))
        self.assertRegex(self.link(1), r"usable +up +up")
        self.weir.console("set link p0 up")
        self.come_up()

    def test_the_peer_takes_it_down(self):
        self.addCleanup(self.left.configure, PEER_V4, "no shutdown")
        self.left.configure(PEER_V4, "shutdown")
        self.wait_for_link(0, r"session down +down +admin down")
        self.assertIn("neighbor signaled down (peer: administratively down)", self.link(0))
        self.left.configure(PEER_V4, "no shutdown")
        self.come_up()

    def test_both_notice_a_silent_cut(self):
        self.addCleanup(self.weir.console, "set link p0 none")
        self.weir.console("set link p0 silent-drop")
        self.wait_for_link(0, r"session down +down .*detection time expired")
        self.wait_for_peer(self.left, V4, status="down",
                           diagnostic="control detection time expired")
        self.assertRegex(self.link(1), r"usable +up +up")
        self.weir.console("set link p0 none")
        self.come_up()
        self.assertRegex(self.link(0), r"usable +up +up +1 ")

    def test_the_peer_dies_and_comes_back(self):
        self.right.kill_bfdd()
        self.wait_for_link(1, r"session down +down .*detection time expired")
        self.right.start_bfdd()
        self.come_up()

    def test_weir_ends_and_comes_back(self):
        self.weir.stop()
        for frr, address in ((self.left, V4), (self.right, V6)):
            self.wait_for_peer(frr, address, status="down",
                               diagnostic="control detection time expired")
        self.weir.start()
        self.come_up()


if __name__ == "__main__":
    runner.run(seconds=280)
