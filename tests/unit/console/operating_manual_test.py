#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds docs/operating.md against the command table: a heading for each command, none for others.

Usage: operating_manual_test.py COMMAND_LIST docs/operating.md
"""
import pathlib
import re
import subprocess
import sys


def main(command_list, manual):
    lines = subprocess.run([command_list], capture_output=True, text=True, check=True).stdout
    listed = [line.split(" ", 1) for line in lines.splitlines()]
    commands = {text for kind, text in listed if kind == "command"}
    events = {text for kind, text in listed if kind == "event"}
    text = pathlib.Path(manual).read_text(encoding="utf-8")
    headings = set(re.findall(r"^#### `(.+)`$", text, re.MULTILINE))
    problems = [f"no heading for the command: {c}" for c in sorted(commands - headings)]
    problems += [f"no such command: {h}" for h in sorted(headings - commands)]
    problems += [f"the event is not described: {e}" for e in sorted(events)
                 if f"`{e}`" not in text]
    for problem in problems:
        print(problem)
    print(f"{len(commands)} commands, {len(events)} events, {len(problems)} problems")
    return 1 if problems or not commands or not events else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
