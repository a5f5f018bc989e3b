#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The fabric in a box, as it is shipped, under frames that never end: links fall silent.

Its hosts are a capture that is played again and again and a device that takes everything."""

import json
import os
import re
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(ROOT / "tests" / "hosts"))
sys.path.insert(0, str(ROOT / "tools" / "bench"))

import pcap  # noqa: E402
import roce_frames  # noqa: E402
from lib.program import Program, wait_until  # noqa: E402
from lib.weir import NO_HUGEPAGES, START_SECONDS, binary  # noqa: E402

sys.path.insert(0, str(ROOT / "tools" / "demo"))
import failure  # noqa: E402

EXAMPLE = ROOT / "config/examples/fabric-in-a-box"
GATEWAY = "02:00:00:00:01:01"
HOST = "02:00:00:00:02:02"
FLOWS = 64
SECONDS = 30  # only ends what has failed already
SKIPPED = 77


def frames():
    """One of each flow, from h1 to h3 (10.2.1.2): the bench's frames to another host."""
    made = []
    for flow in range(FLOWS):
        frame = bytearray(roce_frames.flow_frame(flow, 0, bytes.fromhex(GATEWAY.replace(":", ""))))
        frame[26:34] = bytes([10, 1, 1, 2, 10, 2, 1, 2])
        frame[24:26] = b"\0\0"
        frame[24:26] = roce_frames.internet_checksum(bytes(frame[14:34])).to_bytes(2, "big")
        made.append(bytes(frame))
    return made


def switch_file(name, folder):
    """The example's, with devices that need no network interface."""
    text = (EXAMPLE / f"{name}.yaml").read_text()
    text = text.replace('"net_af_packet1,iface=h1"',
                        f'"net_pcap1,rx_pcap={folder}/in.pcap,infinite_rx=1"\n'
                        f'    mac: "{GATEWAY}"')
    text = re.sub(r'"net_af_packet(\d),iface=h\d"', r'"net_null\1,no-rx=1"', text)
    if name == "leaf2":
        text += f'\nneighbors: [{{address: 10.2.1.2, mac: "{HOST}"}}]\n'
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path


class Fabric:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="weirvdev-"))
        pcap.write(self.folder / "in.pcap", frames())
        self.events_file = self.folder / "events.jsonl"
        words = [str(binary()), "--no-pci", "--no-telemetry", *NO_HUGEPAGES,
                 f"--file-prefix=weirtest-{os.getpid()}", "--", "--socket",
                 str(self.folder / "console"), "--events", str(self.events_file)]
        for name in failure.SWITCHES:
            words += ["-c", str(switch_file(name, self.folder))]
        self.program = Program(words, self.folder / "weir.log")
        wait_until(self.connect, START_SECONDS, "weir's console answers", self.program)

    def connect(self):
        try:
            self.console = failure.Console(str(self.folder / "console"))
            return True
        except OSError:
            return False

    def events(self):
        """(switch, event, port) of all so far, as they were written."""
        found = []
        for line in self.events_file.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                event = json.loads(line)
                found.append((event.get("switch"), event["event"], event.get("port")))
        return found

    def arrived(self):
        """Frames that left leaf2 for the host."""
        text = self.console.about("leaf2", "show port stats h3")
        return int(re.search(r"sent +frames: (\d+)", text).group(1))

    def end(self):
        self.console.connection.close()
        code = self.program.stop()
        shutil.rmtree(self.folder)
        return code


class Failure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fabric = Fabric()

    @classmethod
    def tearDownClass(cls):
        code = cls.fabric.end()
        if code != 0:
            raise AssertionError(f"weir ended with {code}")

    def setUp(self):
        self.seen = 0
        self.console = self.fabric.console
        for switch in failure.SWITCHES:
            for port in re.findall(r"\((up\d|leaf\d)\) +10\.", self.show(switch, "show links")):
                self.wait(lambda s=switch, p=port: " usable " in self.show(s, f"show links {p}"),
                          f"{switch}'s {port} is usable")
        self.assert_frames_arrive()
        self.seen = len(self.fabric.events())

    def show(self, switch, line):
        return self.console.about(switch, line)

    def wait(self, true_now, what):
        deadline = time.monotonic() + SECONDS
        while not true_now():
            self.assertLess(time.monotonic(), deadline, f"not: {what}\n" + "\n".join(
                [self.show(switch, line) for switch in failure.SWITCHES
                 for line in ("show links", "show notices")] +
                [str(event) for event in self.fabric.events()[self.seen:]]))
            time.sleep(0.05)

    def assert_frames_arrive(self):
        before = self.fabric.arrived()
        self.wait(lambda: self.fabric.arrived() > before + 10 * FLOWS, "frames arrive")

    def wait_for_events(self, *wanted):
        """They come in this order, which one worker keeps; others may come in between."""
        def all_there():
            left = list(wanted)
            for event in self.fabric.events()[self.seen:]:
                if left and event == left[0]:
                    left.pop(0)
            return not left
        self.wait(all_there, f"events {wanted} in this order")

    def test_a_cut_uplink_is_left_and_used_again(self):
        self.addCleanup(self.show, "leaf1", "set link up1 none")
        self.show("leaf1", "set link up1 silent-drop")
        self.wait_for_events(("leaf1", "session_down", "up1"), ("leaf1", "link_lost", "up1"))
        self.assertRegex(self.show("leaf1", "show links up1"), r"session down +down ")
        self.assert_frames_arrive()
        self.assertIn("without a path here: nothing", self.show("leaf1", "show notices"))
        self.show("leaf1", "set link up1 none")
        self.wait_for_events(("leaf1", "link_lost", "up1"), ("leaf1", "session_up", "up1"),
                             ("leaf1", "link_usable", "up1"))
        self.assertRegex(self.show("leaf1", "show links up1"), r" usable +up +up ")
        self.assert_frames_arrive()

    def test_a_cut_behind_a_spine_is_told_by_a_notice(self):
        self.addCleanup(self.show, "spine1", "set link leaf2 none")
        self.show("spine1", "set link leaf2 silent-drop")
        self.wait_for_events(("spine1", "session_down", "leaf2"),
                             ("spine1", "destinations_lost", None),
                             ("spine1", "notice_sent_lost", "leaf1"),
                             ("leaf1", "notice_heard_lost", "up1"))
        self.assertIn("without a path here: 10.2.0.0/16", self.show("spine1", "show notices"))
        self.assertRegex(self.show("leaf1", "show notices"), r"\(up1\) .* 10\.2\.0\.0/16")
        # The link to the spine itself is as good as ever.
        self.assertRegex(self.show("leaf1", "show links up1"), r" usable +up +up ")
        self.assert_frames_arrive()
        self.show("spine1", "set link leaf2 none")
        self.wait_for_events(("spine1", "link_usable", "leaf2"),
                             ("spine1", "notice_sent_restored", "leaf1"),
                             ("leaf1", "notice_heard_restored", "up1"))
        self.assertIn("without a path here: nothing", self.show("spine1", "show notices"))
        self.assert_frames_arrive()


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: DPDK needs root")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
