# SPDX-License-Identifier: BSD-3-Clause
"""weir-gen between two hosts on one veth pair: what it sends, what it counts, how it ends."""
import json
import os
import signal
import struct
import subprocess
import zlib
from pathlib import Path

from lib import frames, require, runner
from lib.host import Host, plain_frames
from lib.namespace import Namespace, scratch_folder

FRAMES = 10_000
# Slow enough that the kernel's backlog of 1000 frames never fills on a busy machine; the sink's
# socket holds all of them even if it does not run once.
RATE = 20_000


def binary():
    root = Path(__file__).resolve().parents[2]
    return os.environ.get("WEIR_GEN", str(root / "build" / "weir-gen"))


def wire(folder):
    """Two hosts whose `eth0` are the two ends of a cable."""
    hosts = [Host(name, f"02:00:00:00:02:{number:02x}", folder)
             for number, name in enumerate(("left", "right"), 1)]
    left, right = hosts
    left.ip("link", "add", "name", "eth0", "address", left.mac, "type", "veth", "peer", "name",
            "eth0", "address", right.mac, "netns", right.name)
    for number, host in enumerate(hosts, 1):
        plain_frames(host, "eth0")
        host.ip("link", "set", "eth0", "up")
        host.add_address(f"10.9.0.{number}/24")
        host.add_address(f"fd00:9::{number}/64")
    return hosts


def weir_gen(host, *words, seconds=30):
    return subprocess.run([*host.prefix(), binary(), *map(str, words)], capture_output=True,
                          text=True, timeout=seconds, check=False)


class Sink:
    count = 0

    def __init__(self, host, *words):
        Sink.count += 1
        self.json_path = host.folder / f"sink{Sink.count}.json"
        self.program = host.start(binary(), "sink", "--iface", "eth0", "--json", self.json_path,
                                  *words, log=host.folder / f"sink{Sink.count}.log")
        self.program.wait_for_output("listening on eth0", 10)

    def finish(self, code=0):
        """Waits for its own end and gives back what it counted."""
        ended = self.program.wait(30)
        self.program.stop()
        if ended != code:
            raise AssertionError(f"exit code {ended}, not {code}:\n{self.program.output()}")
        return json.loads(self.json_path.read_text())


def icrc(packet):
    """Of an IP packet without its ICRC: the same rules as the program's, in other words."""
    ipv6 = packet[0] >> 4 == 6
    masked = bytearray(packet)
    udp = 40 if ipv6 else 20
    for index in (*((1, 2, 3, 7) if ipv6 else (1, 8, 10, 11)), udp + 6, udp + 7, udp + 12):
        masked[index] = 0xFF
    if ipv6:
        masked[0] |= 0x0F
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))


def pcap_of(path, captured):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(captured):
            out.write(struct.pack("<IIII", 0, number, len(frame), len(frame)) + frame)


def dissected(path, *fields):
    # Without the heuristic, which reads beyond a short SEND and then calls the frame malformed.
    words = ["tshark", "-n", "-r", str(path), "-o", "ip.check_checksum:TRUE",
             "--disable-heuristic", "rpcrdma_infiniband", "-T", "fields"]
    for field in (*fields, "_ws.malformed", "_ws.expert.message"):
        words += ["-e", field]
    done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def is_roce(frame):
    tagged = frame[12:14] == b"\x81\x00"
    kind = frame[16:18] if tagged else frame[12:14]
    port = (18 if tagged else 14) + (42 if kind == b"\x86\xdd" else 22)
    return kind in (b"\x08\x00", b"\x86\xdd") and frame[port:port + 2] == b"\x12\xb7"


