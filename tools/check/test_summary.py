#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Adds up what test runs said, names what was skipped and what failed, and prints one line
`N passed, N failed, N skipped`.

Usage: test_summary.py LOG...     LOG: meson's testlog.json, or lines of the same shape

A program that reports its own cases (GoogleTest, Python's unittest) counts by its cases. Exits 1
if anything failed, and also if nothing passed: no test is no success.
"""
import json
import pathlib
import re
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


class Tally:
    def __init__(self):
        self.passed = 0
        self.failed = []   # names
        self.skipped = []  # (name, reason)

    def add(self, result):
        name, status = result["name"], result["result"]
        output = (result.get("stdout") or "") + "\n" + (result.get("stderr") or "")
        if status in SKIPPED:
            self.skipped.append((name, last_line(output)))
            return
        passed, failed, skipped = cases_of(output)
        self.skipped += [(f"{name}: {case}", reason) for case, reason in skipped]
        if status in PASSED:
            # A program that failed as it should is one test, whatever its cases say.
            self.passed += passed if passed is not None and status == "OK" else 1
        else:
            self.passed += passed or 0
            # A crash or a time-out names no case: the program itself is what failed.
            self.failed += [f"{name}: {case}" for case in failed] or [f"{name} ({status})"]


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"


def google_cases(output):
    passed, failed, skipped, case, reason = 0, [], [], None, ""
    for line in output.splitlines():
        mark, rest = line[:12], line[13:]
        if mark == "[ RUN      ]":
            case, reason = rest, ""
        elif case is None:
            continue
        elif mark == "[       OK ]":
            passed, case = passed + 1, None
        elif mark == "[  FAILED  ]":
            failed.append(case)
            case = None
        elif mark == "[  SKIPPED ]":
            skipped.append((case, reason or "no reason given"))
            case = None
        elif line.strip():
            reason = line.strip()  # The last line before the mark is what GTEST_SKIP was given.
    if case is not None:
        failed.append(case)  # It began and never ended.
    return passed, failed, skipped


def python_cases(output, count):
    failed = sorted(set(re.findall(r"^(?:FAIL|ERROR): (\w+)", output, re.MULTILINE)))
    said = re.search(r"^(?:OK|FAILED) \(.*?skipped=(\d+)", output, re.MULTILINE)
    skipped = re.findall(r"^(\w+) \([^\n]*skipped ['\"]([^\n]*)['\"]$", output, re.MULTILINE)
    # Without -v unittest says how many, not which.
    unnamed = int(said.group(1)) - len(skipped) if said else 0
    skipped += [("a case", "run it with -v to see which and why")] * unnamed
    return max(0, count - len(failed) - len(skipped)), failed, skipped


def cases_of(output):
    """(passed or None, [failed], [(skipped, reason)]) from a program's own account."""
    if re.search(r"^\[ RUN      \] ", output, re.MULTILINE):
        return google_cases(output)
    python = re.search(r"^Ran (\d+) tests? in ", output, re.MULTILINE)
    if python:
        return python_cases(output, int(python.group(1)))
    return None, [], []


def read(path):
    for line in pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines():
        if line.strip():
            yield json.loads(line)


def main(paths):
    tally = Tally()
    for path in paths:
        run = pathlib.Path(path).stem
        for result in read(path):
            if len(paths) > 1 and run != "stages":
                result["name"] = f"[{run}] {result['name']}"
            tally.add(result)
    for name, reason in tally.skipped:
        print(f"skipped: {name}: {reason}")
    for name in tally.failed:
        print(f"FAILED: {name}")
    print(f"{tally.passed} passed, {len(tally.failed)} failed, {len(tally.skipped)} skipped")
    return 1 if tally.failed or tally.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
