#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The peers bench without its programs: the frames it plays and the numbers it reports."""

import contextlib
import importlib.util
import io
import pathlib
import struct
import sys
import tempfile
import types
import unittest
from importlib.machinery import SourceFileLoader

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench"
sys.path.insert(0, str(BENCH))

import peer_process  # noqa: E402
import peer_programs  # noqa: E402
import peer_proof  # noqa: E402
import roce_frames  # noqa: E402


def load_peers():
    """tools/bench/peers as a module; it has no .py in its name."""
    loader = SourceFileLoader("peers", str(BENCH / "peers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("peers", loader))
    loader.exec_module(module)
    return module


peers = load_peers()
MAC = roce_frames.mac_bytes(peer_programs.LOAD_MAC)


def crc32_bit_by_bit(data):
    """CRC-32 (reflected 0x04C11DB7), written apart from zlib's."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


class Frames(unittest.TestCase):
    def test_sizes_are_60_and_1082_bytes(self):
        # 14 + 20 + 8 + 12 + 0 + 4 = 58, padded to 60; 58 + 1024 = 1082.
        for load, size in (("60", 60), ("1k", 1082)):
            self.assertEqual(roce_frames.frame_bytes(load), size)
            payload = roce_frames.PAYLOAD_BYTES[load]
            self.assertEqual(len(roce_frames.flow_frame(0, payload, MAC)), size)

    def test_ip_length_leaves_ethernet_padding_out(self):
        frame = roce_frames.flow_frame(3, 0, MAC)
        self.assertEqual(struct.unpack_from("!H", frame, 16)[0], 44)
        self.assertEqual(struct.unpack_from("!H", frame, 38)[0], 24)
        self.assertEqual(frame[58:], b"\0\0")

    def test_ip_checksum_and_icrc_are_right(self):
        for payload in roce_frames.PAYLOAD_BYTES.values():
            frame = roce_frames.flow_frame(63, payload, MAC)
            self.assertEqual(roce_frames.internet_checksum(frame[14:34]), 0)
            end = 14 + struct.unpack_from("!H", frame, 16)[0]
            masked = bytearray(b"\xff" * 8 + frame[14:end - 4])
            # Behind the eight ones: IP at 8, UDP at 28, BTH at 36.
            for offset in (8 + 1, 8 + 8, 8 + 10, 8 + 11, 28 + 6, 28 + 7, 36 + 4):
                masked[offset] = 0xFF
            expected = struct.pack("<I", crc32_bit_by_bit(masked))
            self.assertEqual(frame[end - 4:end], expected)

    def test_icrc_survives_what_a_router_changes(self):
        datagram = bytearray(roce_frames.flow_frame(0, 0, MAC)[14:54])
        before = roce_frames.icrc(datagram)
        datagram[1] |= 0x03  # ECN: CE
        datagram[8] -= 1
        datagram[10] ^= 0x55
        self.assertEqual(roce_frames.icrc(datagram), before)
        datagram[20] ^= 1  # UDP source port
        self.assertNotEqual(roce_frames.icrc(datagram), before)

    def test_64_flows_differ_in_port_and_qp_and_share_a_routed_prefix(self):
        frames = [roce_frames.flow_frame(flow, 0, MAC) for flow in range(roce_frames.FLOWS)]
        self.assertEqual(len({frame[34:36] for frame in frames}), 64)
        self.assertEqual(len({frame[47:50] for frame in frames}), 64)
        self.assertEqual(len({frame[30:34] for frame in frames}), roce_frames.DESTINATIONS)
        self.assertEqual({frame[30:32] for frame in frames}, {bytes([10, 2])})
        self.assertEqual({frame[36:38] for frame in frames}, {struct.pack("!H", 4791)})

    def test_pcap_holds_every_flow_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "load.pcap"
            roce_frames.write_pcap(path, roce_frames.all_flows("60", MAC))
            data = path.read_bytes()
            self.assertEqual(roce_frames.read_pcap(path), roce_frames.all_flows("60", MAC))
        # File header 24 B, then 64 records of 16 + 60 B.
        self.assertEqual(len(data), 24 + 64 * (16 + 60))
        self.assertEqual(data[24 + 16:24 + 16 + 60], roce_frames.flow_frame(0, 0, MAC))


class Numbers(unittest.TestCase):
    def test_json_has_the_median_of_each_program(self):
        runs = [peers.Sample(mpps, 1.0) for mpps in (9.0, 2.0, 3.0)]
        samples = {"60": {"weir": runs, "ovs_dpdk": []}, "1k": {"weir": runs[:1]}}
        self.assertEqual(peers.medians(samples), {"60": {"weir": 3.0}, "1k": {"weir": 9.0}})

    def test_ratio_needs_both_programs(self):
        self.assertEqual(peers.ratio_text({"a": 3.0, "b": 2.0}, "a", "b"), "1.50")
        self.assertEqual(peers.ratio_text({"a": 3.0}, "a", "b"), "-")

    def test_table_flags_a_program_that_did_not_have_its_core(self):
        out = io.StringIO()
        samples = {"60": {"weir": [peers.Sample(8.0, 0.95)],
                          "testpmd_5tswap": [peers.Sample(4.0, 0.94)]}}
        with contextlib.redirect_stdout(out):
            peers.print_table(samples, peers.medians(samples))
        lines = {line.split()[0]: line for line in out.getvalue().splitlines() if line}
        self.assertIn("2.00", lines["weir"])
        self.assertNotIn("disturbed", lines["weir"])
        self.assertIn("disturbed", lines["testpmd_5tswap"])

    def test_a_program_that_is_not_what_it_claims_is_not_measured(self):
        def proven(program, _place, _load):
            raise peer_process.BenchError(f"{program.name}: frame 0 came out 0 times")

        self.replace(peer_proof, "prove", proven)
        self.replace(peers, "measure", lambda *_: self.fail("measured"))
        place = peer_process.Place(0, 1, True, "")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            samples, failed = peers.run_rounds([types.SimpleNamespace(name="a")], ["60"], place,
                                               types.SimpleNamespace(repeat=1, seconds=1))
        self.assertEqual((samples, failed), ({"60": {}}, {"a"}))

    def replace(self, module, name, value):
        self.addCleanup(setattr, module, name, getattr(module, name))
        setattr(module, name, value)

    def test_unknown_program_is_named(self):
        with self.assertRaisesRegex(peer_process.BenchError, "no program vpp; there are .*ovs"):
            peers.pick_programs("vpp", "build/weir", False)

    def test_rounds_go_round_and_a_failed_program_leaves_the_others(self):
        order = []

        def measured(program, _place, pcap, _seconds):
            order.append((pathlib.Path(pcap).stem, program.name))
            if program.name == "bad":
                raise peer_process.BenchError("bad: broken")
            return peers.Sample(1.0, 1.0)

        self.replace(peers, "measure", measured)
        self.replace(peer_proof, "prove", lambda *_: None)
        programs = [types.SimpleNamespace(name=name) for name in ("a", "bad", "b")]
        arguments = types.SimpleNamespace(repeat=2, seconds=1)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            samples, failed = peers.run_rounds(programs, ["60", "1k"],
                                               peer_process.Place(0, 1, True, ""), arguments)
        self.assertEqual(order, [("60", "a"), ("60", "bad"), ("60", "b"), ("1k", "a"), ("1k", "b"),
                                 ("60", "a"), ("60", "b"), ("1k", "a"), ("1k", "b")])
        self.assertEqual(failed, {"bad"})
        self.assertEqual(sorted(samples["60"]), ["a", "b"])
        self.assertEqual(len(samples["60"]["b"]), 2)


class Proof(unittest.TestCase):
    """A router over two next hops is played by the test itself."""

    def setUp(self):
        self.program = peer_programs.Weir("weir", "build/weir")
        self.sent = roce_frames.all_flows("60", MAC)
        # Even flows to the first next hop, odd ones to the second.
        self.out = [self.program.claims(frame)[i % 2] for i, frame in enumerate(self.sent)]

    def refused(self, out, why):
        with self.assertRaisesRegex(peer_process.BenchError, why):
            peer_proof.check(self.program, self.sent, out)

    def test_right_frames_in_any_order_pass(self):
        peer_proof.check(self.program, self.sent, self.out[::-1])

    def test_routed_frames_are_one_hop_older_with_a_right_checksum(self):
        before, after = self.sent[5], self.out[5]
        self.assertEqual(after[22], before[22] - 1)
        self.assertEqual(roce_frames.internet_checksum(after[14:34]), 0)
        self.assertEqual(after[6:12], roce_frames.mac_bytes(peer_programs.SINK_MAC))
        self.assertEqual(after[34:], before[34:])

    def test_five_tuple_swap_keeps_the_checksum_right_and_undoes_itself(self):
        swapped = roce_frames.five_tuple_swapped(self.sent[9])
        self.assertEqual(roce_frames.internet_checksum(swapped[14:34]), 0)
        self.assertEqual(swapped[26:30], self.sent[9][30:34])
        self.assertEqual(swapped[34:36], self.sent[9][36:38])
        self.assertEqual(roce_frames.five_tuple_swapped(swapped), self.sent[9])

    def test_lost_doubled_and_changed_frames_are_refused(self):
        self.refused(self.out[:-1], "frame 63 came out 0 times")
        self.refused(self.out + self.out[:1], "frame 0 came out 2 times")
        wrong_ttl = self.out[7][:22] + b"\x40" + self.out[7][23:]
        self.refused(self.out[:7] + [wrong_ttl] + self.out[8:], "should not have come out")

    def test_one_next_hop_for_all_flows_is_refused(self):
        first = [self.program.claims(frame)[0] for frame in self.sent]
        self.refused(first, "same next hop")


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        core = min(peer_process.os.sched_getaffinity(0))
        self.place = peer_process.Place(core, core, False, folder.name)

    def test_a_program_that_ends_early_is_reported_with_its_last_words(self):
        process = peer_process.Process(self.place, ["sh", "-c", "echo no such port; exit 3"], "x")
        self.addCleanup(process.stop)
        with self.assertRaisesRegex(peer_process.BenchError, "(?s)ended with 3.*no such port"):
            process.wait_for(lambda: None, 10, "frame")

    def test_stop_ends_a_program_that_ignores_the_request(self):
        process = peer_process.Process(
            self.place, ["sh", "-c", "trap '' TERM; echo up; while :; do sleep 0.1; done"], "x")
        process.wait_for(lambda: "up" in process.log() or None, 10, "start")
        real, peer_process.STOP_SECONDS = peer_process.STOP_SECONDS, 0.2
        self.addCleanup(setattr, peer_process, "STOP_SECONDS", real)
        process.stop()
        self.assertFalse(pathlib.Path(f"/proc/{process.pid}").exists())


if __name__ == "__main__":
    unittest.main()
