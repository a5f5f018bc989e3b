#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cuts links of the fabric in a box under running streams and shows what the receivers get.

tools/start --demo failure starts the switches, streams and sinks; this is the part in the middle.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import sys
import time

SAMPLE_SECONDS = 0.1
LINE_SAMPLES = 5  # a line each half second
BAR_CELLS = 24
ANSWER_SECONDS = 10
USABLE_SECONDS = 30  # only ends what has failed already

SWITCHES = ("leaf1", "leaf2", "spine1", "spine2")
# What happens, in this order: switch, port, and what the viewer is told.
CUTS = (
    ("leaf1", "up1", "cut: leaf1 - spine1. Nothing passes, and both ends still say that it is up"),
    ("spine1", "leaf2", "cut: spine1 - leaf2, on the far side of a spine: a notice tells leaf1"),
)


class DemoError(Exception):
    """The demonstration cannot go on; the text says why."""


class Console:
    """One connection to the console of the running switches."""

    def __init__(self, path):
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.settimeout(ANSWER_SECONDS)
        self.connection.connect(path)

    def ask(self, line):
        self.connection.sendall(line.encode() + b"\n")
        text = b""
        while not text.endswith(b"\0"):  # the switch puts it behind each answer
            data = self.connection.recv(65536)
            if not data:
                raise DemoError(f"weir ended in its answer to '{line}'")
            text += data
        answer = text[:-1].decode()
        if answer.startswith("error: "):
            raise DemoError(f"{line}: {answer}")
        return answer

    def about(self, switch, line):
        self.ask(f"use {switch}")
        return self.ask(line)


class Receiver:
    """What arrives at the interface of one host, told by the process that listens there."""

    def __init__(self, name, pid, result):
        self.name = name
        self.pid = pid
        self.result = pathlib.Path(result)
        self.rates = []  # (seconds since the start, bit/s)
        self.read_at, self.bytes = self.read()

    def read(self):
        text = pathlib.Path(f"/proc/{self.pid}/net/dev").read_text(encoding="ascii")
        line = next(line for line in text.splitlines() if line.strip().startswith("eth0:"))
        return time.monotonic(), int(line.split(":")[1].split()[0])

    def sample(self, start):
        at, count = self.read()
        self.rates.append((at - start, 8 * (count - self.bytes) / (at - self.read_at)))
        self.read_at, self.bytes = at, count

    def mean(self, samples):
        return sum(rate for _, rate in self.rates[-samples:]) / samples

    def finished(self):
        """Whether its whole result is there."""
        try:
            return bool(self.totals())
        except (OSError, ValueError):
            return False

    def totals(self):
        return json.loads(self.result.read_text(encoding="utf-8"))


class Screen:
    """The lines that a viewer watches; without a viewer nothing."""

    def __init__(self, quiet):
        self.quiet = quiet
        self.peak = 1.0

    def say(self, text):
        if not self.quiet:
            print(text, flush=True)

    def line(self, seconds, receivers):
        rates = [receiver.mean(LINE_SAMPLES) for receiver in receivers]
        self.peak = max(self.peak, *rates)
        parts = []
        for receiver, rate in zip(receivers, rates):
            cells = round(BAR_CELLS * rate / self.peak)
            bar = "#" * cells + " " * (BAR_CELLS - cells)
            parts.append(f"{receiver.name} |{bar}| {rate / 1e6:5.1f} Mb/s")
        self.say(f"{seconds:5.1f} s  " + "   ".join(parts))


