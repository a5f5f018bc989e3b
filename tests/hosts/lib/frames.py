# SPDX-License-Identifier: BSD-3-Clause
"""Raw frames in and out of an interface, 802.1Q tags included."""
import select
import socket
import struct
import time
from dataclasses import dataclass

from .undo import undo

ETH_P_ALL = 3
ETHERTYPE_VLAN = 0x8100
ETHERTYPE_EXPERIMENT = 0x88B5  # IEEE 802 local experimental: nobody else on the wire uses it.
PACKET_OUTGOING = 4
SOL_PACKET = 263
PACKET_ADD_MEMBERSHIP = 1
PACKET_MR_PROMISC = 1
PACKET_AUXDATA = 8
STATUS_VLAN_VALID = 0x10
# tpacket_auxdata: status, len, snaplen, mac, net, vlan_tci, vlan_tpid
AUXDATA = struct.Struct("=IIIHHHH")
LONGEST_FRAME = 9216


@dataclass(frozen=True)
class Tag:
    vlan: int
    priority: int = 0

    def packed(self):
        return struct.pack("!HH", ETHERTYPE_VLAN, self.priority << 13 | self.vlan)


class RawSocket:
    """Sees every frame that comes in by an interface, and sends frames as they are."""

    def __init__(self, namespace, interface="eth0"):
        with namespace.entered():
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self.socket.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
            # Bound after the option, so that no frame comes without its tag's word.
            self.socket.bind((interface, ETH_P_ALL))
            promiscuous = struct.pack("iHH8s", socket.if_nametoindex(interface),
                                      PACKET_MR_PROMISC, 0, b"")
            self.socket.setsockopt(SOL_PACKET, PACKET_ADD_MEMBERSHIP, promiscuous)
        undo.push(self.socket.close)

    def fileno(self):
        return self.socket.fileno()

    def send(self, frame):
        self.socket.send(frame)

    def receive(self):
        """One frame as it was on the wire, or None for one that this host sent itself."""
        data, auxiliary, _, address = self.socket.recvmsg(LONGEST_FRAME, 256)
        if address[2] == PACKET_OUTGOING:
            return None
        for level, kind, content in auxiliary:
            if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
                status, _, _, _, _, tci, tpid = AUXDATA.unpack_from(content)
                # The kernel takes the tag out of the frame, wherever it came in.
                if status & STATUS_VLAN_VALID:
                    data = data[:12] + struct.pack("!HH", tpid or ETHERTYPE_VLAN, tci) + data[12:]
        return data

    def frames(self, seconds, wanted=lambda frame: True, enough=None):
        """The wanted frames that come in `seconds`, or as soon as there are `enough`."""
        found = []
        deadline = time.monotonic() + seconds
        while enough is None or len(found) < enough:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                break
            frame = self.receive()
            if frame is not None and wanted(frame):
                found.append(frame)
        return found


def mac_bytes(text):
    return bytes.fromhex(text.replace(":", ""))


def experiment(destination, source, number, tag=None, payload_bytes=46):
    """A frame that only these tests send; `number` tells one from another."""
    head = mac_bytes(destination) + mac_bytes(source) + (tag.packed() if tag else b"")
    body = struct.pack("!HI", ETHERTYPE_EXPERIMENT, number)
    return head + body + bytes(range(256)) * (payload_bytes // 256) + bytes(payload_bytes % 256)


def is_experiment(frame):
    kind = frame[12:14] if frame[12:14] != b"\x81\x00" else frame[16:18]
    return kind == struct.pack("!H", ETHERTYPE_EXPERIMENT)
