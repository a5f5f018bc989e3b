# SPDX-License-Identifier: BSD-3-Clause
"""weir-gen's reliable connections through the switch: acknowledged, repeated when lost, paused."""
import json
import os
from pathlib import Path

from lib import require, runner
from lib.rig import Rig
from lib.weir import Weir, af_packet_port, settled

MESSAGES = 200
MESSAGE_BYTES = 16_384
PACKETS = MESSAGE_BYTES // 1024
# DSCP 26 is priority 3.
LOSSLESS = 3


def binary():
    root = Path(__file__).resolve().parents[2]
    return os.environ.get("WEIR_GEN", str(root / "build" / "weir-gen"))


class ReliableConnections(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*require.hosts)
        cls.rig = Rig(hosts=2)
        cls.weir = Weir(cls.rig.folder, {
            "switch": {"name": "s1"},
            "pfc": [LOSSLESS],
            "ports": [af_packet_port(i, speed="1G") for i in range(2)],
        }, cls.rig.switch_side)
        for number, host in enumerate(cls.rig.hosts, 1):
            host.add_address(f"10.9.0.{number}/24")
            host.add_address(f"fd00:9::{number}/64")
        cls.asking, cls.answering = cls.rig.hosts
        cls.runs = 0

    @classmethod
    def tearDownClass(cls):
        cls.weir.stop()

    def tearDown(self):
        for port in (0, 1):
            self.weir.console(f"set port {port} fault none")

    def start(self, host, to, *more):
        type(self).runs += 1
        path = host.folder / f"rc{self.runs}.json"
        program = host.start(binary(), "rc", "--iface", "eth0", "--to", to, "--json", path,
                             *map(str, more), log=host.folder / f"rc{self.runs}.log")
        return program, path

    def finish(self, started):
        program, path = started
        code = program.wait(60)
        program.stop()
        self.assertEqual(code, 0, program.output())
        return json.loads(path.read_text())

    def answerer(self, to="10.9.0.1", *more):
        started = self.start(self.answering, to, "--answer", "--idle", 2, *more)
        started[0].wait_for_output("answering", 10)
        return started

    def transfer(self, *more, to=("10.9.0.2", "10.9.0.1"), mbps=200, during=lambda: None):
        """(what the asking end counted, what the answering end counted)"""
        answering = self.answerer(to[1], "--qps", 4)
        asking = self.start(self.asking, to[0], "--qps", 4, "--count", MESSAGES,
                            "--size", MESSAGE_BYTES, "--mbps", mbps, *more)
        during()
        asked, answered = self.finish(asking), self.finish(answering)
        self.assertEqual(asked["messages"], MESSAGES)
        self.assertEqual(answered["messages"], MESSAGES)
        self.assertEqual(answered["bytes"], MESSAGES * MESSAGE_BYTES)
        self.assertEqual((asked["failed"], asked["icrc_errors"], answered["icrc_errors"]),
                         (0, 0, 0))
        self.assertGreaterEqual(asked["packets_sent"], MESSAGES * PACKETS)
        self.assertGreater(asked["acks_received"], 0)
        self.assertEqual(sum(times for _, times in asked["histogram_ns"]), MESSAGES)
        self.assertLessEqual(asked["latency_ns"]["p50"], asked["latency_ns"]["max"])
        return asked, answered

    def test_writes_over_ipv4(self):
        asked, _ = self.transfer()
        print(f"\n    {asked['gbps']:.3f} Gbit/s, p50 {asked['latency_ns']['p50'] / 1e3:.0f} us, "
              f"p99 {asked['latency_ns']['p99'] / 1e3:.0f} us; repeated "
              f"{asked['packets_repeated']}", end="")

    def test_sends_over_ipv6(self):
        self.transfer("--op", "send", "--depth", 2, to=("fd00:9::2", "fd00:9::1"))

    def test_what_is_lost_is_named_and_repeated(self):
        self.weir.console("set port 0 fault loss 1%")
        asked, answered = self.transfer()
        # Of 3,200 packets 32 are lost on average; none would be a chance of 10^-14.
        self.assertGreater(answered["out_of_sequence"] + asked["timeouts"], 0)
        self.assertGreater(asked["packets_repeated"], 0)
        self.assertEqual(asked["naks_received"] > 0, answered["naks_sent"] > 0)

    def test_a_paused_end_stands_still_and_goes_on(self):
        def storm():
            self.weir.console(f"set port 0 fault pause-storm {LOSSLESS}")
            self.assertTrue(settled(self.nothing_moves), "a paused host goes on sending")
            self.assertIn("yes, forced", self.weir.console("show pfc port 0"))
            self.weir.console("set port 0 fault none")

        asked, _ = self.transfer(mbps=20, during=storm)
        self.assertGreater(asked["pfc_frames_received"], 0)

    def nothing_moves(self):
        """The count of frames from the asking host stays as it is for half a second."""
        before = self.received()
        return not settled(lambda: self.received() != before, 0.5)

    def received(self):
        text = self.weir.console("show port stats 0")
        return next(line for line in text.splitlines() if line.split()[:1] == ["received"])


if __name__ == "__main__":
    runner.run(seconds=280)
