# SPDX-License-Identifier: BSD-3-Clause
"""FRR's zebra and bfdd on a host: a BFD speaker that is not ours."""
import json
import shutil
from pathlib import Path

from .program import command, wait_until

DAEMONS = Path("/usr/lib/frr")


def daemons():
    missing = [name for name in ("zebra", "bfdd") if not (DAEMONS / name).exists()]
    return f"not installed: frr ({', '.join(missing)})" if missing else None


class Frr:
    """`peers`: lines of bfdd's configuration for each."""

    def __init__(self, host, folder, peers):
        self.host = host
        self.folder = Path(folder, "frr")
        self.folder.mkdir()
        (self.folder / "zebra.conf").write_text("")
        (self.folder / "bfdd.conf").write_text("\n".join(["bfd", *peers, "!", ""]))
        # The daemons give up root.
        for path in (self.folder, *self.folder.iterdir()):
            shutil.chown(path, "frr", "frr")
        for path in (self.folder.parent, Path(folder).parent):
            path.chmod(0o711)
        self.zebra = self.daemon("zebra")
        self.start_bfdd()

    def daemon(self, name, *more):
        return self.host.start(
            DAEMONS / name, "-f", self.folder / f"{name}.conf", "-i", self.folder / f"{name}.pid",
            "-z", self.folder / "zserv", "--vty_socket", self.folder,
            "--log", "stdout", *more, log=self.folder / f"{name}.log")

    def start_bfdd(self):
        self.bfdd = self.daemon("bfdd", "--bfdctl", self.folder / "bfdd.sock")
        wait_until(self.answers, 20, "bfdd answers", self.bfdd)

    def answers(self):
        try:
            return bool(self.peers())
        except (AssertionError, ValueError):
            return False

    def vtysh(self, *lines):
        words = [word for line in lines for word in ("-c", line)]
        return command(["vtysh", "--vty_socket", str(self.folder), *words])

    def peers(self):
        """By address; see `show bfd peers json`."""
        return {peer["peer"]: peer for peer in json.loads(self.vtysh("show bfd peers json"))}

    def counters(self, address):
        peers = json.loads(self.vtysh("show bfd peers counters json"))
        return next(peer for peer in peers if peer["peer"] == address)

    def configure(self, address, *lines):
        """`address`: the peer line of bfdd's configuration."""
        self.vtysh("configure terminal", "bfd", address, *lines)

    def kill_bfdd(self):
        self.bfdd.kill()

    def stop(self):
        self.bfdd.stop()
        self.zebra.stop()