class TwoHosts(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*require.hosts)
        cls.folder = scratch_folder()
        cls.left, cls.right = wire(cls.folder)

    def send(self, *words):
        path = self.folder / "send.json"
        done = weir_gen(self.left, "send", "--iface", "eth0", "--json", path, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(path.read_text())

    def refused(self, host, *words):
        """The one line that says why."""
        done = weir_gen(host, *words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("weir-gen: "), done.stderr)
        return done.stderr


class AllFramesArrive(TwoHosts):
    def transfer(self, address, frame_bytes, *more):
        sink = Sink(self.right, "--count", FRAMES, "--duration", 25)
        sent = self.send("--to", address, "--count", FRAMES, "--rate", RATE, "--qps", 4, *more)
        seen = sink.finish()
        self.assertEqual(sent["frames"], FRAMES)
        self.assertEqual(sent["bytes"], FRAMES * frame_bytes)
        self.assertEqual(sent["destination_mac"], self.right.mac)
        self.assertTrue(seen["ok"])
        self.assertEqual((seen["frames"], seen["bytes"]), (FRAMES, FRAMES * frame_bytes))
        for nothing in ("icrc_errors", "malformed", "missing", "duplicates", "reordered", "stale",
                        "socket_drops", "untracked"):
            self.assertEqual(seen[nothing], 0, nothing)
        self.assertEqual([flow["qp"] for flow in seen["flows"]], [256, 257, 258, 259])
        for flow in seen["flows"]:
            self.assertEqual(flow["frames"], FRAMES // 4)
            self.assertEqual((flow["psn_first"], flow["psn_newest"]), (0, FRAMES // 4 - 1))
            self.assertEqual(flow["destination"], address)
        return seen

    def test_over_ipv4(self):
        # 58 + 1024 bytes.
        seen = self.transfer("10.9.0.2", 1082)
        self.assertEqual(seen["dscp"], {"26": {"frames": FRAMES, "bytes": FRAMES * 1082}})
        self.assertEqual(seen["ecn"], {"not_ect": 0, "ect1": 0, "ect0": FRAMES, "ce": 0})
        self.assertEqual(seen["payload_bytes"], FRAMES * 1024)
        self.assertEqual(seen["tagged"], 0)

    def test_over_ipv6_as_writes(self):
        # 20 for the longer IP header, 16 for the RETH; 5 bytes of payload are padded to 8.
        seen = self.transfer("fd00:9::2", 58 + 20 + 16 + 8, "--op", "write", "--size", 5,
                             "--dscp", 48, "--ecn", 3)
        self.assertEqual(list(seen["dscp"]), ["48"])
        self.assertEqual(seen["ecn"]["ce"], FRAMES)

    def test_with_a_tag(self):
        # Without payload 58 bytes and 4 of the tag.
        seen = self.transfer("10.9.0.2", 62, "--vlan", "100/3", "--size", 0)
        self.assertEqual(seen["tagged"], FRAMES)
        self.assertEqual(seen["pcp"], {"3": FRAMES})


class FramesAreRight(TwoHosts):
    def captured(self, address, *more):
        """20 frames as they come in at the other end, of two QPs, the PSNs at their wrap."""
        watching = frames.RawSocket(self.right)
        self.send("--to", address, "--count", 20, "--qps", 2, "--psn", 0xFFFFFC, *more)
        found = watching.frames(10, is_roce, enough=20)
        self.assertEqual(len(found), 20)
        return found

    def check(self, captured, fields, values, remark=""):
        """tshark's values of the fields, the same in all frames, beside what each frame has.
        `remark`: what tshark finds worth saying about each frame."""
        require.need(require.programs("tshark"))
        path = self.folder / "captured.pcap"
        pcap_of(path, captured)
        rows = dissected(path, "infiniband.bth.destqp", "infiniband.bth.psn", "udp.srcport",
                         "infiniband.invariant.crc", *fields)
        self.assertEqual(len(rows), 20)
        for number, (frame, row) in enumerate(zip(captured, rows)):
            psn = (0xFFFFFC + number // 2) % (1 << 24)
            qp = 0x100 + number % 2
            self.assertEqual(row[:3], [f"{qp:#08x}", str(psn), str(49152 + number % 2)])
            self.assertEqual(int(row[3], 16).to_bytes(4, "big"), self.icrc_of(frame))
            self.assertEqual(row[4:], [*values, "", remark])

    def icrc_of(self, frame):
        packet = frame[18 if frame[12:14] == b"\x81\x00" else 14:]
        length = 40 + int.from_bytes(packet[4:6], "big") if packet[0] >> 4 == 6 else \
            int.from_bytes(packet[2:4], "big")
        return icrc(packet[:length - 4])

    def test_send_over_ipv4(self):
        self.check(self.captured("10.9.0.2", "--size", 6),
                   ("infiniband.bth.opcode", "infiniband.bth.padcnt", "ip.checksum.status",
                    "ip.dsfield.dscp", "ip.dsfield.ecn", "ip.src", "eth.dst"),
                   ("4", "2", "1", "26", "2", "10.9.0.1", self.right.mac))

    def test_write_over_ipv6(self):
        self.check(self.captured("fd00:9::2", "--op", "write", "--size", 64, "--ttl", 7),
                   ("infiniband.bth.opcode", "infiniband.reth.dmalen", "ipv6.hlim", "ipv6.src"),
                   ("10", "64", "7", "fd00:9::1"),
                   # RoCEv2 end points leave the UDP checksum out, over IPv6 too.
                   remark="Illegal checksum value (0)")

    def test_tag(self):
        self.check(self.captured("10.9.0.2", "--vlan", "100/3"),
                   ("infiniband.bth.opcode", "vlan.id", "vlan.priority", "ip.checksum.status"),
                   ("4", "100", "3", "1"))


class TheSinkTells(TwoHosts):
    def packet_file(self, *more):
        """Frames of weir-gen, addressed to the right host, as bytes."""
        path = self.folder / "frames.pcap"
        done = weir_gen(self.left, "pcap", "--out", path, "--to-mac", self.right.mac, *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        data = path.read_bytes()
        found, at = [], 24
        while at < len(data):
            length = int.from_bytes(data[at + 8:at + 12], "little")
            found.append(data[at + 16:at + 16 + length])
            at += 16 + length
        return found

    def counted(self, sent, *words, code):
        sink = Sink(self.right, "--idle", 1, "--duration", 20, *words)
        sending = frames.RawSocket(self.left)
        for frame in sent:
            sending.send(frame)
        return sink.finish(code)

    def test_what_is_missing_repeated_and_reordered(self):
        one = self.packet_file("--flows", 1, "--count", 10)
        # 3 and 4 are missing, 5 comes after 6, 7 twice.
        order = [one[index] for index in (0, 1, 2, 6, 5, 7, 7, 8, 9)]
        seen = self.counted(order, code=1)
        self.assertEqual([seen[key] for key in ("missing", "duplicates", "reordered", "stale")],
                         [2, 1, 1, 0])
        self.assertEqual(seen["frames"], 9)
        self.assertEqual(seen["problem"], "2 missing, 1 duplicate, 1 reordered")
        self.assertTrue(self.counted(order, "--allow-loss", code=0)["ok"])

    def test_what_is_damaged_even_if_loss_is_allowed(self):
        good = self.packet_file("--flows", 1, "--count", 3)
        flipped = bytearray(good[1])
        flipped[100] ^= 0x10
        # The UDP length says one byte more than there is.
        longer = bytearray(good[2])
        longer[39] += 1
        seen = self.counted([good[0], bytes(flipped), bytes(longer)], "--allow-loss", code=1)
        self.assertEqual([seen[key] for key in ("frames", "icrc_errors", "malformed")], [1, 1, 1])

    def test_that_fewer_came_than_expected(self):
        sink = Sink(self.right, "--count", 11, "--idle", 1)
        self.send("--to", "10.9.0.2", "--count", 10)
        self.assertEqual(sink.finish(1)["problem"], "1 fewer than expected")

    def test_that_nothing_came(self):
        seen = Sink(self.right, "--duration", 0.2).finish(1)
        self.assertEqual(seen["problem"], "no RoCEv2 frame came")

    def test_only_what_is_for_its_own_mac_unless_asked(self):
        sent = self.packet_file("--flows", 1, "--count", 3)
        sent[:2] = [frames.mac_bytes("02:00:00:00:09:09") + frame[6:] for frame in sent[:2]]
        seen = self.counted(sent, code=0)
        self.assertEqual((seen["frames"], seen["flows"][0]["psn_first"]), (1, 2))
        self.assertEqual(self.counted(sent, "--any-mac", code=0)["frames"], 3)

    def test_its_summary_on_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            sink = Sink(self.right)
            self.send("--to", "10.9.0.2", "--count", 10)
            self.assertEqual(sink.program.stop(number), 0)
            self.assertIn("received 10 frames", sink.program.output())
            self.assertEqual(json.loads(sink.json_path.read_text())["frames"], 10)


    def test_what_came_before_its_interface_went(self):
        away, there = Namespace("away"), Namespace("there")
        away.ip("link", "add", "name", "eth0", "type", "veth", "peer", "name", "eth0", "netns",
                there.name)
        for namespace in (away, there):
            namespace.ip("link", "set", "eth0", "up")
        there.folder = self.folder
        sink = Sink(there, "--any-mac", "--duration", 20)
        sent = self.packet_file("--flows", 1, "--count", 5)
        sending = frames.RawSocket(away)
        # Down and up again is no reason to end.
        there.ip("link", "set", "eth0", "down")
        there.ip("link", "set", "eth0", "up")
        for frame in sent:
            sending.send(frame)
        there.ip("link", "delete", "eth0")
        seen = sink.finish(1)
        self.assertEqual((seen["ok"], seen["frames"]), (False, 5))
        self.assertIn("cannot receive on eth0", seen["problem"])


class TheSenderFinds(TwoHosts):
    def test_the_next_hop_of_a_route(self):
        self.left.add_route("198.51.100.0/24", "10.9.0.2")
        self.left.add_route("2001:db8:1::/48", "fd00:9::2")
        for address in ("198.51.100.7", "2001:db8:1::7"):
            self.left.forget_neighbours()
            sent = self.send("--to", address, "--count", 1)
            self.assertEqual(sent["destination_mac"], self.right.mac)
            self.assertEqual(sent["destination"], address)

    def test_an_ipv4_route_by_an_ipv6_gateway(self):
        self.left.ip("route", "add", "203.0.113.0/24", "via", "inet6", "fd00:9::2", "dev", "eth0")
        self.assertEqual(self.send("--to", "203.0.113.1", "--count", 1)["destination_mac"],
                         self.right.mac)

    def test_its_end_on_a_signal(self):
        log = self.folder / "endless.log"
        sender = self.left.start(binary(), "send", "--iface", "eth0", "--to", "10.9.0.2", "--rate",
                                 100, log=log)
        sender.wait_for_output("sending from 10.9.0.1 to 10.9.0.2", 10)
        self.assertEqual(sender.stop(signal.SIGTERM), 0)
        self.assertIn("frames/s", sender.output())


class MistakesAreOneLine(TwoHosts):
    def test_interfaces(self):
        self.assertIn("there is no interface eth7", self.refused(
            self.left, "send", "--iface", "eth7", "--to", "10.9.0.2"))
        bare = Namespace("bare")  # Without any address that the kernel could take as a source.
        bare.ip("link", "add", "spare", "type", "veth", "peer", "name", "spare1")
        for words in (("send", "--to", "10.9.0.2"), ("sink",)):
            self.assertIn("ip link set spare up", self.refused(bare, *words, "--iface", "spare"))
        bare.ip("link", "set", "spare", "up")
        send = ("send", "--iface", "spare", "--to-mac", self.right.mac, "--to")
        self.assertIn("has no IPv4 address: give --from", self.refused(bare, *send, "10.9.0.2"))
        self.assertIn("no route to fd00:9::2 on spare", self.refused(bare, *send, "fd00:9::2"))

    def test_addresses(self):
        self.assertIn("no answer from 10.9.0.77", self.refused(
            self.left, "send", "--iface", "eth0", "--to", "10.9.0.77"))
        self.assertIn("not a unicast route", self.refused(
            self.left, "send", "--iface", "eth0", "--to", "10.9.0.1"))
        self.assertIn("expected an IPv4 or IPv6 address", self.refused(
            self.left, "send", "--iface", "eth0", "--to", "10.9.0"))

    def test_frames_that_are_too_large(self):
        self.assertIn("use a smaller --size", self.refused(
            self.left, "send", "--iface", "eth0", "--to", "10.9.0.2", "--size", 4096))

    def test_files(self):
        self.assertIn("cannot write /no/where.json", self.refused(
            self.right, "sink", "--iface", "eth0", "--json", "/no/where.json"))

    def test_rights(self):
        done = subprocess.run([*self.right.prefix(), "setpriv", "--reuid", "65534", "--inh-caps",
                               "-all", "--bounding-set", "-all", "--clear-groups", binary(),
                               "sink", "--iface", "eth0"],
                              capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("CAP_NET_RAW", done.stderr)


if __name__ == "__main__":
    runner.run(seconds=170)
