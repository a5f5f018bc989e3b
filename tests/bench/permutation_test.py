#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs weir-lab's permutations of 64 and 1,024 hosts and prints how fast they were.

Speed is printed, not judged: it is the machine's. That each run ends, loses nothing lossless,
carries every packet over three switches and stays below 4 GiB is judged.

Usage: permutation_test.py WEIR_LAB [--json FILE]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HOSTS = (64, 1024)
RSS_BYTES_MAX = 4 << 30
# 1 MB in packets of 1,000 B, each through a leaf, a spine and a leaf.
HOPS_PER_HOST = 1_000 * 3


def run(weir_lab, hosts, folder):
    file = folder / f"{hosts}.json"
    subprocess.run([weir_lab, "run", f"permutation-{hosts}", "--json", file], check=True,
                   stdout=subprocess.DEVNULL, timeout=600)
    return json.loads(file.read_text())


def problems_of(hosts, result):
    if result["lossless_drops"] != 0:
        yield f"{result['lossless_drops']} lossless drops"
    if result["packet_hops"] < hosts * HOPS_PER_HOST:
        yield f"{result['packet_hops']} packet-hops, at least {hosts * HOPS_PER_HOST} are due"
    if result["peak_rss_bytes"] >= RSS_BYTES_MAX:
        yield f"{result['peak_rss_bytes']} bytes of memory, 4 GiB are the limit"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("weir_lab", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    rows, failed = {}, False
    with tempfile.TemporaryDirectory(prefix="weirbench-") as folder:
        for hosts in HOSTS:
            rows[hosts] = result = run(arguments.weir_lab, hosts, pathlib.Path(folder))
            print(f"{hosts:5} hosts: {result['packet_hops_per_second'] / 1e6:.2f} M packet-hops/s, "
                  f"{result['peak_rss_bytes'] / 2**20:.0f} MiB, hash {result['hash']}", flush=True)
            for problem in problems_of(hosts, result):
                failed = True
                print(f"  {problem}")
    slow, fast = (rows[hosts]["packet_hops_per_second"] for hosts in reversed(HOSTS))
    print(f"1,024 hosts run at {slow / fast:.2f} of the speed of 64")
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
