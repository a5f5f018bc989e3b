# SPDX-License-Identifier: BSD-3-Clause
"""The tests of rdma-core and perftest, run between two guests."""
import re
import time
from dataclasses import dataclass

from .program import CommandFailed

PAIR_SECONDS = 90
# perftest and ibv_rc_pingpong exchange their addresses over this TCP port.
TCP_PORT = 18515
# The time after which a queue pair repeats: 4.096 us x 2^18, about a second. On a busy machine a
# guest stands still for longer than perftest's 67 ms, and what was never lost is sent again.
ACK_TIMEOUT = "-u 18"

# rping's end is a race, also over a plain wire: it closes its event channel while its own thread
# waits on it, and if that thread is woken by it, the program says this and ends with 255.
CLOSED_TOO_EARLY = "rdma_get_cm_event: Bad file descriptor"
# What else a good rping says when the other end has hung up (state 10: disconnected).
HUNG_UP = re.compile(r"(client|server) DISCONNECT EVENT\.\.\.|wait for RDMA_\w+ state 10|"
                     + re.escape(CLOSED_TOO_EARLY))


def rping_rounds(client, server):
    """How many rounds both ends have printed, each once and in order; None if anything but the
    race at the end went wrong."""
    seen = {}
    for end, answer, words in (("client", client, "ping data: "),
                               ("server", server, "server ping data: ")):
        lines = [line for line in answer.text.splitlines() if line.strip()]
        if answer.status != 0 and not (answer.status == 255 and CLOSED_TOO_EARLY in lines):
            return None
        rounds = [line for line in lines if line.startswith(f"{words}rdma-ping-")]
        others = [line for line in lines if line not in rounds and not HUNG_UP.fullmatch(line)]
        numbers = [int(re.match(r"\d+", line[len(f"{words}rdma-ping-"):]).group())
                   for line in rounds]
        if others or numbers != list(range(len(numbers))):
            return None
        seen[end] = len(numbers)
    return seen["client"] if seen["client"] == seen["server"] else None


@dataclass
class Running:
    server_command: str
    client_command: str
    serving: str
    asking: str
    seconds: int


@dataclass
class Pair:
    """Two guests and the addresses that RoCE takes between them. What the programs have to tell
    each other beforehand goes over TCP to `meeting_address`, which has to be IPv4: some of them
    serve no other."""
    server: object
    client: object
    server_address: str
    client_address: str
    meeting_address: str

    def run(self, server_command, client_command, seconds=PAIR_SECONDS):
        """The client starts when the server listens; both have to end well. The client's words."""
        return self.finish(self.start(server_command, client_command, seconds))

    def start(self, server_command, client_command, seconds=PAIR_SECONDS):
        serving = self.server.start(server_command, seconds)
        self.wait_until_listening(serving)
        asking = self.client.start(client_command, seconds)
        return Running(server_command, client_command, serving, asking, seconds)

    def finish(self, running):
        client = self.client.finish(running.asking, running.seconds)
        server = self.server.finish(running.serving, running.seconds)
        if client.status != 0 or server.status != 0:
            raise self.failed(running, client, server)
        return client.text

    def failed(self, running, client, server):
        return CommandFailed(
            f"{running.client_command}: status {client.status}\n{client.text}\n"
            f"{running.server_command}: status {server.status}\n{server.text}")

    def start_writing(self, seconds):
        """ib_write_bw for this time, in the background."""
        server, client = self.both(f"ib_write_bw -d rxe0 -F -D {seconds} -s 65536 {ACK_TIMEOUT}",
                                   "-x")
        return self.start(server, f"{client} {self.meeting_address}")

    def wait_until_listening(self, serving, seconds=30):
        deadline = time.monotonic() + seconds
        look = f"ss -Hltn 'sport = :{TCP_PORT}'; rdma resource show cm_id | grep 'state LISTEN'"
        while not self.server.run(look, allowed=(0, 1)).strip():
            if self.server.ended(serving):
                ended = self.server.finish(serving, 1)
                raise CommandFailed(f"the server ended, status {ended.status}\n{ended.text}")
            if time.monotonic() > deadline:
                raise CommandFailed("the server does not listen")

    def ping(self, count=3):
        text = self.client.run(f"ping -n -c {count} -i 0.2 -W 5 {self.server_address}", 40, (0, 1))
        return int(re.search(r"(\d+) received", text).group(1)), text

    def both(self, template, flag):
        """The commands of server and client: each has a GID index of its own."""
        return [f"{template} {flag} {guest.gid_index(address)}"
                for guest, address in ((self.server, self.server_address),
                                       (self.client, self.client_address))]

    def rc_pingpong(self, iterations=200, message_bytes=1024, mtu=1024):
        """Microseconds a round; -c makes the ends compare what came."""
        server, client = self.both(f"ibv_rc_pingpong -d rxe0 -e -c -n {iterations} "
                                   f"-s {message_bytes} -m {mtu}", "-g")
        text = self.run(server, f"{client} {self.meeting_address}")
        return float(re.search(r"([\d.]+) usec/iter", text).group(1))

    def bandwidth(self, program, iterations=200, message_bytes=65536, mtu=4096):
        """MB/s of ib_write_bw, ib_send_bw or ib_read_bw, by the average of perftest's table. All
        of the data has to have reached the server's card, whatever the table says."""
        # With -e the programs sleep while they wait, where they can: guests share few cores.
        waiting = "" if program == "ib_write_bw" else "-e"
        server, client = self.both(f"{program} -d rxe0 -F -n {iterations} -s {message_bytes} "
                                   f"-m {mtu} {ACK_TIMEOUT} {waiting}", "-x")
        before = self.server.rdma_counters()["rcvd_pkts"]
        text = self.run(server, f"{client} {self.meeting_address}")
        packets = self.server.rdma_counters()["rcvd_pkts"] - before
        row = re.search(rf"^ *{message_bytes} +{iterations} +[\d.]+ +([\d.]+) ", text,
                        re.MULTILINE)
        if not row or packets < iterations * -(-message_bytes // mtu):
            raise CommandFailed(f"{program}: {packets} packets, and printed:\n{text}")
        return float(row.group(1))

    def rping(self, count=20):
        """Rounds that both ends printed, in which the client found what it had sent unharmed (-V).
        Any status but that of the race at the end, any other word, fails."""
        running = self.start(f"rping -s -a {self.server_address} -C {count} -V -v",
                             f"rping -c -a {self.server_address} -C {count} -V -v")
        client = self.client.finish(running.asking, running.seconds)
        server = self.server.finish(running.serving, running.seconds)
        rounds = rping_rounds(client, server)
        if rounds is None:
            raise self.failed(running, client, server)
        return rounds

    def counted_since(self, before):
        now = self.counters()
        return {end: {name: value - before[end][name] for name, value in now[end].items()}
                for end in now}

    def counters(self):
        return {"server": self.server.rdma_counters(), "client": self.client.rdma_counters()}
