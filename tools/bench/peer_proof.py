# SPDX-License-Identifier: BSD-3-Clause
"""Holds a program to what it claims to do with a frame, before its speed is of interest."""

import os

import peer_process
import peer_programs
import roce_frames

PROOF_SECONDS = 15


def refuse(program, what, frames):
    """The error, with the beginnings of frames to look at."""
    shown = "".join(f"\n    {word:4} {frame[:64].hex()}" for word, frame in frames)
    raise peer_process.BenchError(f"{program.name}: {what}{shown}")


def check(program, sent, received):
    """Every frame came out, as the program claims, and (repeats of 1) once. BenchError otherwise.

    Where a program may choose, each of its choices has to occur: that 64 flows all take the same
    of two next hops is a chance of 2 ** -63.
    """
    origin = {claim: (number, choice) for number, frame in enumerate(sent)
              for choice, claim in enumerate(program.claims(frame))}
    came = [0] * len(sent)
    chosen = set()
    for frame in received:
        if frame not in origin:
            refuse(program, "this frame should not have come out", [("out", frame)])
        number, choice = origin[frame]
        came[number] += 1
        chosen.add(choice)
    for number, frame in enumerate(sent):
        if came[number] == 0 or (came[number] > 1 and program.proof_repeats == 1):
            refuse(program, f"frame {number} came out {came[number]} times",
                   [("in", frame), ("want", program.claims(frame)[0])])
    if len(chosen) != len(program.claims(sent[0])):
        refuse(program, "all flows took the same next hop", [])


def prove(program, place, load):
    """Plays the load into a file instead of the net_null port, and checks that file."""
    pcap = os.path.join(place.folder, "proof_in.pcap")
    out = os.path.join(place.folder, "proof_out.pcap")
    if os.path.exists(out):
        os.remove(out)
    sent = roce_frames.all_flows(load, roce_frames.mac_bytes(peer_programs.LOAD_MAC))
    roce_frames.write_pcap(pcap, sent * program.proof_repeats)

    def whole():
        return os.path.exists(out) and len(set(roce_frames.read_pcap(out))) >= len(sent) or None

    with peer_programs.running(program, place, peer_programs.proof_devices(pcap, out)) as process:
        process.wait_for(whole, PROOF_SECONDS, f"{len(sent)} frames that came out")
    # Open vSwitch cuts Ethernet's padding off; a NIC would put it back.
    received = [frame.ljust(roce_frames.ETHERNET_MIN_BYTES, b"\0")
                for frame in roce_frames.read_pcap(out)]
    check(program, sent, received)
