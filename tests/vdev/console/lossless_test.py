#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the console of a running switch shows and changes of buffer, PFC, ECN and scheduler."""
import json
import os
import pathlib
import re
import socket
import struct
import sys
import unittest

import weir_process as weir

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import pcap  # noqa: E402

RINGS = """\
switch: {name: leaf}
frames: 8192
buffer: {shared: 1MB}
ports:
  - {name: left, device: "ring:a"}
  - {name: right, device: "ring:a"}
"""

# 300 frames of 1,000 B arrive at once for a port of 8 Mb/s: the group passes its limit of 50 KB
# after 50 of them, less what has left, and the rest uses headroom.
FRAMES = 300
FRAME_BYTES = 1000
SLOW_EXIT = """\
switch: {name: leaf}
frames: 8192
pfc: [3]
buffer:
  shared: 1MB
  lossless: {reserve: 0B, limit: 50KB, headroom: 400KB, xon_offset: 10KB}
ecn:
  3: {kmin: 1KB, kmax: 2KB, pmax: 100%}
macs:
  - {mac: "02:00:00:00:00:02", port: right}
ports:
  - {name: left, device: "net_pcap0,rx_pcap=FOLDER/in.pcap,tx_pcap=FOLDER/back.pcap"}
  - {name: right, device: "net_pcap1,tx_pcap=FOLDER/out.pcap", speed: 8M}
"""


