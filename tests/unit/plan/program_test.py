#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""weir-plan as a program: files in, files and lines out.

Usage: program_test.py WEIR_PLAN EXPERIMENTS
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
EXPERIMENTS = pathlib.Path(sys.argv.pop(1)).resolve()

RACKS = """\
name: two-rails
fabric:
  graph:
    switches: [rack1, rack2, spine1, spine2]
    hosts:
      - {name: gpu1-0, at: rack1}
      - {name: gpu1-1, at: rack1}
      - {name: gpu2-0, at: rack1}
      - {name: gpu2-1, at: rack1}
      - {name: gpu3-0, at: rack2}
      - {name: gpu3-1, at: rack2}
      - {name: gpu4-0, at: rack2}
      - {name: gpu4-1, at: rack2}
    links:
      - {a: rack1, b: spine1, count: 2}
      - {a: rack1, b: spine2, count: 2}
      - {a: rack2, b: spine1, count: 2}
      - {a: rack2, b: spine2, count: 2}
ports:
  rack1: [gpu1a, gpu1b, gpu2a, gpu2b, up1a, up1b, up2a, up2b]
jobs:
  - {name: llama, pattern: ring_allreduce, host_file: hosts.txt, bytes: 1GB}
"""
HOSTS = "# as mpirun reads it\ngpu1 slots=2\ngpu3 slots=2\ngpu2 slots=2\ngpu4:2\n"


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "job.yaml").write_text(RACKS)
        (self.path / "hosts.txt").write_text(HOSTS)

    def run_it(self, *arguments, status=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              cwd=self.path, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def plan(self):
        return self.run_it("run", "job.yaml", "--out", "plan", "--json", "plan.json",
                           "--report", "plan.md")

    def test_plans_a_host_file_and_checks_its_own_plan(self):
        text = self.plan()
        self.assertIn("fullest 1.000 (rack1 up1a to spine1), lower bound 1.000: the best there is",
                      text)
        summary = json.loads((self.path / "plan.json").read_text())
        self.assertEqual((summary["flows"], summary["fullest"], summary["fullest_bound"]),
                         (8, 1, 1))
        self.assertEqual(summary["link_failures"]["fullest"], 2)
        self.assertIn("| llama | 8 | 8 | 1 |", (self.path / "plan.md").read_text())
        rack = (self.path / "plan" / "rack1.yaml").read_text()
        self.assertIn("plan: {version: 1, switch: rack1, generated_by: weir-plan, move: gap, "
                      "gap: 100us}", rack)
        self.assertIn("  - {source: 10.1.1.2, destination: 10.2.1.2, "
                      "via: [{port: up1a}, {port: up2a}]}", rack)
        self.assertIn("24 rules for 8 flows", self.run_it("check", "plan"))

    def test_keeps_a_plan_that_is_in_use(self):
        self.plan()
        self.assertIn("running flows         8, moved 0",
                      self.run_it("run", "job.yaml", "--keep", "plan", "--out", "plan"))

    def test_says_what_is_wrong_with_a_plan(self):
        self.plan()
        file = self.path / "plan" / "rack1.yaml"
        file.write_text(file.read_text().replace("{port: up1b}, {port: up2b}", "{port: up9}"))
        self.assertEqual(self.run_it("check", "plan", status=1),
                         "plan/rack1.yaml:5:5: 10.1.2.2 > 10.2.2.2: unknown port 'up9'; "
                         "rack1 has gpu1a to up2b\n")
        self.assertIn("unknown port", self.run_it("check", file, status=1))

    def test_says_what_is_wrong_with_an_input(self):
        for before, after, problem in (
                ("llama", "llama, rails: 3", "gpu1 has 2 NICs; the job has 3 rails"),
                ("hosts.txt", "none.txt", "cannot read none.txt"),
                ("ring_allreduce", "ring", "'ring' is unknown; write one of ring_allreduce"),
                ("up1a, up1b", "up1a", "7 names; rack1 has 8 ports"),
                ("host_file: hosts.txt", "hosts: [gpu9]", "no host 'gpu9' and no 'gpu9-0'"),
                ("host_file: hosts.txt", 'hosts: ["gpu[1-"]', "is no list of hosts")):
            (self.path / "job.yaml").write_text(RACKS.replace(before, after))
            self.assertIn(problem, self.run_it("run", "job.yaml", status=2))
        self.assertIn("weir-plan --help", self.run_it("run", status=2))

    def test_slurm_list_is_as_good(self):
        by_file = self.plan()
        (self.path / "job.yaml").write_text(
            RACKS.replace("host_file: hosts.txt", 'hosts: ["gpu[1,3]", "gpu[2,4]"]'))
        self.assertEqual(self.plan(), by_file)

    def test_deadlock_of_the_lab_is_seen_on_paper(self):
        self.assertEqual(self.run_it("run", EXPERIMENTS / "deadlock-by-hooks.yaml", status=1),
                         "tables: deadlock: buffers wait in a circle: leaf0 p1 > spine0 p2 > "
                         "leaf1 p2 > spine1 p1 > leaf0 (priority 3)\n")
        self.run_it("run", EXPERIMENTS / "deadlock-prevented.yaml")


if __name__ == "__main__":
    unittest.main()
