# SPDX-License-Identifier: BSD-3-Clause
"""RoCEv2 as Linux speaks it, between two guests on weir's vhost-user ports."""
from lib import guest, rdma, require, runner
from lib.namespace import scratch_folder
from lib.weir import Weir, vhost_port

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
        cls.weir = Weir(folder, {
            "switch": {"name": "s1"},
            "frame_bytes_max": FRAME_BYTES_MAX,
            "ports": [vhost_port(i, path, **cls.ports[i]) for i, path in enumerate(paths)],
        })
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
        after = self.over_ipv4.counters()
        moved = {end: {name: after[end][name] - before[end][name] for name in after[end]}
                 for end in after}
        self.say(f"client sent {moved['client']['sent_pkts']}, server received "
                 f"{moved['server']['rcvd_pkts']}; server sent {moved['server']['sent_pkts']}, "
                 f"client received {moved['client']['rcvd_pkts']}")
        self.assertEqual(moved["client"]["sent_pkts"], moved["server"]["rcvd_pkts"])
        self.assertEqual(moved["server"]["sent_pkts"], moved["client"]["rcvd_pkts"])
        # 500 messages of 16 packets each (65536 / 4096), fewer would mean nothing was measured.
        self.assertGreaterEqual(moved["server"]["rcvd_pkts"], 500 * 16)
        # A repeated request alone is no loss: the guests stall, and their timers run on.
        self.assertEqual(moved["server"]["out_of_seq_request"], 0)


class Bridged(GuestsOnWeir, runner.Case):
    addresses = (("10.1.0.1/24", "fd00:1::1/64"), ("10.1.0.2/24", "fd00:1::2/64"))

    def test_rc_pingpong_in_a_vlan_with_priority(self):
        for number, each in enumerate(self.guests, 1):
            each.add_vlan(5, 3, f"10.5.0.{number}/24")
        pair = rdma.Pair(*self.guests, "10.5.0.1", "10.5.0.2", "10.5.0.1")
        self.say(f"VLAN 5, priority 3: {pair.rc_pingpong(mtu=4096)} us a round")

    def test_transfer_survives_a_killed_switch(self):
        """The queue pairs outlive it: they repeat until the ports are back."""
        server, client = self.over_ipv4.both("ib_write_bw -d rxe0 -F -D 8 -s 65536", "-x")
        serving = self.guests[0].start(server, rdma.PAIR_SECONDS)
        self.over_ipv4.wait_until_listening(serving)
        asking = self.guests[1].start(f"{client} 10.1.0.1", rdma.PAIR_SECONDS)
        before = self.guests[0].rdma_counters()["rcvd_pkts"]
        self.guests[1].run("sleep 3")
        self.assertGreater(self.guests[0].rdma_counters()["rcvd_pkts"], before)
        self.weir.kill()
        self.weir.start()
        for each, name in zip(self.guests, (serving, asking)):
            answer = each.finish(name, rdma.PAIR_SECONDS)
            self.assertEqual(answer.status, 0, answer.text)
        self.say(f"afterwards: {self.over_ipv4.rc_pingpong()} us a round")


class Routed(GuestsOnWeir, runner.Case):
    ports = ({"addresses": ["10.1.0.1/24", "fd00:1::1/64"]},
             {"addresses": ["10.2.0.1/24", "fd00:2::1/64"]})
    addresses = (("10.1.0.2/24", "fd00:1::2/64"), ("10.2.0.2/24", "fd00:2::2/64"))
    gateways = (("10.1.0.1", "fd00:1::1"), ("10.2.0.1", "fd00:2::1"))


if __name__ == "__main__":
    runner.run(seconds=900)
