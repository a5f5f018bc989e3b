#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The real program between pcap files: what goes in, and what must come out."""

import os
import re
import shutil
import signal
import subprocess
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

import pcap  # noqa: E402
from lib import weir as rig  # noqa: E402

CAPTURES = ROOT.parent / "shared" / "captures"
PORT_MACS = [bytes.fromhex("0200000000a0"), bytes.fromhex("0200000000a1")]
HOP_MAC = bytes.fromhex("0a0000000302")
SKIPPED = 77


def mac_text(mac):
    return ":".join(f"{byte:02x}" for byte in mac)


class Between:
    """weir with one port that plays frames and one that records what leaves."""

    def __init__(self, frames, make_config):
        self.folder = Path(tempfile.mkdtemp(prefix="weirvdev-"))
        self.out = self.folder / "out.pcap"
        pcap.write(self.folder / "in.pcap", frames)
        devices = [f"net_pcap0,rx_pcap={self.folder}/in.pcap,tx_pcap={self.folder}/back.pcap",
                   f"net_pcap1,tx_pcap={self.out}"]
        self.config = make_config(devices)
        self.weir = rig.Weir(self.folder, self.config)

    def number(self, line, pattern):
        found = re.search(pattern, self.weir.console(line), re.S)
        return int(found.group(1)) if found else -1

    def wait_for(self, received):
        """Until the first port has received so many frames."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.number("show port stats p0", r"received +frames: (\d+)") >= received:
                return
            time.sleep(0.05)

    def end(self):
        """Stops weir; the frames that left, and what was printed."""
        time.sleep(0.2)
        self.drops = self.weir.console("show drops")
        self.weir.stop()
        frames = pcap.read(self.out)
        log = "".join(path.read_text() for path in self.folder.glob("weir-*.log"))
        shutil.rmtree(self.folder)
        return frames, log


def bridge(devices):
    return {"switch": {"name": "bridge"},
            "ports": [{"name": f"p{i}", "device": device} for i, device in enumerate(devices)]}


def router(devices):
    ports = [{"name": f"p{i}", "device": device, "mac": mac_text(PORT_MACS[i]),
              "addresses": [f'198.18.{i}.1/24', f'2001:db8:{i}::1/64']}
             for i, device in enumerate(devices)]
    return {"switch": {"name": "router"}, "ports": ports,
            "routes": [{"prefix": '0.0.0.0/0', "via": ['198.18.1.2']},
                       {"prefix": '::/0', "via": ['2001:db8:1::2']}],
            "neighbors": [{"address": address, "mac": mac_text(HOP_MAC), "port": "p1"}
                          for address in ("198.18.1.2", "2001:db8:1::2")]}


def is_mac_control_or_link_local(frame):
    return frame[:5] == bytes.fromhex("0180c20000") and frame[5] < 16


class Captures(unittest.TestCase):
    """Frames that nobody here made up."""

    @classmethod
    def setUpClass(cls):
        cls.files = sorted(CAPTURES.glob("*.pcap"))
        if not cls.files:
            raise unittest.SkipTest(f"no captures in {CAPTURES}")

    def test_bridge_changes_nothing(self):
        for path in self.files:
            frames = [f for f in pcap.read(path) if not is_mac_control_or_link_local(f)]
            # One side at a time: what the first source sends, then what the others do.
            for first in (True, False):
                wanted = [f for f in frames if (f[6:12] == frames[0][6:12]) == first]
                if not wanted:
                    continue
                with self.subTest(path.name, first=first):
                    self.carry(path.name, wanted)

    def carry(self, name, wanted):
        between = Between(wanted, bridge)
        between.wait_for(len(wanted))
        sent, _ = between.end()
        # A frame to where its destination was heard, the sending port, stays there.
        learned, expected = set(), []
        for frame in wanted:
            learned.add(frame[6:12])
            if frame[:6] not in learned:
                expected.append(frame)
        self.assertEqual(sent, expected)
        print(f"    {name}: {len(wanted)} frames in, {len(sent)} bridged byte for byte", flush=True)

    def test_router_changes_macs_ttl_and_checksum_only(self):
        checked = 0
        for path in self.files:
            frames = [PORT_MACS[0] + f[6:] for f in pcap.read(path)
                      if len(f) > 60 and pcap.is_roce(f) and f[12:14] != b"\x81\x00"]
            frames = [f for f in frames if pcap.icrc_is_right(f)
                      and not (f[12:14] == b"\x86\xdd" and f[22:24] == b"\xfe\x80")]
            if not frames:
                continue
            with self.subTest(path.name):
                between = Between(frames, router)
                between.wait_for(len(frames))
                sent, _ = between.end()
                self.assertEqual(sent, [pcap.routed(f, HOP_MAC, PORT_MACS[1]) for f in frames])
                self.assertTrue(all(pcap.icrc_is_right(f) for f in sent))
                checked += len(sent)
                print(f"    {path.name}: {len(sent)} frames routed, ICRC right", flush=True)
        self.assertGreater(checked, 100)


def many(devices, turn=0):
    """10,000 routes over two gateways and 16,000 MACs; another turn changes 9,999 and all."""
    config = router(devices)
    config["ports"].append({"name": "p2", "device": 'net_null2,no-rx=1'})
    config["neighbors"].append({"address": "198.18.1.3", "mac": mac_text(HOP_MAC), "port": "p1"})
    via = [f"198.18.1.{2 + turn % 2}"]
    config["routes"] += [{"prefix": f'10.{i // 250}.{i % 250}.0/24', "via": via}
                         for i in range(10_000)]
    config["routes"][-1]["via"] = ["198.18.1.2"]
    config["macs"] = [{"mac": f'0a:00:00:{turn:02x}:{i >> 8:02x}:{i & 255:02x}', "vlan": 10,
                       "port": "p2"} for i in range(16_000)]
    return config


class BigTables(unittest.TestCase):
    RELOADS = 5

    def test_loads_and_reloads_under_traffic(self):
        frame = pcap_frame()
        between = Between([frame] * 20_000, many)
        devices = [port["device"] for port in between.config["ports"][:2]]
        took = []
        for turn in range(1, 1 + self.RELOADS):
            # Another file: saving the one that is watched would reload it at once.
            other = between.folder / f"turn-{turn}.yaml"
            other.write_text("\n".join(rig.yaml_lines(many(devices, turn))) + "\n")
            started = time.monotonic()
            text = between.weir.console(f"load {other}", seconds=30)
            took.append((time.monotonic() - started) * 1e3)
            self.assertIn("macs", text)
            self.assertIn("routes", text)
        print("    10,000 routes and 16,000 MACs were replaced in "
              f"{', '.join(f'{ms:.0f}' for ms in took)} ms", flush=True)
        between.wait_for(20_000)
        sent, _ = between.end()
        self.assertEqual(len(sent), 20_000)
        self.assertEqual(set(sent), {pcap.routed(frame, HOP_MAC, PORT_MACS[1])})


def pcap_frame():
    """One RoCEv2 frame for the router."""
    ip = bytearray.fromhex("45680056000040004011000064000001c6330001" "c00012b700420000")
    ip[12:16] = bytes([100, 64, 0, 1])
    ip[16:20] = bytes([10, 3, 7, 9])
    payload = bytes.fromhex("0a00ffff00000011000000010000") + bytes(44)
    frame = bytearray(PORT_MACS[0] + bytes.fromhex("0a00000001020800") + ip + payload)
    frame[14 + 2:14 + 4] = (len(frame) - 14).to_bytes(2, "big")
    frame[38:40] = (len(frame) - 34).to_bytes(2, "big")
    # routed() counts the TTL down; one more first, so that the checksum is made anew.
    frame[22] = 65
    made = bytearray(pcap.routed(bytes(frame), PORT_MACS[0], bytes(frame[6:12])))
    return bytes(made)


def main():
    if os.geteuid() != 0:
        print("SKIP: needs root")
        return SKIPPED
    signal.alarm(int(os.environ.get("WEIR_TEST_SECONDS", "1500")))
    if not CAPTURES.is_dir():
        print(f"note: {CAPTURES} is not there, its frames are left out")
    subprocess.run([str(rig.binary()), "--version"], check=True)
    program = unittest.main(verbosity=2, exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
