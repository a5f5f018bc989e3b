#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weir-lab as a user sees it: its files, its exit statuses, its report in a browser.

Usage: report_test.py PROGRAM
"""
import json
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

PROGRAM = ""
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def lab(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False)


def pixels(png):
    """Rows of (red, green, blue) of an 8-bit PNG without interlace (ISO/IEC 15948)."""
    data, at, body = png.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            body += chunk
        at += 12 + length
    assert depth == 8 and colour in (2, 6), "not an 8-bit RGB picture"
    size = 3 if colour == 2 else 4
    raw, before, rows = zlib.decompress(body), bytearray(width * size), []
    for y in range(height):
        start = y * (width * size + 1)
        line = bytearray(raw[start + 1:start + 1 + width * size])
        unfilter(raw[start], line, before, size)
        rows.append(line)
        before = line
    return [[tuple(row[x * size:x * size + 3]) for x in range(width)] for row in rows]


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def unfilter(kind, line, before, size):
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        corner = before[i - size] if i >= size else 0
        add = (0, left, before[i], (left + before[i]) // 2, paeth(left, before[i], corner))[kind]
        line[i] = (line[i] + add) & 0xff


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_lists_experiments(self):
        done = lab("list")
        self.assertEqual(done.returncode, 0)
        self.assertIn("incast-pfc ", done.stdout)

    def test_result_repeats_with_the_seed(self):
        results = []
        for name in ("a.json", "b.json"):
            path = self.folder / name
            done = lab("run", "crosscheck-one-flow", "--seed", "5", "--json", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            results.append(json.loads(path.read_text()))
        for result in results:
            for name in ("packet_hops", "packet_hops_per_second", "peak_rss_bytes",
                         "simulated_seconds", "lossless_drops", "hash"):
                self.assertIn(name, result)
            for name in ("wall_seconds", "cpu_seconds", "packet_hops_per_second",
                         "peak_rss_bytes"):
                del result[name]
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0]["seed"], 5)

    def refused(self, text, *words):
        path = self.folder / "bad.yaml"
        path.write_text(text)
        done = lab("run", str(path))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_bad_files_get_one_line(self):
        fabric = "fabric: {leaf_spine: {leaves: 2, spines: 2, hosts_per_leaf: 2}}\n"
        job = "jobs: [{pattern: permutation}]\n"
        head = "name: x\n"
        self.refused("", "empty")
        self.refused("name: [\n", "YAML")
        self.refused(head + fabric + "jobs: []\n", "jobs", "no job")
        self.refused(head + job, "fabric", "leaf_spine")
        self.refused(head + fabric + job + "duraton: 1ms\n", "duraton", "duration")
        self.refused(head + fabric + "jobs: [{pattern: permutate}]\n", "jobs[0].pattern")
        self.refused(head + fabric + "jobs: [{pattern: incast, hosts: [h0, h9]}]\n", "h9")
        self.refused(head + fabric + job + "faults: [{at: 1ms, link: [leaf0, leaf1]}]\n", "leaf1")
        self.refused(head + fabric + job + "switches: {pfk: [3]}\n", "pfk")
        self.refused(head + "fabric: {fat_tree: {k: 3}}\n" + job, "even")

    def test_curves_become_a_page(self):
        curves, page = self.folder / "curves", self.folder / "page.html"
        curves.write_text("about\t3 of 9 lost & found\nmark\t1.500\tcut: <a>\n"
                          "rate\th3\t0.1\t40\nrate\th4\t0.1\t41\nrate\th3\t0.2\t20.5\n")
        done = lab("curves", str(curves), "--report", str(page))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = page.read_text()
        self.assertEqual(text.count("<svg"), 1)
        for part in ("3 of 9 lost &amp; found", "<td>1.500</td><td>cut: &lt;a&gt;</td>", ">h3<",
                     ">h4<", "</html>"):
            self.assertIn(part, text)
        self.assertNotRegex(text, r"https?://|<script|<link|src=")

    def test_curves_that_are_none_are_refused(self):
        curves, page = self.folder / "curves", self.folder / "page.html"
        for text, why in (("rate\th3\t0.1\tmuch\n", "line 1"),
                          ("about\tx\nrate\th3\t0.1\n", "line 2"), ("", "no rate")):
            curves.write_text(text)
            done = lab("curves", str(curves), "--report", str(page))
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
            self.assertFalse(page.exists())

    def test_wrong_command_lines(self):
        self.assertEqual(lab("run", "no-such-experiment").returncode, 2)
        self.assertEqual(lab("walk").returncode, 2)
        self.assertEqual(lab("run", "incast-pfc", "--json", "/no/such/folder").returncode, 2)

    def test_interrupt_leaves_a_partial_result(self):
        path = self.folder / "partial.json"
        with subprocess.Popen([PROGRAM, "run", "permutation-64", "--json", str(path)],
                              stdout=subprocess.PIPE, text=True) as process:
            while not path.exists():  # opened when the run begins
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, out)
        result = json.loads(path.read_text())
        self.assertTrue(result["interrupted"])
        self.assertFalse(result["complete"])

    def test_report_shows_its_plots_in_a_browser(self):
        page, picture = self.folder / "report.html", self.folder / "report.png"
        done = lab("run", "incast-ecn-pfc", "--report", str(page))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = page.read_text()
        self.assertNotRegex(text, r"https?://|<script|<link|src=")
        self.assertEqual(text.count("<svg"), text.count("</svg>"))
        self.assertGreaterEqual(text.count("<svg"), 9)
        if BROWSER is None:
            self.skipTest("no chromium: the picture was not looked at")
        subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
                        f"--user-data-dir={self.folder}/profile", "--hide-scrollbars",
                        "--window-size=1400,2600", f"--screenshot={picture}", page.as_uri()],
                       capture_output=True, check=True, timeout=100)
        rows = pixels(picture)
        # The left column's plots stand below one another: blue lines and bars are in all parts.
        for top, bottom in ((600, 900), (950, 1200), (1700, 2000)):
            blue = sum(row[x] == (0x00, 0x72, 0xb2) for row in rows[top:bottom]
                       for x in range(100, 700))
            self.assertGreater(blue, 20, f"rows {top} to {bottom} hold no plot")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
