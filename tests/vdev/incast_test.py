#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An 8:1 incast over two chained switches, in real time, by the real program.

    8 endless pcap files -> hosts =8 x 1G=> near =1G=> far -500M-> net_null

All three switches run on one worker and are joined by ring ports. `hosts` stands for eight hosts
that obey PFC: what may not leave is dropped there, before the fabric. Priority 3 is lossless and
has weight 3, priority 1 is lossy and has weight 1. WEIR_INCAST_SECONDS: how long (8).
"""

import os
import re
import shutil
import socket
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "hosts"))

import pcap  # noqa: E402
from lib import weir as rig  # noqa: E402
from lib.program import Program, wait_until  # noqa: E402

SECONDS = float(os.environ.get("WEIR_INCAST_SECONDS", "8"))
HOSTS = 8
FRAME_BYTES = 1000
SINK = "0a:00:00:00:00:99"
LOSSLESS, LOSSY = 3, 1
ENTRIES = [f"h{i}" for i in range(HOSTS)]

COMMON = f"""\
pfc: [{LOSSLESS}]
ecn: {{{LOSSLESS}: {{kmin: 100KB, kmax: 400KB, pmax: 5%}}}}
scheduler: {{strict: [7, 6], weights: {{0: 1, {LOSSY}: 1, 2: 1, {LOSSLESS}: 3, 4: 1, 5: 1}}}}
"""
# The ring between two switches holds 256 frames that a pause cannot stop: 256 KB.
FABRIC = COMMON + """\
buffer:
  shared: 4MB
  lossless: {alpha: -2, headroom: 400KB, xon_offset: 3KB}
  lossy: {limit: 100KB}
