# SPDX-License-Identifier: BSD-3-Clause
"""RoCEv2 frames and the pcap file the peers bench plays: 64 flows of one size.

Every frame is whole (without FCS): the IPv4 checksum and the ICRC are right, so a program under
test that looks at them sees what it would see on a wire.
"""

import struct
import zlib

ROCE_PORT = 4791
FLOWS = 64
DESTINATIONS = 8

# Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4.
HEADERS_AND_ICRC_BYTES = 58
# The smallest Ethernet frame without FCS. An RC SEND without payload is 58 B on the wire, so it
# carries 2 B of Ethernet padding behind the ICRC. (60 B of IP data is not possible: payload plus
# pad is a multiple of 4 B.)
ETHERNET_MIN_BYTES = 60

# name of a load -> RoCE payload bytes. 1k is a full frame of RoCE MTU 1024: 1082 B.
PAYLOAD_BYTES = {"60": 0, "1k": 1024}

SOURCE_MAC = bytes.fromhex("02000a010002")
SOURCE_IP = bytes([10, 1, 0, 2])
DESTINATION_PREFIX = "10.2.0.0/16"

RC_SEND_ONLY = 0x04
DSCP_ROCE = 26


def mac_bytes(text):
    """The six bytes of aa:bb:cc:dd:ee:ff."""
    return bytes.fromhex(text.replace(":", ""))


def internet_checksum(data):
    """RFC 1071 over an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def icrc(ip_datagram):
    """The ICRC of an IPv4 datagram up to, not including, the ICRC itself.

    Fields that a router may change are taken as ones: TOS, TTL, header checksum, UDP checksum and
    the BTH byte that holds FECN and BECN; eight bytes of ones stand for the missing LRH.
    """
    masked = bytearray(ip_datagram)
    for offset in (1, 8, 10, 11, 26, 27, 32):
        masked[offset] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(masked)))


def frame_bytes(load):
    """Frame size on the wire, without FCS, of a load named in PAYLOAD_BYTES."""
    return max(ETHERNET_MIN_BYTES, HEADERS_AND_ICRC_BYTES + PAYLOAD_BYTES[load])


def flow_frame(flow, payload_bytes, destination_mac):
    """Frame of one flow: its own UDP source port and QP, one of eight destination addresses."""
    destination = bytes([10, 2, 0, 10 + flow % DESTINATIONS])
    udp_bytes = 8 + 12 + payload_bytes + 4
    header = struct.pack("!BBHHHBBH4s4s", 0x45, DSCP_ROCE << 2, 20 + udp_bytes, flow, 0x4000, 64,
                         17, 0, SOURCE_IP, destination)
    header = header[:10] + struct.pack("!H", internet_checksum(header)) + header[12:]
    udp = struct.pack("!HHHH", 0xC000 + flow * 7, ROCE_PORT, udp_bytes, 0)
    bth = struct.pack("!BBHII", RC_SEND_ONLY, 0, 0xFFFF, 0x11 + flow, 0)
    payload = bytes((flow + i) & 0xFF for i in range(payload_bytes))
    datagram = header + udp + bth + payload
    frame = destination_mac + SOURCE_MAC + b"\x08\x00" + datagram + icrc(datagram)
    return frame.ljust(ETHERNET_MIN_BYTES, b"\0")


def all_flows(load, destination_mac):
    """One frame of each of the 64 flows; destination_mac as six bytes."""
    return [flow_frame(flow, PAYLOAD_BYTES[load], destination_mac) for flow in range(FLOWS)]


def write_pcap(path, frames):
    """A classic little-endian Ethernet file; the frames are a microsecond apart."""
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for number, frame in enumerate(frames):
            seconds, microseconds = divmod(number, 1_000_000)
            out.write(struct.pack("<IIII", seconds, microseconds, len(frame), len(frame)) + frame)


def read_pcap(path):
    """The frames of a file that net_pcap writes: little-endian, nanoseconds or not."""
    with open(path, "rb") as source:
        data = source.read()
    frames, at = [], 24
    while at + 16 <= len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        if at + 16 + length > len(data):
            break
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return frames


def mac_swapped(frame):
    """Destination and source MAC exchanged."""
    return frame[6:12] + frame[:6] + frame[12:]


def five_tuple_swapped(frame):
    """MACs, IPv4 addresses and UDP ports exchanged; the checksum stays right."""
    return (mac_swapped(frame)[:26] + frame[30:34] + frame[26:30] + frame[36:38] + frame[34:36] +
            frame[38:])


def routed(frame, source_mac, destination_mac):
    """As a router sends it on: new MACs, TTL one less, the checksum that belongs to it."""
    header = bytearray(frame[14:34])
    header[8] -= 1
    header[10:12] = b"\0\0"
    header[10:12] = struct.pack("!H", internet_checksum(header))
    return (mac_bytes(destination_mac) + mac_bytes(source_mac) + frame[12:14] + bytes(header) +
            frame[34:])
