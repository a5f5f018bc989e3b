# SPDX-License-Identifier: BSD-3-Clause
"""pcap files, and RoCEv2 frames in them, by code of the tests' own."""

import struct
import zlib


def read(path):
    """The frames of a little-endian or big-endian pcap file."""
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    frames, at = [], 24
    while at + 16 <= len(data):
        captured, _ = struct.unpack_from(order + "II", data, at + 8)
        frames.append(data[at + 16:at + 16 + captured])
        at += 16 + captured
    return frames


def write(path, frames):
    """Ethernet frames, a microsecond apart."""
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            out.write(struct.pack("<IIII", 0, i, len(frame), len(frame)) + frame)


def l3_offset(frame):
    return 18 if frame[12:14] == b"\x81\x00" else 14


def is_roce(frame):
    """A RoCEv2 frame: UDP to port 4791 over IPv4 without options, or over IPv6."""
    ip = l3_offset(frame)
    ether_type = frame[ip - 2:ip]
    if ether_type == b"\x08\x00":
        return frame[ip] == 0x45 and frame[ip + 9] == 17 and frame[ip + 22:ip + 24] == b"\x12\xb7"
    return (ether_type == b"\x86\xdd" and frame[ip + 6] == 17
            and frame[ip + 42:ip + 44] == b"\x12\xb7")


def icrc_is_right(frame):
    """The last four bytes are the CRC of the rest with the fields masked that a switch may change
    (IBTA annex A17)."""
    ip = l3_offset(frame)
    ipv4 = frame[ip] >> 4 == 4
    length = struct.unpack_from(">H", frame, ip + (2 if ipv4 else 4))[0] + (0 if ipv4 else 40)
    whole = bytearray(b"\xff" * 8 + frame[ip:ip + length])
    if ipv4:
        masked, udp = (9, 16, 18, 19), 28
    else:
        whole[8] |= 0x0f
        masked, udp = (9, 10, 11, 15), 48
    for at in (*masked, udp + 6, udp + 7, udp + 12):
        whole[at] = 0xff
    return struct.pack("<I", zlib.crc32(whole[:-4])) == whole[-4:]


def routed(frame, destination, source):
    """The frame as a router must send it."""
    out = bytearray(frame)
    out[:12] = destination + source
    ip = l3_offset(frame)
    if out[ip] >> 4 == 6:
        out[ip + 7] -= 1
        return bytes(out)
    out[ip + 8] -= 1
    out[ip + 10:ip + 12] = b"\0\0"
    total = sum(struct.unpack_from(">10H", out, ip))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    struct.pack_into(">H", out, ip + 10, 0xffff - total)
    return bytes(out)
