# SPDX-License-Identifier: BSD-3-Clause
"""A QEMU guest with Linux' own RoCEv2 end, on a vhost-user port of the switch."""
import base64
import ipaddress
import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from . import require
from .program import CommandFailed, Program, tail
from .undo import undo

RXE_FOLDER = Path(__file__).resolve().parents[1] / "rxe"
MEMORY_MIB = 192
BOOT_SECONDS = 100
# More than the guest's own limit on a command, so that the guest's word comes first.
GRACE_SECONDS = 30

needs = (require.x86_64, require.programs("qemu-system-x86_64", "apt-get", "dpkg-deb"))


def image_folder():
    default = RXE_FOLDER.parents[2] / "build" / "cache" / "rxe"
    return Path(os.environ.get("WEIR_GUEST_FOLDER", default))


def build_image():
    """Gives back what is missing, or None when the guest is there."""
    done = subprocess.run([sys.executable, RXE_FOLDER / "build_guest", image_folder()],
                          capture_output=True, text=True, timeout=900, check=False)
    return None if done.returncode == 0 else done.stderr.strip()


@dataclass
class Answer:
    status: int
    text: str


class Guest:
    def __init__(self, name, mac, vhost_socket, folder):
        self.name = name
        self.mac = mac
        self.vhost_socket = vhost_socket
        self.folder = folder
        self.console = folder / f"{name}.console"
        self.start_qemu()

    def start_qemu(self):
        self.answers = {}
        self.unread = b""
        self.commands = 0
        path = self.folder / f"{self.name}.agent"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen(1)
            words = qemu_words(self.name, self.mac, self.vhost_socket, path, self.console)
            self.qemu = Program(words, self.folder / f"{self.name}.qemu")
            listening.settimeout(20)
            self.agent, _ = listening.accept()
        undo.push(self.agent.close)

    def wait_until_booted(self):
        """Emulated on a machine that is busy with other things, Linux can lose its timer while it
        starts, and then panics or stands still. That says nothing about the switch."""
        for attempts_left in (2, 1, 0):
            try:
                self.wait_for("ready", BOOT_SECONDS)
                return
            except CommandFailed as problem:
                if attempts_left == 0:
                    raise
                print(f"{problem}\n{self.name} is started again")
            self.qemu.kill()
            self.start_qemu()

    def run(self, shell_command, seconds=60, allowed=(0,)):
        answer = self.finish(self.start(shell_command, seconds), seconds)
        if answer.status not in allowed:
            raise CommandFailed(f"{self.name}: {shell_command}: status {answer.status}\n"
                                f"{answer.text}")
        return answer.text

    def start(self, shell_command, seconds):
        """Gives back the command's name for finish(); it ends by itself after `seconds`."""
        self.commands += 1
        name = str(self.commands)
        request = f"{name} {seconds} {base64.b64encode(shell_command.encode()).decode()}\n"
        self.agent.sendall(request.encode())
        return name

    def finish(self, name, seconds):
        return self.wait_for(name, seconds + GRACE_SECONDS)

    def ended(self, name):
        self.read(0)
        return name in self.answers

    def wait_for(self, name, seconds):
        deadline = time.monotonic() + seconds
        while name not in self.answers:
            left = deadline - time.monotonic()
            if left <= 0:
                raise CommandFailed(f"{self.name}: no answer in {seconds} s; its console:\n"
                                    f"{tail(self.console)}")
            self.read(left)
        return self.answers.pop(name)

    def read(self, seconds):
        if not select.select([self.agent], [], [], seconds)[0]:
            return
        data = self.agent.recv(65536)
        if not data:
            raise CommandFailed(f"{self.name}: QEMU ended; the guest's console:\n"
                                f"{tail(self.console)}\nQEMU said:\n{tail(self.qemu.log)}")
        *lines, self.unread = (self.unread + data).split(b"\n")
        for line in lines:
            words = line.decode(errors="replace").split(" ")
            if len(words) == 3:
                text = base64.b64decode(words[2].rstrip(".")).decode(errors="replace")
                self.answers[words[0]] = Answer(int(words[1]), text)

    def set_up(self, *addresses, mtu=1500):
        """Brings up eth0 with its addresses and its Soft-RoCE device."""
        lines = ["set -e", "ip link set lo up",
                 "echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_dad",
                 "echo 0 > /proc/sys/net/ipv6/conf/eth0/router_solicitations",
                 f"ip link set eth0 mtu {mtu} up"]
        lines += [f"ip address add {address} dev eth0 {'nodad' if ':' in address else ''}"
                  for address in addresses]
        lines += ["rdma link add rxe0 type rxe netdev eth0"]
        self.run("\n".join(lines))

    def add_vlan(self, vlan, priority, address):
        maps = " ".join(f"{i}:{priority}" for i in range(8))
        self.run(f"ip link add link eth0 name eth0.{vlan} type vlan id {vlan} "
                 f"egress-qos-map {maps} && ip link set eth0.{vlan} up && "
                 f"ip address add {address} dev eth0.{vlan}")

    def gid_index(self, address, seconds=10):
        """Which entry of the device's GID table holds the address; the kernel adds it late."""
        address = ipaddress.ip_address(address)
        if address.version == 4:
            address = ipaddress.IPv6Address(f"::ffff:{address}")
        deadline = time.monotonic() + seconds
        while True:
            text = self.run("cd /sys/class/infiniband/rxe0/ports/1/gids; "
                            f"grep -l -s {address.exploded} *", allowed=(0, 1, 2))
            if text.split():
                return int(text.split()[0])
            if time.monotonic() > deadline:
                raise CommandFailed(f"{self.name}: rxe0 has no GID {address.exploded}")

    def rdma_counters(self):
        (entry,) = json.loads(self.run("rdma -j statistic show link rxe0/1"))
        return {name: value for name, value in entry.items() if isinstance(value, int)}

    def path_mtu(self):
        """The RoCE MTU of the device, which follows the MTU of eth0."""
        found = re.search(r"active_mtu:\s+(\d+)", self.run("ibv_devinfo -d rxe0"))
        return int(found.group(1))


