# SPDX-License-Identifier: BSD-3-Clause
"""A switch's place: one namespace with a veth end per port, a host at the far end of each."""
from .host import Host, plain_frames
from .namespace import Namespace, scratch_folder


class Rig:
    """Port i of the switch is the interface p{i} of `switch_side`, and leads to hosts[i]."""

    def __init__(self, hosts):
        self.folder = scratch_folder()
        self.switch_side = Namespace("switch")
        self.switch_side.set("net.ipv6.conf.all.disable_ipv6", 1)
        self.switch_side.set("net.ipv6.conf.default.disable_ipv6", 1)
        self.hosts = [self.make_host(index) for index in range(hosts)]

    def make_host(self, index):
        mac = f"02:00:00:00:01:{index + 1:02x}"
        host = Host(f"host{index}", mac, self.folder)
        port = f"p{index}"
        self.switch_side.ip("link", "add", "name", port, "type", "veth", "peer", "name", "eth0",
                            "address", mac, "netns", host.name)
        for namespace, interface in ((self.switch_side, port), (host, "eth0")):
            plain_frames(namespace, interface)
            namespace.ip("link", "set", interface, "up")
        return host