def frame():
    """IPv4, DSCP 26 and ECT(0), to the MAC address behind `right`."""
    ethernet = bytes.fromhex("0200000000020200000000010800")
    header = struct.pack(">BBHHHBBHII", 0x45, 26 << 2 | 2, FRAME_BYTES - 14, 0, 0, 64, 17, 0,
                         0x0a000001, 0x0a000002)
    total = sum(struct.unpack(">10H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    header = header[:10] + struct.pack(">H", 0xffff ^ total) + header[12:]
    udp = struct.pack(">HHHH", 49152, 5000, FRAME_BYTES - 34, 0)
    return (ethernet + header + udp).ljust(FRAME_BYTES, b"\0")


class Case(unittest.TestCase):
    def start(self, text, frames=()):
        self.folder = weir.Folder()
        self.addCleanup(self.folder.remove)
        self.file = self.folder.write("leaf.yaml", text.replace("FOLDER", str(self.folder.path)))
        pcap.write(self.folder.path / "in.pcap", frames)
        self.path = self.folder.name("console")
        self.events = self.folder.name("events")
        self.prefix = f"weirlossless{os.getpid()}"
        self.switch = weir.Background(
            ["-c", self.file, "--socket", self.path, "--events", self.events],
            self.folder.name("log"), eal=[f"--file-prefix={self.prefix}"])
        self.addCleanup(self.switch.kill)

    def ask(self, line):
        return weir.ask(self.path, line)

    def telemetry(self, request):
        path = f"/var/run/dpdk/{self.prefix}/dpdk_telemetry.v2"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(weir.ANSWER_SECONDS)
            connection.connect(path)
            connection.recv(4096)  # who it is
            connection.sendall(request.encode())
            return next(iter(json.loads(connection.recv(65536)).values()))


class SetTest(Case):
    def setUp(self):
        self.start(RINGS)
        self.switch.wait_for_socket(self.path)

    def test_each_set_says_what_changed_and_the_switch_does_it(self):
        self.assertEqual(self.ask("show pfc"), "no priority is lossless\n")
        self.assertEqual(self.ask("set pfc all 3 on"), "pfc.priorities: default -> 3\n")
        self.assertRegex(self.ask("show pfc"), r"\n  1 \(right\) +3  on   no +no +0 +0 +0 +0\n")
        self.assertEqual(self.ask("set buffer all 3 headroom 64KB alpha -2"),
                         "buffer.priorities.3.alpha: default -> -2\n"
                         "buffer.priorities.3.headroom: default -> 64KB\n")
        # 2^-2 of the free megabyte is the threshold.
        self.assertRegex(self.ask("show buffer"),
                         r"\(left\) +3  lossless +0 of 8400 +0 of 250000 +0 +0 of 64000 +0 ")
        self.assertEqual(self.ask("set ecn all 3 kmin 100KB kmax 400KB pmax 5%"),
                         "ecn: {} -> {3: 100KB to 400KB 5%}\n")
        self.assertRegex(self.ask("show ecn"), r"\(left\) +3  100KB  400KB +5% +0 +0\n")
        self.assertEqual(self.ask("set scheduler right 3 weight 20"),
                         "ports[1].scheduler: default -> strict 7, 6, weights {3: 20}\n")
        queues = self.ask("show queue port right")
        self.assertRegex(queues, r" 3  weight 20 ")
        self.assertRegex(queues, r" 4  weight 1 ")
        self.assertRegex(queues, r" 7  strict ")
        self.assertRegex(self.ask("show queue port left"), r" 3  strict ")
        self.assertEqual(self.ask("set port left speed 10G"), "ports[0].speed: default -> 10G\n")
        self.assertRegex(self.ask("show links"), r"\(left\) +up +up .*10G")
        self.assertEqual(self.ask("set watchdog on action forward"),
                         "watchdog: default -> forward after 200ms, until 200ms without a pause, "
                         "looking every 100ms\n")
        self.assertTrue(self.ask("show watchdog").startswith(
            "watchdog: forward after 200ms, until 200ms without a pause, looking every 100ms\n"))
        self.assertEqual(self.ask("set watchdog on"), "nothing is different\n")
        self.assertIn(", changed since by 6 `set`\n", self.ask("show config"))
        self.switch.wait_for(self.six_changes, "six events")
        self.last_until_the_file_is_loaded_again()

    def six_changes(self):
        lines = pathlib.Path(self.events).read_text(encoding="utf-8").splitlines()
        return sum(json.loads(line)["event"] == "settings_changed" for line in lines) == 6

    def last_until_the_file_is_loaded_again(self):
        answer = self.ask("reload")
        self.assertIn("pfc.priorities: 3 -> default\n", answer)
        self.assertIn("ports[0].speed: 10G -> default\n", answer)
        self.assertNotIn("changed since", self.ask("show config"))
        self.assertEqual(self.ask("show pfc"), "no priority is lossless\n")
        self.assertEqual(self.ask("show watchdog"), "watchdog: off\n")

    def test_what_a_file_may_not_say_set_may_not_either(self):
        refused = "error: nothing was changed:\n"
        self.assertEqual(self.ask("set ecn left 3 kmin 400KB kmax 100KB pmax 5%"),
                         refused + "ports[0].ecn.3.kmin: 400KB is more than kmax, 100KB; swap the "
                         "two\n")
        self.assertEqual(self.ask("set buffer all 3 headroom 64KB"),
                         refused + "buffer.priorities.3.headroom: priority 3 is lossy and never "
                         "paused; add it to pfc, or leave this out\n")
        self.assertIn("ports[0].speed: 1K is out of range",
                      self.ask("set port left speed 1K"))
        self.assertIn("watchdog.detection: ", self.ask("set watchdog on detection 1ms"))
        self.ask("set pfc all 3 on")
        # 1 GB of headroom needs more memory than there is.
        answer = self.ask("set buffer all 3 headroom 1GB")
        self.assertTrue(answer.startswith(refused + "frames: the buffer "), answer)
        self.assertRegex(self.ask("show buffer"), r"\(left\) +3  lossless ")
        self.assertNotIn("1000000000", self.ask("show buffer"))

    def test_telemetry(self):
        self.ask("set pfc all 3 on")
        self.ask("set ecn right 3 kmin 100KB kmax 400KB pmax 5%")
        pfc = self.telemetry("/weir/pfc,right")
        self.assertEqual((pfc["priority_3"]["lossless"], pfc["priority_4"]["lossless"]), (1, 0))
        self.assertEqual((pfc["priority_3"]["pauses_sent"], pfc["link_pauses_received"]), (0, 0))
        buffer = self.telemetry("/weir/buffer,right")["priority_3"]
        self.assertEqual((buffer["reserve_bytes_limit"], buffer["shared_bytes_limit"]),
                         (8400, 1_000_000))
        self.assertEqual(self.telemetry("/weir/pool")["bytes_limit"], 1_000_000)
        self.assertEqual(self.telemetry("/weir/ecn,right")["priority_3"],
                         {"enabled": 1, "kmin_bytes": 100_000, "kmax_bytes": 400_000,
                          "pmax_millionths": 50_000, "marked": 0, "sent": 0})
        self.assertEqual(self.telemetry("/weir/ecn,left")["priority_3"]["enabled"], 0)
        watchdog = self.telemetry("/weir/watchdog,left")
        self.assertEqual((watchdog["enabled"], watchdog["priority_0"]["storming"]), (0, 0))
        self.assertIsNone(self.telemetry("/weir/pfc,other"))


class TrafficTest(Case):
    def test_an_overload_is_paused_marked_shown_and_cleared(self):
        self.overload(SLOW_EXIT)

    @unittest.skipIf(os.cpu_count() < 2, "two workers take two cores")
    def test_the_same_with_a_worker_for_each_port(self):
        self.overload(SLOW_EXIT + "workers: {cores: [0, 1]}\n")

    def overload(self, text):
        self.start(text, [frame()] * FRAMES)
        self.switch.wait_for_socket(self.path)
        self.switch.wait_for(lambda: self.sent() == FRAMES, f"{FRAMES} frames to leave")
        # Fifty frames of shared bytes, exactly; then headroom for the rest but what left meanwhile.
        row = re.search(r"\(left\) +3  lossless +0 of 0 +0 of 50000 +(\d+) +0 of 400000 +(\d+) +0 ",
                        self.ask("show buffer"))
        self.assertEqual(int(row.group(1)), 50_000)
        self.assertGreater(int(row.group(2)), 0)
        self.assertLessEqual(int(row.group(2)), FRAMES * FRAME_BYTES - 50_000)
        pfc = self.telemetry("/weir/pfc,left")["priority_3"]
        self.assertGreaterEqual(pfc["pauses_sent"], 1)
        self.assertEqual((pfc["resumes_sent"], pfc["pausing"]), (1, 0))
        marked = self.telemetry("/weir/ecn,right")["priority_3"]["marked"]
        self.assertGreater(marked, FRAMES // 2)
        self.assertEqual(self.ask("show drops"), "no frame was dropped\n")
        self.everything_is_cleared()
        self.assertEqual(self.switch.end(), 0)
        out = pcap.read(pathlib.Path(self.folder.name("out.pcap")))
        self.assertEqual((len(out), sum(f[15] & 3 == 3 for f in out)), (FRAMES, marked))

    def sent(self):
        return self.telemetry("/weir/queues,right")["priority_3"]["sent"]

    def everything_is_cleared(self):
        self.assertEqual(self.ask("clear stats"), "")
        self.assertRegex(self.ask("show pfc"), r"\(left\) +3  on   no +no +0 +0 +0 +0\n")
        self.assertRegex(self.ask("show buffer"), r"^shared pool: 0 of 1000000 bytes, at most 0; ")
        self.assertRegex(self.ask("show buffer"), r"\(left\) +3 .* 0 of 50000 +0 +0 of 400000 +0 ")
        self.assertEqual(self.ask("show queue"), "no queue has held a frame\n")
        self.assertRegex(self.ask("show ecn"), r"\(right\) +3 .* 0 +0\n")
        frames = self.telemetry("/weir/pfc,left")["pfc_frames_sent"]
        self.assertEqual((frames, self.sent()), (0, 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
