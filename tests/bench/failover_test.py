#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The failover bench without its programs: how it counts and what it reports."""

import contextlib
import importlib.util
import io
import pathlib
import sys
import unittest
from importlib.machinery import SourceFileLoader

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench"
sys.path.insert(0, str(BENCH))

import packet_stream  # noqa: E402


def load_failover():
    """tools/bench/failover as a module; it has no .py in its name."""
    loader = SourceFileLoader("failover", str(BENCH / "failover"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("failover", loader))
    loader.exec_module(module)
    return module


failover = load_failover()


class Windows(unittest.TestCase):
    def window(self, *packets):
        window = packet_stream.Window()
        for number, seconds in packets:
            window.add(number, seconds)
        return window

    def test_a_late_packet_is_no_outage(self):
        window = self.window((1, 10.0), (2, 10.5), (3, 10.501))
        self.assertEqual((window.lost, window.gap_ms, window.came_back_at), (0, 0.0, None))

    def test_the_longest_gap_with_a_packet_missing_counts(self):
        # 3 is missing for 2 ms, 5 to 9 for 80 ms: six packets.
        window = self.window((1, 1.0), (2, 1.001), (4, 1.003), (10, 1.083), (11, 1.084))
        self.assertEqual(window.lost, 6)
        self.assertAlmostEqual(window.gap_ms, 80.0)
        self.assertIsNotNone(window.came_back_at)

    def test_an_overtaken_packet_does_not_set_the_count_back(self):
        window = self.window((1, 1.0), (3, 1.1), (2, 1.2), (4, 1.3))
        self.assertEqual(window.lost, 1)
        self.assertEqual(window.last, (4, 1.3))


class Figures(unittest.TestCase):
    def test_percentiles_are_values_that_were_measured(self):
        # Of 4 values the second is the least that half of them are not above.
        self.assertEqual(failover.percentile([4, 1, 3, 2], 50), 2)
        self.assertEqual(failover.percentile(list(range(1, 101)), 99), 99)
        self.assertEqual(failover.percentile([7], 99), 7)

    def test_keys_are_those_that_were_promised(self):
        found = failover.figures("frr_10x3", [(80.0, 320), (91.0, 364), (85.0, 340)])
        self.assertEqual(found["frr_10x3_p50_ms"], 85.0)
        self.assertEqual(found["frr_10x3_p99_ms"], 91.0)
        self.assertEqual(found["frr_10x3_lost_max"], 364)
        self.assertEqual(found["frr_10x3_rounds"], 3)

    def judged(self, **figures):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            failover.judge(figures)
        return figures, out.getvalue()

    def test_the_promise_is_about_the_worse_of_ours_and_the_best_of_theirs(self):
        found, text = self.judged(weir_local_p50_ms=0.4, weir_remote_p50_ms=0.5,
                                  frr_10x3_p50_ms=80.0, frr_50x3_p50_ms=200.0)
        self.assertEqual(found["frr_best_over_weir_worst"], 160.0)
        self.assertIn("met", text)
        for figures in ({"frr_10x3_p50_ms": 24.9}, {"weir_local_p50_ms": 1.01}):
            wanted = {"weir_local_p50_ms": 0.4, "weir_remote_p50_ms": 0.5,
                      "frr_10x3_p50_ms": 80.0, "frr_50x3_p50_ms": 200.0, **figures}
            self.assertIn("MISSED", self.judged(**wanted)[1])

    def test_one_alone_is_not_judged(self):
        self.assertEqual(self.judged(weir_local_p50_ms=0.4, weir_remote_p50_ms=0.5)[1], "")


if __name__ == "__main__":
    unittest.main()
