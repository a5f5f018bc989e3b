# SPDX-License-Identifier: BSD-3-Clause
"""The guests themselves, with testpmd as a wire between them: what fails here is not weir's."""
from lib import guest, rdma, require, runner, testpmd
from lib.namespace import scratch_folder


class GuestsOnAWire(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*guest.needs, require.programs("dpdk-testpmd", "setpriv"), require.cores(2),
                     guest.build_image)
        folder = scratch_folder()
        sockets = [folder / "port0", folder / "port1"]
        testpmd.TestpmdWire(folder, [f"net_vhost{i},iface={path},queues=1"
                                     for i, path in enumerate(sockets)])
        guests = [guest.Guest(f"guest{i}", f"02:00:00:00:02:0{i}", path, folder)
                  for i, path in enumerate(sockets)]
        for number, each in enumerate(guests, 1):
            each.wait_until_booted()
            each.set_up(f"10.1.0.{number}/24", f"fd00:1::{number}/64")
        cls.pair = rdma.Pair(*guests, "10.1.0.1", "10.1.0.2", "10.1.0.1")

    def test_pings(self):
        received, text = self.pair.ping(3)
        self.assertEqual(received, 3, text)

    def test_rc_pingpong(self):
        print(f"\n    {self.pair.rc_pingpong()} us a round")

    def test_send_bw(self):
        print(f"\n    {self.pair.bandwidth('ib_send_bw', mtu=1024)} MB/s")

    def test_rping(self):
        self.assertEqual(self.pair.rping(20), 20)
        print("\n   ", self.pair.counters())


if __name__ == "__main__":
    runner.run(seconds=450)