"""
SENDERS = COMMON + """\
buffer: {shared: 2MB, lossless: {limit: 50KB, headroom: 10KB}, lossy: {limit: 50KB}}
"""


def frame(host, dscp):
    """IPv4 UDP to port 4791, ECT(0), from one host to the sink."""
    header = bytearray(20)
    header[0], header[1] = 0x45, dscp << 2 | 2
    header[2:4] = (FRAME_BYTES - 14).to_bytes(2, "big")
    header[8], header[9] = 64, 17
    header[12:16], header[16:20] = bytes([10, 0, 0, host + 1]), bytes([10, 0, 0, 99])
    total = sum(int.from_bytes(header[i:i + 2], "big") for i in range(0, 20, 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    header[10:12] = (0xffff ^ total).to_bytes(2, "big")
    udp = (49152 + host).to_bytes(2, "big") + bytes.fromhex("12b7") \
        + (FRAME_BYTES - 34).to_bytes(2, "big") + bytes(2)
    source = bytes([0x0a, 0, 0, 0, 0, host + 1])
    whole = bytes.fromhex(SINK.replace(":", "")) + source + b"\x08\x00" + bytes(header) + udp
    return whole + bytes(FRAME_BYTES - len(whole))


def hosts_yaml(folder):
    lines = ["switch: {name: hosts}", "frames: 32768", f"console: {folder}/console", SENDERS,
             "ports:"]
    for i in range(HOSTS):
        lines.append(f'  - {{name: in{i}, vlan: {{native: {100 + i}}}, '
                     f'device: "net_pcap{i},rx_pcap={folder}/{i}.pcap,infinite_rx=1"}}')
        lines.append(f'  - {{name: h{i}, vlan: {{native: {100 + i}}}, device: "ring:h{i}", '
                     "speed: 1G}")
    lines += ["macs:"] + [f'  - {{mac: "{SINK}", vlan: {100 + i}, port: h{i}}}'
                          for i in range(HOSTS)]
    return lines


def near_yaml(_folder):
    return ["switch: {name: near}", FABRIC, "ports:",
            *(f'  - {{name: h{i}, device: "ring:h{i}", speed: 1G}}' for i in range(HOSTS)),
            '  - {name: up, device: "ring:up", speed: 1G}',
            "macs:", f'  - {{mac: "{SINK}", port: up}}']


def far_yaml(_folder):
    return ["switch: {name: far}", FABRIC, "ports:",
            '  - {name: up, device: "ring:up", speed: 1G}',
            '  - {name: out, device: "net_null0,no-rx=1", speed: 500M}',
            "macs:", f'  - {{mac: "{SINK}", port: out}}']


class Incast(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="weirincast-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        for host in range(HOSTS):
            pcap.write(self.folder / f"{host}.pcap",
                       [frame(host, LOSSLESS << 3), frame(host, LOSSY << 3)] * 16)
        words = [str(rig.binary()), "--no-pci", "--no-telemetry", "--no-huge", "-m", "512",
                 f"--file-prefix=weirincast-{os.getpid()}", "--"]
        for name, make in (("hosts", hosts_yaml), ("near", near_yaml), ("far", far_yaml)):
            file = self.folder / f"{name}.yaml"
            file.write_text("\n".join(make(self.folder)) + "\n")
            words += ["-c", str(file)]
        self.program = Program(words, self.folder / "log")
        self.addCleanup(self.program.kill)
        wait_until(lambda: (self.folder / "console").exists(), 30, "the consoles", self.program)

    def ask(self, switch, line):
        """The answer to a line about one of the switches."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(str(self.folder / "console"))
            for text in (f"use {switch}", line):
                connection.sendall(text.encode() + b"\n")
                answer = b""
                while not answer.endswith(b"\0"):
                    answer += connection.recv(65536)
        return answer[:-1].decode()

    def queue(self, switch, port, priority):
        """(frames now, frames sent, frames dropped) of an egress queue."""
        text = self.ask(switch, f"show queue port {port}")
        found = re.search(rf"\) +{priority} .* (\d+) +\d+ +\d+ +(\d+) +(\d+)$", text, re.M)
        self.assertIsNotNone(found, text)
        return tuple(int(part) for part in found.groups())

    def total(self, switch, kind, ports):
        """Frames received or sent by the ports together."""
        text = self.ask(switch, "show port stats all")
        parts = re.split(r"port \d+ \((\w+)\)", text)[1:]
        counts = {name: int(re.search(kind + r" +frames: (\d+)", block).group(1))
                  for name, block in zip(parts[::2], parts[1::2])}
        return sum(counts[name] for name in ports)

    def dropped(self, switch):
        """{(port, reason): frames}"""
        rows = re.findall(r"\((\w+)\) +(.*?) +(\d+)$", self.ask(switch, "show drops"), re.M)
        return {(port, reason): int(frames) for port, reason, frames in rows}

    def balance(self, switch, entries, exit_port):
        """(received by the entries, sent by the exit, dropped, held) of one moment, in frames."""
        text = self.ask(switch, "show balance")
        rows = {name: [int(part) for part in counts.split()]
                for name, counts in re.findall(r"^ +\d+ \((\w+)\) +([\d ]+)$", text, re.M)}
        self.assertTrue({*entries, exit_port} <= set(rows), text)
        held = int(re.search(r"^held: (\d+) frames", text, re.M).group(1))
        return (sum(rows[port][0] for port in entries), rows[exit_port][1],
                sum(row[2] for row in rows.values()), held)

    def assert_in_is_out_and_held(self):
        """Of both switches, at this moment and to the frame; how many are held."""
        all_held = 0
        for switch, entries, exit_port in (("near", ENTRIES, "up"), ("far", ["up"], "out")):
            came, left, dropped, held = self.balance(switch, entries, exit_port)
            self.assertEqual(came, left + dropped + held, f"{switch}: {dropped=} {held=}")
            all_held += held
        return all_held

    def lossless_drops(self):
        """Frames of the lossless priority that the fabric has dropped, by all its counters."""
        count = 0
        for switch, port in (("near", "up"), ("far", "out")):
            count += self.queue(switch, port, LOSSLESS)[2]
            count += sum(frames for (_, reason), frames in self.dropped(switch).items()
                         if "headroom" in reason)
        return count

    def test_lossless_loses_nothing_and_gets_its_share(self):
        time.sleep(1)
        before = [self.queue("far", "out", priority)[1] for priority in (LOSSLESS, LOSSY)]
        end = time.monotonic() + SECONDS
        samples = most_held = 0
        while time.monotonic() < end:
            self.assertEqual(self.lossless_drops(), 0)
            most_held = max(most_held, self.assert_in_is_out_and_held())
            samples += 1
            time.sleep(0.5)
        after = [self.queue("far", "out", priority)[1] for priority in (LOSSLESS, LOSSY)]
        lossless, lossy = (late - early for late, early in zip(after, before))
        share = lossless / (lossless + lossy)
        self.assertGreater(most_held, 100, "nothing was held when in and out were compared")
        print(f"    {SECONDS:g} s, {samples} samples, at most {most_held} held: "
              f"{lossless} lossless and {lossy} lossy frames, share {share:.3f}; lossy dropped "
              f"{self.dropped('near')} {self.dropped('far')}", flush=True)
        # 500 Mb/s of 1,024 B (with FCS, preamble, gap: 1,024 = 1,000 + 24) are 61,035 frames/s;
        # on a busy machine fewer, but never more.
        self.assertLessEqual(lossless + lossy, 61_035 * (SECONDS + 5))
        self.assertGreater(lossless, 1_000)
        self.assertAlmostEqual(share, 0.75, delta=0.05 * 0.75)
        self.assertGreater(sum(self.dropped("near").values()), 0, "the lossy priority is over")
        self.drain()
        self.assertEqual(self.assert_in_is_out_and_held(), 0)

    def drain(self):
        """Ends the load and waits until the fabric is empty."""
        for i in range(HOSTS):
            self.ask("hosts", f"port stop in{i}")

        def empty():
            return all(self.queue(switch, port, priority)[0] == 0
                       for switch, port in (("near", "up"), ("far", "out"))
                       for priority in (LOSSLESS, LOSSY))

        def at_rest():
            before = self.total("far", "sent", ["out"])
            time.sleep(0.3)
            return empty() and self.total("far", "sent", ["out"]) == before

        wait_until(at_rest, 30, "the fabric is empty", self.program)

    def test_no_pause_and_no_mark_without_congestion(self):
        """One host at 100 Mb/s: after any stall it may send less at once than the exit may."""
        self.drain()
        self.ask("hosts", "set port h0 speed 100M")
        self.ask("near", "clear stats")
        self.ask("hosts", "port start in0")
        time.sleep(3)
        for switch, port in (("near", "up"), ("far", "out")):
            self.assertEqual(self.dropped(switch), {})
            self.assertGreater(self.queue(switch, port, LOSSLESS)[1], 1_000)
            text = self.ask(switch, "show ecn")
            marked = [int(row.split()[-2]) for row in text.splitlines()
                      if re.search(r"\) +3 ", row)]
            self.assertTrue(marked, text)
            self.assertEqual(marked, [0] * len(marked), text)
            pauses = self.pauses_sent(switch)
            self.assertTrue(pauses)
            self.assertEqual(set(pauses), {0})

    def pauses_sent(self, switch):
        """The column of that name in `show pfc`."""
        lines = self.ask(switch, "show pfc").splitlines()
        header = next(line for line in lines if "pauses_sent" in line)
        column = header.split().index("pauses_sent") - len(header.split())
        return [int(line.split()[column]) for line in lines if re.search(r"\) +3 ", line)]


if __name__ == "__main__":
    unittest.main(verbosity=2)