class Demo:
    def __init__(self, console, receivers, screen):
        self.console = console
        self.receivers = receivers
        self.screen = screen
        self.start = time.monotonic()
        self.next = self.start
        self.samples = 0
        self.marks = []  # (seconds, what happened)

    def watch(self, seconds):
        for _ in range(round(seconds / SAMPLE_SECONDS)):
            self.next += SAMPLE_SECONDS
            time.sleep(max(0.0, self.next - time.monotonic()))
            for receiver in self.receivers:
                receiver.sample(self.start)
            self.samples += 1
            if self.samples % LINE_SAMPLES == 0:
                self.screen.line(time.monotonic() - self.start, self.receivers)

    def mark(self, text):
        self.marks.append((time.monotonic() - self.start, text))
        self.screen.say(f"         ---- {text}")

    def usable(self, switch, port):
        line = self.console.about(switch, f"show links {port}")
        return " usable " in line

    def wait_until_usable(self, switch, port):
        deadline = time.monotonic() + USABLE_SECONDS
        while not self.usable(switch, port):
            if time.monotonic() > deadline:
                raise DemoError(f"{switch}: {port} is not usable again")
            self.watch(SAMPLE_SECONDS * LINE_SAMPLES)

    def cut(self, switch, port, text):
        self.console.about(switch, f"set link {port} silent-drop")
        self.mark(text)
        self.watch(2)
        if self.usable(switch, port):
            raise DemoError(f"{switch}: {port} is cut, and nobody noticed")
        for receiver in self.receivers:
            if receiver.mean(LINE_SAMPLES) == 0:
                raise DemoError(f"nothing comes to {receiver.name} after: {text}")
        self.console.about(switch, f"set link {port} none")
        self.mark("the link is whole again; it is used when its hold-down is over")
        self.wait_until_usable(switch, port)
        self.mark("used again")
        self.watch(1)

    def state(self):
        """What an operator would look at, of all switches."""
        try:
            return "\n".join(f"{switch}:\n" + self.console.about(switch, command)
                             for switch in SWITCHES
                             for command in ("show links", "show notices", "show drops"))
        except (DemoError, OSError) as problem:
            return f"no console: {problem}"

    def run(self):
        for switch, port, _ in CUTS:
            self.wait_until_usable(switch, port)
        self.watch(2)
        for cut in CUTS:
            self.cut(*cut)


def worst_flow(totals):
    """(frames missing, how long that was in ms) of the flow that lost most."""
    flow = max(totals["flows"], key=lambda one: one["missing"])
    rate = (flow["frames"] + flow["missing"]) / totals["seconds"]
    return flow["missing"], 1000 * flow["missing"] / rate


def summary(receivers):
    """One line, and whether all is well but for what a cut wire loses."""
    totals = [receiver.totals() for receiver in receivers]
    frames = sum(one["frames"] for one in totals)
    lost = sum(one["missing"] for one in totals)
    reordered = sum(one["reordered"] for one in totals)
    wrong = sum(one["icrc_errors"] + one["malformed"] for one in totals)
    worst = max(worst_flow(one)[1] for one in totals)
    text = (f"{len(CUTS)} links fell silent under {len(totals)} RoCEv2 streams: {lost} of "
            f"{frames + lost} frames lost, {reordered} reordered, {wrong} damaged; "
            f"the worst flow had no way for {worst:.1f} ms in all")
    return text, wrong == 0 and all(one["frames"] > 0 for one in totals)


def end_streams(processes, receivers):
    """The sinks end by themselves when nothing comes any more."""
    for pid in processes:
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + USABLE_SECONDS
    for receiver in receivers:
        while not receiver.finished():
            if time.monotonic() > deadline:
                raise DemoError(f"the sink of {receiver.name} did not end")
            time.sleep(SAMPLE_SECONDS)


def write_curves(path, text, demo):
    """For `weir-lab curves`: a line each, words divided by tabs."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"about\t{text}\n")
        for seconds, what in demo.marks:
            file.write(f"mark\t{seconds:.3f}\t{what}\n")
        for receiver in demo.receivers:
            for seconds, rate in receiver.rates:
                file.write(f"rate\t{receiver.name}\t{seconds:.3f}\t{rate / 1e6:.3f}\n")


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", required=True, help="console of the switches")
    parser.add_argument("--sink", action="append", nargs=3, metavar=("NAME", "PID", "JSON"),
                        required=True)
    parser.add_argument("--sender", action="append", type=int, metavar="PID", required=True)
    parser.add_argument("--quiet", action="store_true", help="only the summary")
    parser.add_argument("--curves", help="write what was measured to FILE")
    return parser.parse_args(words)


def main(words):
    arguments = parse(words)
    receivers = [Receiver(name, int(pid), path) for name, pid, path in arguments.sink]
    demo = Demo(Console(arguments.socket), receivers, Screen(arguments.quiet))
    try:
        demo.run()
        end_streams(arguments.sender, receivers)
    except KeyboardInterrupt:
        return 130
    except (DemoError, OSError) as problem:
        print(f"demo: {problem}\n{demo.state()}", file=sys.stderr)
        return 1
    text, well = summary(receivers)
    print(text, flush=True)
    if arguments.curves:
        write_curves(arguments.curves, text, demo)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
