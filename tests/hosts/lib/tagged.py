# SPDX-License-Identifier: BSD-3-Clause
"""A host's interface in a VLAN, whose frames carry an 802.1Q tag on the cable."""
import fcntl
import os
import select
import struct
import threading

from .frames import ETHERTYPE_VLAN, LONGEST_FRAME, RawSocket
from .program import CommandFailed
from .undo import undo

TUNSETIFF = 0x400454CA
IFF_TAP_WITHOUT_HEADER = 0x0002 | 0x1000


def add_tagged(host, tag, address):
    """Adds `eth0.VLAN`. Kernels without 802.1Q get it as a tap, whose frames a thread carries."""
    name = f"eth0.{tag.vlan}"
    try:
        host.ip("link", "add", "link", "eth0", "name", name, "type", "vlan", "id", tag.vlan,
                "egress-qos-map", *(f"{i}:{tag.priority}" for i in range(8)))
    except CommandFailed:
        TapTagger(host, tag, name)
    else:
        host.ip("link", "set", name, "up")
    host.add_address(address, name)
    return name


class TapTagger:
    def __init__(self, host, tag, name):
        self.tag = tag
        self.cable = RawSocket(host)
        with host.entered():
            self.tap = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(self.tap, TUNSETIFF,
                        struct.pack("16sH22x", name.encode(), IFF_TAP_WITHOUT_HEADER))
        # Up before the first frame is carried: a tap that is down refuses it.
        host.ip("link", "set", name, "address", host.mac, "up")
        self.ended, self.end = os.pipe()
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()
        undo.push(self.stop)

    def carry(self):
        while True:
            ready, _, _ = select.select([self.tap, self.cable, self.ended], [], [])
            if self.ended in ready:
                return
            if self.tap in ready:
                frame = os.read(self.tap, LONGEST_FRAME)
                self.cable.send(frame[:12] + self.tag.packed() + frame[12:])
            if self.cable in ready:
                frame = self.cable.receive()
                if frame is not None and self.is_ours(frame):
                    os.write(self.tap, frame[:12] + frame[16:])

    def is_ours(self, frame):
        kind, tci = struct.unpack_from("!HH", frame, 12)
        return kind == ETHERTYPE_VLAN and tci & 0xFFF == self.tag.vlan

    def stop(self):
        os.write(self.end, b"x")
        self.thread.join(5)
        for handle in (self.tap, self.end, self.ended):
            os.close(handle)
