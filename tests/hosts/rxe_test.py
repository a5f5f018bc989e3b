# SPDX-License-Identifier: BSD-3-Clause
"""RoCEv2 as Linux speaks it, between two guests on weir's vhost-user ports."""
from lib import guest, rdma, require, runner
from lib.namespace import scratch_folder
from lib.weir import Weir, settled, vhost_port

NEEDS = (*guest.needs, require.programs("setpriv"), require.cores(2), guest.build_image)
# The RoCE MTU is the largest power of two that fits with the headers: here 4096.
GUEST_MTU = 4200
# The MTU, an Ethernet header and an 802.1Q tag.
FRAME_BYTES_MAX = GUEST_MTU + 14 + 4


class GuestsOnWeir:
    """Two guests and the tests that have to pass however weir joins them."""

    ports = ({}, {})
    addresses = ((), ())
    gateways = ((), ())

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*NEEDS)
        folder = scratch_folder()
        paths = [folder / "port0", folder / "port1"]
        cls.config = {
            "switch": {"name": "s1"},
            "frame_bytes_max": FRAME_BYTES_MAX,
            "ports": [vhost_port(i, path, **cls.ports[i]) for i, path in enumerate(paths)],
        }
        cls.weir = Weir(folder, cls.config)
        cls.guests = [guest.Guest(f"guest{i}", f"02:00:00:00:02:0{i}", path, folder)
                      for i, path in enumerate(paths)]
        for each, own, gateways in zip(cls.guests, cls.addresses, cls.gateways):
            each.wait_until_booted()
            each.set_up(*own, mtu=GUEST_MTU)
            for gateway in gateways:
                each.run(f"ip route add default via {gateway}")
        server, client = ([text.split("/")[0] for text in own] for own in cls.addresses)
        cls.over_ipv4 = rdma.Pair(*cls.guests, server[0], client[0], server[0])
        cls.over_ipv6 = rdma.Pair(*cls.guests, server[1], client[1], server[0])

    @classmethod
    def tearDownClass(cls):
        for each in cls.guests:
            each.qemu.kill()
        cls.weir.stop()

    def say(self, text):
        print(f"\n    {text}", end="")

    def test_ping(self):
        for pair in (self.over_ipv4, self.over_ipv6):
            received, text = pair.ping(3)
            self.assertEqual(received, 3, text)

    def test_roce_mtu_is_4096(self):
        for each in self.guests:
            self.assertEqual(each.path_mtu(), 4096)

    def test_rc_pingpong(self):
        for pair, name in ((self.over_ipv4, "IPv4"), (self.over_ipv6, "IPv6")):
            for mtu in (1024, 4096):
                figure = pair.rc_pingpong(message_bytes=8192, mtu=mtu)
                self.say(f"{name}, RoCE MTU {mtu}: {figure} us a round of 2 x 8192 B")

    def test_write_bw(self):
        for mtu in (1024, 4096):
            figure = self.over_ipv4.bandwidth("ib_write_bw", mtu=mtu)
            self.say(f"RoCE MTU {mtu}: {figure} MB/s")

    def test_send_bw(self):
        for pair, name in ((self.over_ipv4, "IPv4"), (self.over_ipv6, "IPv6")):
            self.say(f"{name}: {pair.bandwidth('ib_send_bw')} MB/s")

    def test_rping(self):
        for pair in (self.over_ipv4, self.over_ipv6):
            self.assertEqual(pair.rping(20), 20)

    def test_no_packet_is_lost(self):
        before = self.over_ipv4.counters()
        self.over_ipv4.bandwidth("ib_send_bw", iterations=500)
        # 500 messages of 65536 / 4096 packets each: fewer would mean nothing was measured.
        self.assert_nothing_lost(before, packets=500 * 16)

    def test_reload_under_traffic_loses_nothing(self):
        before = self.over_ipv4.counters()
        writing = self.over_ipv4.start_writing(seconds=5)
        for limit in (2, 3, 4):
            self.weir.save({**self.config, "queues": {"limit": f"{limit}MiB"}})
            self.assertTrue(settled(lambda: f"{limit}MiB" in self.weir.console("show config")),
                            "the saved file is not in force")
        reloaded = self.over_ipv4.counted_since(before)
        self.over_ipv4.finish(writing)
        self.assertGreater(self.over_ipv4.counted_since(before)["client"]["sent_pkts"],
                           reloaded["client"]["sent_pkts"], "it ended before the reloads did")
        self.assert_nothing_lost(before, packets=1000)

    def assert_nothing_lost(self, before, packets):
        moved = self.over_ipv4.counted_since(before)
        client, server = moved["client"], moved["server"]
        self.say(f"client sent {client['sent_pkts']}, server received {server['rcvd_pkts']}; "
                 f"server sent {server['sent_pkts']}, client received {client['rcvd_pkts']}")
        self.assertEqual(client["sent_pkts"], server["rcvd_pkts"])
        self.assertEqual(server["sent_pkts"], client["rcvd_pkts"])
        self.assertGreaterEqual(server["rcvd_pkts"], packets)
        # A repeated request alone is no loss: the guests stall, and their timers run on.
        self.assertEqual(server["out_of_seq_request"], 0)


class Bridged(GuestsOnWeir, runner.Case):
    addresses = (("10.1.0.1/24", "fd00:1::1/64"), ("10.1.0.2/24", "fd00:1::2/64"))

    def test_rc_pingpong_in_a_vlan_with_priority(self):
        for number, each in enumerate(self.guests, 1):
            each.add_vlan(5, 3, f"10.5.0.{number}/24")
        pair = rdma.Pair(*self.guests, "10.5.0.1", "10.5.0.2", "10.5.0.1")
        self.say(f"VLAN 5, priority 3: {pair.rc_pingpong(mtu=4096)} us a round")

    def test_transfer_survives_a_killed_switch(self):
        """The queue pairs outlive it: they repeat until the ports are back."""
        before = self.over_ipv4.counters()
        writing = self.over_ipv4.start_writing(seconds=15)
        moved = settled(lambda: self.over_ipv4.counted_since(before)["server"]["rcvd_pkts"], 30)
        self.assertTrue(moved, "nothing was written before the switch was killed")
        self.weir.kill()
        killed = self.over_ipv4.counters()
        self.weir.start()
        self.over_ipv4.finish(writing)
        moved = self.over_ipv4.counted_since(killed)["server"]
        self.say(f"after the restart {moved['rcvd_pkts']} packets came")
        self.assertGreater(moved["rcvd_pkts"], 0)


class Routed(GuestsOnWeir, runner.Case):
    ports = ({"addresses": ["10.1.0.1/24", "fd00:1::1/64"]},
             {"addresses": ["10.2.0.1/24", "fd00:2::1/64"]})
    addresses = (("10.1.0.2/24", "fd00:1::2/64"), ("10.2.0.2/24", "fd00:2::2/64"))
    gateways = (("10.1.0.1", "fd00:1::1"), ("10.2.0.1", "fd00:2::1"))


if __name__ == "__main__":
    runner.run(seconds=900)
