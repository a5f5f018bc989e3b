# SPDX-License-Identifier: BSD-3-Clause
"""The programs of the peers bench: how each is started and where its counter is read.

Every program gets the same two ports (net_pcap that plays the load for ever -> net_null), one
worker core, the same memory options. frames() is what it handed to the sink so far; claims() is
what it makes of a frame, which peer_proof holds it to.
"""

import contextlib
import json
import os
import re
import shutil
import socket

import peer_process
import roce_frames

START_SECONDS = 30
# net_pcap's own address for the first port of a process.
LOAD_MAC = "02:70:63:61:70:00"
SINK_MAC = "02:00:0a:03:00:01"
NEXT_HOP_MACS = ("02:00:0a:03:00:02", "02:00:0a:03:00:03")


class Devices:
    """The two ports of a run, as DPDK takes them."""

    def __init__(self, load, sink):
        self.load = load
        self.sink = sink


def measured_devices(pcap):
    """The load is copied into memory once and played for ever; the sink only counts."""
    return Devices(f"net_pcap0,rx_pcap={pcap},infinite_rx=1", "net_null0,no-rx=1")


def proof_devices(pcap, out):
    """The load is played once, and what comes out is kept."""
    return Devices(f"net_pcap0,rx_pcap={pcap}", f"net_pcap1,tx_pcap={out}")


class Testpmd:
    """dpdk-testpmd in one of its forwarding modes."""

    proof_repeats = 1

    def __init__(self, name, mode):
        self.name = name
        self._mode = mode
        self._answers = 0

    @staticmethod
    def missing():
        """What to install, or None."""
        return None if shutil.which("dpdk-testpmd") else "apt-get install dpdk-dev"

    @staticmethod
    def version():
        """For the head line of the table."""
        text = peer_process.call(["dpdk-testpmd", "-v", "-h"], dict(os.environ))
        found = re.search(r"DPDK [\w.-]+", text)
        return found.group(0) if found else "DPDK"

    def claims(self, frame):
        """The frames that may come out for this one."""
        changed = {"io": frame, "macswap": roce_frames.mac_swapped(frame),
                   "5tswap": roce_frames.five_tuple_swapped(frame)}
        return [changed[self._mode]]

    def start(self, place, devices, stack):
        """Starts forwarding; the process that owns the worker thread is returned."""
        # stdbuf: the answers go to a file and would otherwise stay in the program's buffer.
        command = ["stdbuf", "-oL", "dpdk-testpmd", "-l", f"{place.main_core},{place.worker_core}",
                   "--main-lcore", str(place.main_core), "--no-pci", *place.eal_memory(),
                   f"--file-prefix=weir-bench-{os.getpid()}", "--vdev", devices.load,
                   "--vdev", devices.sink, "--", "-i", "--nb-cores=1", "--no-flush-rx",
                   "--total-num-mbufs=16384", "--no-lsc-interrupt", "--auto-start",
                   f"--forward-mode={self._mode}"]
        process = peer_process.Process(place, command, self.name, with_input=True)
        stack.callback(process.stop)
        self._answers = 0
        process.wait_for(lambda: True if "testpmd> " in process.log() else None, START_SECONDS,
                         "prompt")
        return process

    def frames(self, process):
        """TX-packets of port 1."""
        self._answers += 1
        process.write("show port stats 1\n")
        pattern = re.compile(r"NIC statistics for port 1 .*?TX-packets: (\d+)", re.S)

        def newest():
            found = pattern.findall(process.log())
            return int(found[-1]) if len(found) >= self._answers else None

        return process.wait_for(newest, 5, "answer to `show port stats`")


