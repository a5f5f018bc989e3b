# SPDX-License-Identifier: BSD-3-Clause
"""RDMA between Soft-RoCE guests on two leaves of the fabric in a box goes on through a cut."""
import os
import re
import sys
from pathlib import Path

from lib import guest, rdma, require, runner
from lib.namespace import scratch_folder
from lib.program import Program, wait_until
from lib.weir import NO_HUGEPAGES, START_SECONDS, binary, settled

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "demo"))
import failure  # noqa: E402

NEEDS = (*guest.needs, require.programs("setpriv"), require.cores(2), guest.build_image)
EXAMPLE = ROOT / "config/examples/fabric-in-a-box"
WRITE_SECONDS = 40
# What a queue pair counts when it gives up.
GIVEN_UP = ("retry_exceeded_err", "retry_rnr_exceeded_err")
# Leaf, its port for the guest, the guest's address and gateway.
PLACES = (("leaf1", "h1", "10.1.1.2", "10.1.1.1"), ("leaf2", "h3", "10.2.1.2", "10.2.1.1"))


def switch_file(name, folder):
    """The example's, with a guest at the first port of each leaf and nobody at the second."""
    text = (EXAMPLE / f"{name}.yaml").read_text()
    text = re.sub(r'"net_af_packet(\d),iface=(h[13])"',
                  rf'"net_vhost\1,iface={folder}/\2,queues=1"', text)
    text = re.sub(r'"net_af_packet(\d),iface=h[24]"', r'"net_null\1,no-rx=1"', text)
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


class Guests(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*NEEDS)
        cls.folder = scratch_folder()
        words = [str(binary()), "--no-pci", "--no-telemetry", *NO_HUGEPAGES,
                 f"--file-prefix=weirtest-{os.getpid()}", "--", "--socket",
                 str(cls.folder / "console")]
        for name in failure.SWITCHES:
            words += ["-c", str(switch_file(name, cls.folder))]
        cls.weir = Program(words, cls.folder / "weir.log")
        wait_until(cls.connect, START_SECONDS, "weir's console answers", cls.weir)
        cls.guests = [guest.Guest(f"guest{i}", f"02:00:00:00:02:0{i}", cls.folder / port,
                                  cls.folder)
                      for i, (_, port, _, _) in enumerate(PLACES)]
        for each, (_, _, address, gateway) in zip(cls.guests, PLACES):
            each.wait_until_booted()
            each.set_up(f"{address}/24")
            each.run(f"ip route add default via {gateway}")
        server, client = (address for _, _, address, _ in PLACES)
        cls.pair = rdma.Pair(*cls.guests, server, client, server)

    @classmethod
    def connect(cls):
        try:
            cls.console = failure.Console(str(cls.folder / "console"))
            return True
        except OSError:
            return False

    @classmethod
    def tearDownClass(cls):
        for each in cls.guests:
            each.qemu.kill()
        cls.console.connection.close()
        cls.weir.stop()

    def sent_by(self, switch, port):
        text = self.console.about(switch, f"show port stats {port}")
        return int(re.search(r"sent +frames: \d+ +bytes: (\d+)", text).group(1))

    def uplink_in_use(self):
        """Of leaf2, behind which the client writes: the data is far more than all else."""
        before = [self.sent_by("leaf2", port) for port in ("up1", "up2")]

        def decided():
            moved = [self.sent_by("leaf2", port) - count
                     for port, count in zip(("up1", "up2"), before)]
            return f"up{1 + moved.index(max(moved))}" if max(moved) > 1_000_000 else None

        return settled(decided, 30)

    def received(self, before):
        return self.pair.counted_since(before)["server"]["rcvd_pkts"]

    def test_ib_write_bw_goes_on_through_a_cut(self):
        self.assertTrue(settled(lambda: self.pair.ping(1)[0] == 1, 60))
        before = self.pair.counters()
        writing = self.pair.start_writing(seconds=WRITE_SECONDS)
        uplink = self.uplink_in_use()
        self.assertTrue(uplink, "nothing was written before the cut")
        spine = "spine" + uplink[-1]
        self.addCleanup(self.console.about, "leaf2", f"set link {uplink} none")
        self.console.about("leaf2", f"set link {uplink} silent-drop")
        cut_at = self.pair.counters()
        self.assertTrue(settled(lambda: self.received(cut_at) > 100, 30),
                        "nothing is written after the cut")
        self.assertIn("session down", self.console.about("leaf2", f"show links {uplink}"))
        self.console.about("leaf2", f"set link {uplink} none")
        self.pair.finish(writing)
        moved = self.pair.counted_since(before)
        print(f"\n    leaf2's {uplink} to {spine} was cut; client sent "
              f"{moved['client']['sent_pkts']}, server received {moved['server']['rcvd_pkts']}; "
              f"out of sequence {moved['server']['out_of_seq_request']}; " +
              ", ".join(f"{name} {moved['client'][name]}" for name in GIVEN_UP), end="")
        for name in GIVEN_UP:
            self.assertEqual(moved["client"][name], 0)


if __name__ == "__main__":
    runner.run(460)
