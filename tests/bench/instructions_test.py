#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judgement of tools/bench/instructions, without valgrind."""

import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench" / "instructions"

loader = SourceFileLoader("instructions", str(SCRIPT))
instructions = importlib.util.module_from_spec(
    importlib.util.spec_from_loader("instructions", loader))
loader.exec_module(instructions)

DUMP = """# callgrind format
version: 1
desc: Timerange: Basic block 0 - 3235946
desc: Trigger: Client Request: {name}
summary: {total}

fn=(1) receive
0 {total}

totals: {total}
"""
OUTPUT = "build: toy\nscenario: l2/32 bursts=4 frames=128\n"


def judged(counts, baseline, build="toy"):
    """(exit code, what was printed) for counts against a baseline; None: there is no file."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(out):
        path = pathlib.Path(folder) / "baseline.json"
        if baseline is not None:
            path.write_text(json.dumps({"build": "toy", "instructions_per_burst": baseline}))
        code = instructions.judge(build, counts, path)
    return code, out.getvalue()


class Tolerance(unittest.TestCase):
    def test_three_percent_is_within_and_one_instruction_more_is_not(self):
        # 3 % of 10,000 is 300.
        for measured, expected in ((10_300, None), (10_301, "more"), (9_700, None),
                                   (9_699, "fewer"), (10_000, None)):
            self.assertEqual(instructions.verdict(measured, 10_000), expected, measured)

    def test_small_counts_are_not_rounded_into_the_tolerance(self):
        # 3 % of 33 is 0.99: one instruction is over; 3 % of 34 is 1.02: one is within.
        self.assertEqual(instructions.verdict(34, 33), "more")
        self.assertIsNone(instructions.verdict(35, 34))


class Collecting(unittest.TestCase):
    def test_counts_are_per_burst_and_per_frame(self):
        build, counts = instructions.collect(OUTPUT, {"l2/32": 12_800})
        self.assertEqual(build, "toy")
        # 12,800 over 4 bursts of 32.
        self.assertEqual(counts["l2/32"].per_burst, 3_200)
        self.assertEqual(counts["l2/32"].per_frame, 100.0)

    def test_dumps_are_told_apart_by_their_client_request(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, name in ((1, "l2/32"), (2, "l2/1")):
                path = pathlib.Path(folder) / f"callgrind.out.{number}"
                path.write_text(DUMP.format(name=name, total=number * 10))
            (pathlib.Path(folder) / "callgrind.out").write_text(
                "desc: Trigger: Program termination\ntotals: 7\n")
            self.assertEqual(instructions.read_dumps(folder), {"l2/32": 10, "l2/1": 20})

    def test_a_function_is_charged_with_its_own_instructions_only(self):
        dump = ("fn=(1) main\n10 5\ncfn=(2) receive(int)\ncalls=3 0\n11 600\n+1 2\n\n"
                "fn=(2)\n0 250\n* 50\ncfn=(3) parse\ncalls=3 0\n* 300\n\nfn=(3)\n-2 300\n")
        # main 5 + 2; receive 250 + 50; parse 300: the 600 and the 300 behind calls= are theirs.
        self.assertEqual(instructions.function_costs(dump),
                         {"main": 7, "receive(int)": 300, "parse": 300})

    def test_a_scenario_that_was_not_counted_is_an_error(self):
        for dumps in ({}, {"l2/32": 0}, {"l2/1": 5}):
            with self.assertRaisesRegex(instructions.CountError, "counted nothing for l2/32"):
                instructions.collect(OUTPUT, dumps)

    def test_output_without_scenario_or_build_is_an_error(self):
        with self.assertRaisesRegex(instructions.CountError, "no scenario"):
            instructions.collect("build: toy\n", {})
        with self.assertRaisesRegex(instructions.CountError, "build"):
            instructions.collect("scenario: l2/32 bursts=4 frames=128\n", {"l2/32": 1})


class Judging(unittest.TestCase):
    COUNTS = {"l2/32": instructions.Count(1, 32, 1_000)}

    def test_equal_to_the_baseline_passes(self):
        self.assertEqual(judged(self.COUNTS, {"l2/32": 1_000})[0], 0)

    def test_more_fewer_new_and_gone_are_refused_by_name(self):
        for baseline in ({"l2/32": 900}, {"l2/32": 1_100}, {}, None):
            code, text = judged(self.COUNTS, baseline)
            self.assertEqual(code, 1, baseline)
            self.assertIn("l2/32; accept with --update", text)
        code, text = judged(self.COUNTS, {"l2/32": 1_000, "l3/32": 5})
        self.assertEqual(code, 1)
        self.assertIn("l3/32; accept with --update", text)

    def test_another_build_is_not_judged(self):
        code, text = judged(self.COUNTS, {"l2/32": 1}, build="clang")
        self.assertEqual(code, 77)
        self.assertIn("not compared", text)

    def test_what_update_writes_is_accepted(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = pathlib.Path(folder) / "baseline.json"
            instructions.write_json(path, "toy", self.COUNTS)
            self.assertEqual(instructions.judge("toy", self.COUNTS, path), 0)


if __name__ == "__main__":
    unittest.main()