class OvsDpdk:
    """Open vSwitch's user-space datapath with one flow: rewrite both MACs, decrement the TTL."""

    name = "ovs_dpdk"
    # It polls a port some milliseconds before it knows that a bridge has it, and drops meanwhile.
    proof_repeats = 200
    _switch = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
    _schema = "/usr/share/openvswitch/vswitch.ovsschema"
    _flow = ("in_port=1,ip,actions=set_field:" + SINK_MAC + "->eth_src,set_field:" +
             NEXT_HOP_MACS[0] + "->eth_dst,dec_ttl,output:2")

    def __init__(self):
        self._environment = None
        self._control = None
        self._folder = None

    def missing(self):
        """What to install, or None."""
        if os.path.exists(self._switch) and shutil.which("ovsdb-server"):
            return None
        return "apt-get install openvswitch-switch-dpdk"

    def version(self):
        """For the head line of the table."""
        text = peer_process.call([self._switch, "--version"], dict(os.environ))
        return "Open vSwitch " + re.search(r"\d+(\.\d+)+", text).group(0)

    @staticmethod
    def claims(frame):
        """The frames that may come out for this one."""
        return [roce_frames.routed(frame, SINK_MAC, NEXT_HOP_MACS[0])]

    def start(self, place, devices, stack):
        """Starts a private ovsdb-server and ovs-vswitchd; returns the latter."""
        self._folder = os.path.join(place.folder, "ovs")
        shutil.rmtree(self._folder, ignore_errors=True)
        os.mkdir(self._folder)
        self._environment = place.environment(**{
            f"OVS_{kind}DIR": self._folder for kind in ("RUN", "DB", "LOG", "SYSCONF")})
        self._start_database(place, stack)
        # A namespace of its own: the bridge's local port is a tap device in the caller's.
        process = peer_process.Process(
            place, ["unshare", "-n", self._switch, self._unix("db.sock"),
                    f"--unixctl={self._folder}/vswitchd.ctl"], self.name, self._environment)
        stack.callback(process.stop)
        process.wait_for(lambda: "DPDK Enabled - initialized" in process.log() or None,
                         START_SECONDS, "DPDK")
        self._add_ports(devices)
        self._open_control(stack)
        return process

    def _unix(self, name):
        return f"unix:{self._folder}/{name}"

    def _vsctl(self, *arguments):
        peer_process.call(["ovs-vsctl", "--db=" + self._unix("db.sock"), *arguments],
                          self._environment, START_SECONDS)

    def _start_database(self, place, stack):
        database = f"{self._folder}/conf.db"
        peer_process.call(["ovsdb-tool", "create", database, self._schema], self._environment)
        process = peer_process.Process(
            place, ["ovsdb-server", database, "--remote=p" + self._unix("db.sock"),
                    f"--unixctl={self._folder}/ovsdb.ctl"], "ovsdb", self._environment)
        stack.callback(process.stop)
        listening = f"{self._folder}/db.sock"
        process.wait_for(lambda: os.path.exists(listening) or None, START_SECONDS, "socket")
        # Without --legacy-mem Open vSwitch adds --in-memory, which excludes --no-huge.
        eal = " ".join(["--no-pci", f"--file-prefix=weir-bench-{os.getpid()}",
                        *place.eal_memory(), *([] if place.huge else ["--legacy-mem"])])
        self._vsctl("--no-wait", "init")
        # per-port-memory: the shared pool of 262,144 buffers does not fit into 256 MB.
        self._vsctl("--no-wait", "set", "Open_vSwitch", ".", "other_config:dpdk-init=true",
                    "other_config:per-port-memory=true",
                    f"other_config:dpdk-lcore-mask={1 << place.main_core:#x}",
                    f"other_config:pmd-cpu-mask={1 << place.worker_core:#x}",
                    f"other_config:dpdk-extra=\"{eal}\"")

    def _add_ports(self, devices):
        self._vsctl(f"--timeout={START_SECONDS}", "add-br", "bench", "--", "set", "bridge",
                    "bench", "datapath_type=netdev", "fail-mode=secure",
                    "protocols=OpenFlow13")
        peer_process.call(["ovs-ofctl", "-O", "OpenFlow13", "add-flow", self._unix("bench.mgmt"),
                           self._flow], self._environment)
        # The load comes last: not one of its frames is to be early.
        for number, port, device in ((2, "sink", devices.sink), (1, "load", devices.load)):
            self._vsctl(f"--timeout={START_SECONDS}", "add-port", "bench", port, "--", "set",
                        "Interface", port, "type=dpdk", f"ofport_request={number}",
                        f"options:dpdk-devargs=\"{device}\"")

    def _open_control(self, stack):
        # A connection that stays open answers in a millisecond; starting ovs-ofctl takes fifty.
        self._control = stack.enter_context(socket.socket(socket.AF_UNIX))
        self._control.settimeout(5)
        self._control.connect(f"{self._folder}/vswitchd.ctl")

    def _ask(self, method, *parameters):
        request = {"id": 0, "method": method, "params": parameters}
        self._control.sendall(json.dumps(request).encode())
        answer = b""
        while True:
            try:
                answer += self._control.recv(65536) or b" broken"
                return json.loads(answer)["result"]
            except json.JSONDecodeError:
                if answer.endswith(b" broken"):
                    raise peer_process.BenchError("ovs_dpdk: hung up") from None
            except TimeoutError:
                raise peer_process.BenchError(f"ovs_dpdk: no answer to {method}") from None

    def frames(self, _process):
        """TX packets of the sink port; read from the device at the time of asking."""
        shown = self._ask("dpctl/show", "-s", "netdev@ovs-netdev")
        found = re.search(r"port \d+: sink .*?TX packets:(\d+)", shown, re.S)
        if not found:
            raise peer_process.BenchError("ovs_dpdk: took no sink port")
        return int(found.group(1))


