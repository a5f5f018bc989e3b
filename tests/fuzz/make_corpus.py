#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the seeds of the frame readers: one whole frame of each kind, and ways to be wrong.

Run it after a change; the seeds are in git, so that a test run needs no generator.
"""
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parent
HOST_A, HOST_B = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")


def ethernet(ether_type, payload, vlan=None, to=HOST_B):
    tag = b"" if vlan is None else struct.pack("!HH", 0x8100, vlan)
    return to + HOST_A + tag + struct.pack("!H", ether_type) + payload


def checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(protocol, payload, options=b"", fragment=0, tos=0x6A, to=(10, 0, 0, 2), ttl=64):
    def header(check):
        return struct.pack("!BBHHHBBH4s4s", 0x45 + len(options) // 4, tos,
                           20 + len(options) + len(payload), 1, fragment, ttl, protocol, check,
                           bytes((10, 0, 0, 1)), bytes(to)) + options
    return header(checksum(header(0))) + payload


def ipv6(next_header, payload):
    addresses = bytes.fromhex("fd" + "00" * 14 + "01" + "fd" + "00" * 14 + "02")
    return struct.pack("!IHBB", 0x60000000 | 0x6A << 20, len(payload), next_header,
                       64) + addresses + payload


def udp(port, payload):
    return struct.pack("!HHHH", 49152, port, 8 + len(payload), 0) + payload


def roce(ip, opcode, extended=b"", payload=b"", pad=0, port=4791):
    """An IP packet with a BTH and a right ICRC."""
    bth = struct.pack("!BBHII", opcode, pad << 4, 0xFFFF, 0x000011, 0x80000001)
    packet = bytearray(ip(17, udp(port, bth + extended + payload + bytes(pad) + bytes(4))))
    length = 20 if packet[0] >> 4 == 4 else 40
    masked = bytearray(packet[:-4])
    if length == 20:
        masked[1] = masked[8] = masked[10] = masked[11] = 0xFF
    else:
        masked[0:4] = bytes((0x6F, 0xFF, 0xFF, 0xFF))
        masked[7] = 0xFF
    masked[length + 6] = masked[length + 7] = masked[length + 12] = 0xFF
    packet[-4:] = struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)))
    return bytes(packet)


def pfc():
    frame = struct.pack("!HH8H", 0x0101, 0x0008, 0, 0, 0, 0xFFFF, 0, 0, 0, 0)
    return bytes.fromhex("0180c2000001") + HOST_A + struct.pack("!H", 0x8808) + frame + bytes(26)


def frames():
    send = roce(ipv4, 0x04, payload=b"sixteen bytes...")
    return {
        "roce_send": ethernet(0x0800, send),
        "roce_send_tagged": ethernet(0x0800, send, vlan=0x6005),
        "roce_write": ethernet(0x0800, roce(ipv4, 0x0A, bytes(16), b"payload", pad=1)),
        "roce_ack": ethernet(0x0800, roce(ipv4, 0x11, bytes(4))),
        "roce_atomic": ethernet(0x0800, roce(ipv4, 0x13, bytes(28))),
        "roce_cnp": ethernet(0x0800, roce(ipv4, 0x81, bytes(16))),
        "roce_ud": ethernet(0x0800, roce(ipv4, 0x64, bytes(8), b"datagram")),
        "roce_ipv6": ethernet(0x86DD, roce(ipv6, 0x04, payload=b"sixteen bytes...")),
        "udp_other_port": ethernet(0x0800, roce(ipv4, 0x04, port=4790)),
        "ipv4_options": ethernet(0x0800, ipv4(17, udp(4791, bytes(20)), b"\x94\x04\0\0")),
        "ipv4_fragment": ethernet(0x0800, ipv4(17, udp(4791, bytes(20)), fragment=0x2001)),
        "tcp": ethernet(0x0800, ipv4(6, struct.pack("!HH", 80, 5000) + bytes(16))),
        "icmp": ethernet(0x0800, ipv4(1, b"\x08\0\xf7\xff\0\0\0\0")),
        "ipv6_neighbor": ethernet(0x86DD, ipv6(58, b"\x87" + bytes(23))),
        "ipv6_fragment": ethernet(0x86DD, ipv6(44, bytes(16))),
        "arp": ethernet(0x0806, struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + HOST_A
                        + bytes((10, 0, 0, 1)) + bytes(6) + bytes((10, 0, 0, 2))),
        "pfc": pfc(),
        "other_ether_type": ethernet(0x88CC, bytes(46)),
        "ethernet_short": bytes(13),
        "tag_short": ethernet(0x0800, b"", vlan=5)[:17],
        "ipv4_length_0": ethernet(0x0800, b"\x45" + bytes(19)),
        "ipv4_header_60_of_20": ethernet(0x0800, b"\x4f\0\0\x3c" + bytes(16)),
        "udp_length_7": ethernet(0x0800, ipv4(17, struct.pack("!HHHH", 1, 4791, 7, 0))),
        "bth_short": ethernet(0x0800, ipv4(17, udp(4791, bytes(15)))),
        "ipv6_length_long": ethernet(0x86DD, ipv6(17, udp(4791, bytes(16)))[:-1]),
    }


def arp(operation, mac, address, asked):
    return ethernet(0x0806, struct.pack("!HHBBH", 1, 0x0800, 6, 4, operation) + mac
                    + bytes(address) + bytes(6) + bytes(asked), to=b"\xff" * 6)


PORT_C = bytes.fromhex("020000000002")
SECOND, LINK, STAY = 4, 8, 16  # fuzz_frame_path.cc: Turn


def turns(*list_of):
    return b"".join(bytes((what,)) + struct.pack("!H", len(frame)) + frame
                    for what, frame in list_of)


def paths():
    """Of fuzz_frame_path.cc: ports 0 and 1 bridge, 2 (10.0.0.254/24) and 3 (10.1.0.1/24) route."""
    def routed(to, ttl=64):
        def packet(protocol, payload):
            return ipv4(protocol, payload, to=to, ttl=ttl)
        return ethernet(0x0800, roce(packet, 0x04, payload=bytes(16)), to=PORT_C)

    echo = ethernet(0x0800, ipv4(1, b"\x08\0\xf7\xff\0\0\0\0", to=(10, 0, 0, 254)), to=PORT_C)
    from_host = arp(1, HOST_A, (10, 0, 0, 1), (10, 0, 0, 254))
    send = frames()["roce_send"]
    return {
        "bridge_flood_and_learn": turns((0, send), (1, send[6:12] + send[:6] + send[12:]),
                                        (0, send)),
        "bridge_tagged": turns((0, frames()["roce_send_tagged"]),
                               (1, frames()["roce_send_tagged"])),
        "route_known_neighbor": turns(*((2, routed((10, 2, 0, last))) for last in range(8))),
        "route_ask_then_answer": turns((2, routed((10, 2, 0, 1))), (2, routed((10, 1, 0, 9))),
                                       (3, arp(2, HOST_B, (10, 1, 0, 9), (10, 1, 0, 1))),
                                       (3, arp(2, HOST_B, (10, 1, 0, 3), (10, 1, 0, 1)))),
        "route_nobody_answers": turns(*[(2 | SECOND, routed((10, 1, 0, 9)))] * 8),
        "arp_and_echo": turns((2, from_host), (2, echo), (2 | SECOND, echo)),
        "ttl_expires": turns((2, from_host), (2, routed((10, 2, 0, 1), ttl=1))),
        "no_route_and_blackhole": turns((2, from_host), (2, routed((10, 9, 0, 1))),
                                        (2, routed((10, 3, 0, 1)))),
        "link_down_with_frames": turns((2 | STAY, routed((10, 2, 0, 1))),
                                       (3 | LINK | STAY, from_host), (2, routed((10, 2, 0, 1)))),
        "control": turns((0, pfc()), (2, pfc()), (3, frames()["other_ether_type"])),
        "empty_frame": turns((0, b""), (2, b"\0")),
    } | {name: turns(*((port, frame) for port in (0, 2))) for name, frame in frames().items()}


def bfd(state, flags=0, mult=3, mine=9, yours=7, tx=100, rx=100, version=1, length=24, more=b""):
    return struct.pack("!BBBB5I", version << 5, state << 6 | flags, mult, length, mine, yours, tx,
                       rx, 0) + more


def sessions():
    """Of fuzz_bfd_decoder.cc: AdminDown 0, Down 1, Init 2, Up 3; P 0x20, F 0x10, A 4, D 2, M 1."""
    return {
        "admin_down": bfd(0),
        "down_first": bfd(1, yours=0),
        "init": bfd(2),
        "up": bfd(3),
        "poll": bfd(3, 0x20),
        "final": bfd(3, 0x10),
        "demand": bfd(3, 0x02),
        "wants_nothing": bfd(3, rx=0),
        "largest": bfd(3, mult=255, tx=0xFFFFFFFF, rx=0xFFFFFFFF),
        "up_without_yours": bfd(3, yours=0),
        "sha1": bfd(3, 0x04, length=52, more=bytes((4, 28)) + bytes(26)),
        "authenticated_short": bfd(3, 0x04, length=25, more=bytes(1)),
        "multipoint": bfd(3, 0x01),
        "multiplier_0": bfd(3, mult=0),
        "discriminator_0": bfd(3, mine=0),
        "version_0": bfd(3, version=0),
        "length_long": bfd(3, length=25),
        "length_short": bfd(3, length=23),
        "truncated": bfd(3)[:23],
        "empty": b"",
    }


POST_SEND, POST_READ, WAIT, HEADERS, SLOW, RECEIVE = 1, 3, 4, 8, 16, 32  # fuzz_host_port.cc


def exchanges():
    """Of fuzz_host_port.cc: 10.0.0.2, whose queue pair 17 expects PSN 1."""
    def packet(opcode, extended=b"", payload=b""):
        return ethernet(0x0800, roce(ipv4, opcode, extended, payload))

    send, ack = packet(0x04, payload=bytes(16)), packet(0x11, b"\x1f\0\0\1")
    return {
        "send_without_receive": turns((0, send), (WAIT, send)),
        "send_with_receive": turns((RECEIVE, send), (0, send)),
        "write_and_read": turns((0, packet(0x0A, bytes(12) + b"\0\0\0\x10", bytes(16))),
                                (0, packet(0x0C, bytes(12) + b"\0\0\x10\0"))),
        "own_send": turns((POST_SEND, ack), (WAIT, ack), (WAIT, ack)),
        "own_read": turns((POST_READ, packet(0x0D, b"\x1f\0\0\1", bytes(256))),
                          (POST_READ, packet(0x10, b"\x1f\0\0\1", bytes(8))), (WAIT, ack)),
        "naks": turns((POST_SEND, packet(0x11, b"\x60\0\0\0")),
                      (WAIT, packet(0x11, b"\x21\0\0\0")), (WAIT, packet(0x11, b"\x62\0\0\0"))),
        "cnp": turns((POST_SEND, packet(0x81, bytes(16))), (WAIT, ack)),
        "paused": turns((POST_SEND, pfc()), (WAIT, frames()["arp"])),
        "slow": turns((SLOW | RECEIVE, send), (0, send), (HEADERS, send), (WAIT, send)),
    } | {name: turns((POST_SEND, frame)) for name, frame in frames().items()}


def write(target, name, data):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def main():
    for name, frame in frames().items():
        write("frame_parser", name, b"\0" + frame)
        if "roce" in name or "bth" in name:
            write("roce_reader", name, frame)
    for name, data in paths().items():
        write("frame_path", name, data)
    for name, data in exchanges().items():
        write("host_port", name, data)
    for name, data in sessions().items():
        write("bfd_decoder", name, data)
    send = frames()["roce_send"]
    write("frame_parser", "roce_send_cut_at_50", bytes((len(send) - 50,)) + send[:50])
    write("roce_reader", "icrc_wrong", send[:-1] + bytes((send[-1] ^ 1,)))
    write("roce_reader", "with_padding", send + bytes(6))


if __name__ == "__main__":
    main()
