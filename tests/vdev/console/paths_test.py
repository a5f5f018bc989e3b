#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Path tables of a running switch: shown, explained, and changed by saving the plan's file."""
import json
import os
import socket
import unittest

import weir_process as weir

LEAF = """\
switch: {name: leaf}
frames: 8192
ports:
  - {name: down, device: "ring:d", addresses: [10.1.0.1/24]}
  - {name: other, device: "ring:d", addresses: [10.9.0.1/24]}
  - {name: up1, device: "net_null1,no-rx=1", addresses: [10.3.1.1/24]}
  - {name: up2, device: "net_null2,no-rx=1", addresses: [10.3.2.1/24]}
routes: [{prefix: 10.2.0.0/16, via: [10.3.1.2, 10.3.2.2]}]
neighbors:
  - {address: 10.3.1.2, mac: "02:00:00:00:03:01"}
  - {address: 10.3.2.2, mac: "02:00:00:00:03:02"}
paths_file: plan.yaml
"""
PLAN = """\
plan: {{version: 1, switch: {name}, generated_by: hand, move: now}}
paths:
  - {{source: 10.1.0.2, destination: 10.2.0.5, dest_qp: 17,
      via: [{{port: {first}}}, {{port: {second}}}]}}
  - {{ingress: down, destination: 10.2.7.0/24, via: [{{port: {second}}}]}}
"""


def plan(first, second, name="leaf"):
    return PLAN.format(name=name, first=first, second=second)


class PathsTest(unittest.TestCase):
    def setUp(self):
        self.folder = weir.Folder()
        self.addCleanup(self.folder.remove)
        self.folder.write("plan.yaml", plan("up1", "up2"))
        self.socket = self.folder.name("console")
        self.prefix = f"weirpaths-{os.getpid()}"
        self.weir = weir.Background(
            ["-c", self.folder.write("leaf.yaml", LEAF), "--socket", self.socket],
            self.folder.name("log"), [f"--file-prefix={self.prefix}"])
        self.addCleanup(self.weir.kill)
        self.weir.wait_for_socket(self.socket)

    def ask(self, line):
        return weir.ask(self.socket, line)

    def telemetry(self, request):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(weir.ANSWER_SECONDS)
            connection.connect(f"/var/run/dpdk/{self.prefix}/dpdk_telemetry.v2")
            connection.recv(65536)
            connection.send(request.encode())
            return json.loads(connection.recv(65536))[request.split(",")[0]]

    def test_shown_explained_and_reloaded(self):
        self.assertIn("rules: 2; on primary: 2, backup: 0, hash: 0, no way: 0",
                      self.ask("show paths"))
        self.assertIn("10.1.0.2 -> 10.2.0.5, queue pair 17  primary  10.3.1.2 port 2 (up1)",
                      self.ask("show paths all"))
        flow = "explain flow in down src 10.1.0.2 dst 10.2.0.5 qp 17"
        self.assertIn("path       primary", self.ask(flow))
        self.assertIn("port 2 (up1), queue", self.ask(flow))
        self.assertIn("rule       1: from port 0 (down) to 10.2.7.0/24",
                      self.ask("explain flow in down src 10.1.0.2 dst 10.2.7.9"))
        # A lost way: the backup, without a reload.
        self.ask("port stop up1")
        self.assertIn("backup 1", self.ask("show paths rule 0"))
        self.assertIn("10.3.1.2 port 2 (up1) (not usable)", self.ask("show paths rule 0"))
        self.assertIn("port 3 (up2), queue", self.ask(flow))
        self.assertEqual(self.telemetry("/weir/paths")["on_backup"], 1)
        self.ask("port start up1")
        # Saving the plan's file is enough.
        self.folder.write("plan.yaml", plan("up2", "up1"))
        self.weir.wait_for(lambda: "port 3 (up2), queue" in self.ask(flow), "the new plan")
        self.assertIn("primary   10.3.2.2 port 3 (up2)", self.ask("show paths rule 0"))
        paths = self.telemetry("/weir/paths")
        self.assertEqual((paths["rules"], paths["on_primary"], paths["no_way"]), (2, 2, 0))
        self.assertEqual(paths["generated_by"], "hand")

    def test_a_bad_plan_changes_nothing(self):
        self.folder.write("plan.yaml", plan("up1", "up7"))
        answer = self.ask("reload")
        self.assertIn("plan.yaml:4:26: paths[0].via[1]: there is no port up7", answer)
        self.folder.write("plan.yaml", plan("up1", "up2", "spine"))
        self.assertIn("plan.yaml:1:7: plan: the plan is for switch spine, this is leaf",
                      self.ask("reload"))
        self.assertIn("on primary: 2", self.ask("show paths"))


if __name__ == "__main__":
    unittest.main()