def qemu_words(name, mac, vhost_socket, agent, console):
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as text:
        virtual = re.search(r"\b(vmx|svm)\b", text.read()) and os.access("/dev/kvm", os.W_OK)
    # Each frame on the wire is whole and has its checksum: the switch passes no such promises on.
    card = f"virtio-net-pci,netdev=cable,mac={mac},romfile=,mrg_rxbuf=on"
    for offload in ("csum", "gso", "guest_csum", "guest_tso4", "guest_tso6", "guest_ecn",
                    "guest_ufo", "host_tso4", "host_tso6", "host_ecn", "host_ufo"):
        card += f",{offload}=off"
    if not virtual:
        card += ",vectors=0"  # QEMU 7.2 crashes with vhost-user and MSI-X without KVM.
    accelerator = ["-accel", "kvm", "-cpu", "host"] if virtual else \
        ["-accel", "tcg,thread=multi", "-cpu", "qemu64"]
    return ["qemu-system-x86_64", "-name", name, *accelerator, "-smp", "1",
            "-machine", "pc,memory-backend=memory", "-m", str(MEMORY_MIB),
            "-object", f"memory-backend-memfd,id=memory,size={MEMORY_MIB}M,share=on",
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-serial", f"file:{console}",
            "-chardev", f"socket,id=agent,path={agent}", "-serial", "chardev:agent",
            "-kernel", str(image_folder() / "vmlinux"),
            "-initrd", str(image_folder() / "initramfs"),
            # A guest that is held up while it tries its timer would panic: no_timer_check.
            "-append", "console=ttyS0 quiet panic=-1 nokaslr mitigations=off cryptomgr.notests "
                       "no_timer_check",
            # The switch makes the socket; after a restart of it QEMU comes back by itself.
            "-chardev", f"socket,id=port,path={vhost_socket},reconnect=1",
            "-netdev", "vhost-user,id=cable,chardev=port,queues=1",
            "-device", card, "-device", "virtio-rng-pci"]
