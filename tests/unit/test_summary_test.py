#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The closing line of tools/test is what people and machines trust: here it is worked out."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/check"))

import test_summary  # noqa: E402

GOOGLE = """[ RUN      ] A.Passes
[       OK ] A.Passes (0 ms)
[ RUN      ] A.Skips
a.cc:4: Skipped
no hugepages
[  SKIPPED ] A.Skips (0 ms)
[ RUN      ] A.Fails
a.cc:5: Failure
[  FAILED  ] A.Fails (0 ms)
[ RUN      ] Nums/P.Odd/1
[  FAILED  ] Nums/P.Odd/1, where GetParam() = 2 (0 ms)
[  PASSED  ] 1 test.
[  SKIPPED ] 1 test, listed below:
[  SKIPPED ] A.Skips
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] A.Fails
[  FAILED  ] Nums/P.Odd/1, where GetParam() = 2
"""
PYTHON = """test_a (x.X.test_a) ... ok
test_b (x.X.test_b) ... skipped 'no guest'
FAIL: test_c (x.X.test_c)
Ran 3 tests in 0.1s

FAILED (failures=1, skipped=1)
"""


def result(name, status, stdout="", stderr=""):
    return {"name": name, "result": status, "stdout": stdout, "stderr": stderr}


class Summary(unittest.TestCase):
    def summary(self, *results):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as log:
            log.write("\n".join(map(json.dumps, results)) + "\n")
            log.flush()
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = test_summary.main([log.name])
        lines = out.getvalue().splitlines()
        return status, lines[-1], lines[:-1]

    def test_a_program_without_cases_is_one_test(self):
        self.assertEqual((0, "2 passed, 0 failed, 0 skipped", []),
                         self.summary(result("a", "OK"), result("b", "EXPECTEDFAIL")))

    def test_google_cases_count_one_by_one(self):
        self.assertEqual(
            (1, "1 passed, 2 failed, 1 skipped",
             ["skipped: u: A.Skips: no hugepages", "FAILED: u: A.Fails",
              "FAILED: u: Nums/P.Odd/1"]),
            self.summary(result("u", "FAIL", GOOGLE)))

    def test_a_crash_in_a_case_is_that_case(self):
        self.assertEqual((1, "1 passed, 1 failed, 0 skipped", ["FAILED: u: A.Dies"]),
                         self.summary(result("u", "FAIL", "[ RUN      ] A.P\n[       OK ] A.P\n"
                                                          "[ RUN      ] A.Dies\nboom\n")))

    def test_a_crash_after_the_cases_is_the_program(self):
        self.assertEqual((1, "1 passed, 1 failed, 0 skipped", ["FAILED: u (FAIL)"]),
                         self.summary(result("u", "FAIL", "[ RUN      ] A.P\n[       OK ] A.P\n")))

    def test_python_cases_count_one_by_one(self):
        self.assertEqual(
            (1, "1 passed, 1 failed, 1 skipped",
             ["skipped: p: test_b: no guest", "FAILED: p: test_c"]),
            self.summary(result("p", "FAIL", "", PYTHON)))

    def test_every_other_end_is_a_failure(self):
        for status in ("FAIL", "TIMEOUT", "ERROR", "UNEXPECTEDPASS", "INTERRUPT"):
            with self.subTest(status=status):
                self.assertEqual((1, "1 passed, 1 failed, 0 skipped", [f"FAILED: b ({status})"]),
                                 self.summary(result("a", "OK"), result("b", status)))

    def test_a_skip_says_its_last_line(self):
        self.assertEqual((0, "1 passed, 0 failed, 1 skipped", ["skipped: b: no guests here"]),
                         self.summary(result("a", "OK"), result("b", "SKIP", "x\nno guests here")))

    def test_nothing_passed_is_no_success(self):
        self.assertEqual((1, "0 passed, 0 failed, 1 skipped", ["skipped: b: no reason given"]),
                         self.summary(result("b", "SKIP")))


if __name__ == "__main__":
    unittest.main()