# What makes weir a lossless switch, key by key; {sink} goes to the sink port. No limit is reached:
# the price is that of looking.
FEATURES = {
    "pfc": {"yaml": "pfc: {priorities: [3]}"},
    "ecn": {"yaml": "ecn: {3: {kmin: 100KB, kmax: 400KB, pmax: 5%}}"},
    "dwrr": {"yaml": "scheduler: {strict: [7, 6], weights: {0: 1, 3: 4}}"},
    "shaper": {"sink": ", speed: 400G"},
}


class Weir:
    """weir as a router: parse, route, hash over two next hops, TTL, MAC rewrite, queue."""

    proof_repeats = 1

    def __init__(self, name, executable, features=()):
        self.name = name
        self._executable = executable
        chosen = [FEATURES[feature] for feature in features]
        self._more_yaml = "\n".join(part["yaml"] for part in chosen if "yaml" in part)
        self._sink = "".join(part.get("sink", "") for part in chosen)
        self._console = None

    def missing(self):
        """What to do, or None."""
        return None if os.path.exists(self._executable) else f"build {self._executable} first"

    def version(self):
        """For the head line of the table."""
        text = peer_process.call([self._executable, "--version"], dict(os.environ))
        return text.strip().splitlines()[-1]

    @staticmethod
    def claims(frame):
        """The frames that may come out for this one: by either next hop."""
        return [roce_frames.routed(frame, SINK_MAC, mac) for mac in NEXT_HOP_MACS]

    def _yaml(self, place, devices):
        neighbors = "\n".join(f'  - {{address: 10.3.0.{2 + i}, mac: "{mac}"}}'
                              for i, mac in enumerate(NEXT_HOP_MACS))
        return f"""\
switch: {{name: {self.name}}}
workers: {{cores: [{place.worker_core}]}}
frames: 16384
ports:
  - {{name: load, device: "{devices.load}", mac: "{LOAD_MAC}", addresses: [10.1.0.1/24]}}
  - {{name: sink, device: "{devices.sink}", mac: "{SINK_MAC}", addresses: [10.3.0.1/24]\
{self._sink}}}
routes:
  - {{prefix: {roce_frames.DESTINATION_PREFIX}, via: [10.3.0.2, 10.3.0.3]}}
neighbors:
{neighbors}
console: {place.folder}/weir.sock
{self._more_yaml}"""

    def start(self, place, devices, stack):
        """Starts the switch; returns its process, whose console is then connected."""
        config = os.path.join(place.folder, self.name + ".yaml")
        with open(config, "w", encoding="utf-8") as out:
            out.write(self._yaml(place, devices))
        command = [self._executable, "-l", f"{place.main_core},{place.worker_core}",
                   "--main-lcore", str(place.main_core), "--no-pci", *place.eal_memory(),
                   f"--file-prefix=weir-bench-{os.getpid()}", "--", "-c", config]
        # It gives its workers only cores that it was allowed to use when it was started.
        process = peer_process.Process(place, command, self.name,
                                       cores={place.main_core, place.worker_core})
        stack.callback(process.stop)
        path = os.path.join(place.folder, "weir.sock")
        self._console = process.wait_for(lambda: connected(path), START_SECONDS, "console")
        stack.callback(self._console.close)
        return process

    def _ask(self, line):
        self._console.sendall(line.encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\0"):
            try:
                part = self._console.recv(65536)
            except TimeoutError:
                part = b""
            if not part:
                raise peer_process.BenchError(f"{self.name}: no answer to {line}")
            answer += part
        return answer.decode()

    def frames(self, _process):
        """What the sink's device has accepted."""
        shown = self._ask("show port stats all")
        found = re.search(r"\(sink\).*?sent +frames: (\d+)", shown, re.S)
        if not found:
            raise peer_process.BenchError(f"{self.name}: shows no port sink:\n{shown}")
        return int(found.group(1))


def connected(path):
    """A connection to a UNIX socket, or None while nobody listens there."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(5)
    try:
        client.connect(path)
        return client
    except OSError:
        client.close()
        return None


def all_programs(weir, one_by_one=False):
    """In the order of the table; names are the keys of the JSON file."""
    features = [Weir(f"weir_{name}", weir, [name]) for name in FEATURES] if one_by_one else []
    return [Weir("weir", weir), *features, Weir("weir_lossless", weir, FEATURES),
            Testpmd("testpmd_io", "io"), Testpmd("testpmd_macswap", "macswap"),
            Testpmd("testpmd_5tswap", "5tswap"), OvsDpdk()]


@contextlib.contextmanager
def running(program, place, devices):
    """The program while it forwards; everything it started is stopped at the end."""
    with contextlib.ExitStack() as stack:
        yield program.start(place, devices, stack)
