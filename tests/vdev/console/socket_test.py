#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A switch in the background: its socket, `--attach`, events, reload, telemetry, signals."""
import json
import os
import pathlib
import re
import signal
import socket
import time
import unittest

import weir_process as weir

PROMPT = "weir> "


class SocketTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = weir.Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.file = cls.folder.write("leaf.yaml", weir.TWO_PORTS)
        cls.path = cls.folder.name("console")
        cls.events = cls.folder.name("events")
        cls.prefix = f"weirconsole{os.getpid()}"
        cls.switch = weir.Background(
            ["-c", cls.file, "--socket", cls.path, "--events", cls.events],
            cls.folder.name("log"), eal=[f"--file-prefix={cls.prefix}"])
        cls.addClassCleanup(cls.switch.kill)
        cls.switch.wait_for_socket(cls.path)

    def client(self):
        client = weir.Client(self.path)
        self.addCleanup(client.close)
        return client

    def event_lines(self):
        return [json.loads(line) for line in pathlib.Path(self.events).read_text().splitlines()]

    def wait_for_event(self, **fields):
        def found():
            return any(fields.items() <= event.items() for event in self.event_lines())
        self.switch.wait_for(found, f"the event {fields}")

    def test_answers_end_with_a_nul_byte(self):
        client = self.client()
        self.assertIn("port 0 (left)", client.ask("show port stats 0"))
        self.assertEqual(client.ask(""), "")
        self.assertEqual(client.ask("show drops"), "no frame was dropped\n")
        self.assertEqual(client.ask("shwo drops"),
                         "error: no command shwo; did you mean show? (try help)\n")

    def test_rates_cover_the_time_since_the_sessions_last_look_at_that_port(self):
        def seconds(client, port):
            text = client.ask(f"show port stats {port}")
            return float(re.search(r"over the last ([0-9.]+) s", text).group(1))
        one, other = self.client(), self.client()
        # A first look goes back to one of the samples that are taken every second.
        first = seconds(one, "left")
        again = seconds(one, "left")
        self.assertLess(again, first + 1)
        time.sleep(0.3)
        self.assertGreaterEqual(seconds(one, "left"), 0.3)
        seconds(other, "left")
        seconds(one, "right")
        time.sleep(0.3)
        # Neither the other session's look nor the one at the other port began a new time.
        self.assertGreaterEqual(seconds(one, "left"), 0.3)

    def test_lines_may_come_in_pieces_and_in_heaps(self):
        client = self.client()
        for piece in ("show ", "dro", "ps\nshow drops\nshow"):
            client.send(piece)
        self.assertEqual(client.answer(), "no frame was dropped\n")
        self.assertEqual(client.answer(), "no frame was dropped\n")
        client.send(" drops\n")
        self.assertEqual(client.answer(), "no frame was dropped\n")

    def test_a_client_that_only_sends_gets_all_its_answers(self):
        client = self.client()
        client.send("show drops\nshow drops")  # the last one without a line end
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.answer(), "no frame was dropped\n")
        self.assertEqual(client.answer(), "no frame was dropped\n")
        self.assertIsNone(client.answer())

    def test_a_line_without_an_end_is_refused(self):
        client = self.client()
        client.send("x" * 5000)
        self.assertEqual(client.answer(), "error: a line has at most 4096 bytes\n")
        self.assertIsNone(client.answer())

    def test_any_bytes_are_only_an_unknown_command(self):
        client = self.client()
        client.socket.sendall(b"\xff\x00\x01\x1b[A\n")
        self.assertTrue(client.answer().startswith("error: no command"))  # with '?' for the NUL
        self.assertEqual(client.ask("show drops"), "no frame was dropped\n")

    def test_clients_do_not_wait_for_each_other(self):
        silent, reading = self.client(), self.client()
        silent.socket.setblocking(False)
        with self.assertRaises(BlockingIOError):  # it never reads: in the end it is held up
            for _ in range(10_000):
                silent.send("show port stats all\n" * 100)
        self.assertEqual(reading.ask("show drops"), "no frame was dropped\n")

    def wait_for_room(self):
        """The switch sees the end of a session a round later; the next test needs a place."""
        self.switch.wait_for(
            lambda: not weir.ask(self.path, "show drops").startswith("error: too many sessions"),
            "the sessions are over")

    def test_sixty_four_clients_and_no_more(self):
        self.addCleanup(self.wait_for_room)  # after the clients are closed
        first = self.client()
        first.ask("show drops")  # answered a round after the ends of earlier clients were seen
        for _ in range(63):
            self.client()
        refused = self.client()
        self.assertEqual(refused.answer(), "error: too many sessions; end another one first\n")
        self.assertIsNone(refused.answer())
        self.assertEqual(first.ask("show drops"), "no frame was dropped\n")

    def test_quit_ends_the_session_only(self):
        client = self.client()
        self.assertEqual(client.ask("quit"), "")
        self.assertIsNone(client.answer())
        self.assertEqual(weir.ask(self.path, "show drops"), "no frame was dropped\n")

    def test_prompt_and_completion_for_interactive_clients(self):
        client = self.client()
        self.assertEqual(client.ask("\tprompt"), PROMPT)
        self.assertEqual(client.ask("\tcomplete show port stats l"), "left\tport 0\t1\n")

    def test_attach_runs_commands(self):
        done = weir.run_plain(["--attach", self.path, "-e", "show drops", "-e", "show switches"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("no frame was dropped\n"), done.stdout)
        self.assertIn("leaf", done.stdout)
        done = weir.run_plain(["--attach", self.path, "-e", "show port stats 9"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, "error: no port 9; ports are 0 (left), 1 (right)\n")

    def test_attach_reads_a_pipe(self):
        done = weir.run_plain(["--attach", self.path], text="show drops\nquit\nshow switches\n")
        self.assertEqual((done.returncode, done.stdout), (0, "no frame was dropped\n"))

    def test_attach_says_when_nobody_is_there(self):
        done = weir.run_plain(["--attach", self.folder.name("nobody"), "-e", "show drops"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("no switch has its console there", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_attach_on_a_terminal_completes_with_the_switch(self):
        terminal = weir.Terminal([weir.binary(), "--attach", self.path])
        self.addCleanup(terminal.close)
        terminal.read_until(PROMPT)
        terminal.send("sh\tport st\tr\t\r")  # the switch knows the port's name
        text = terminal.read_until(r"statistics of port 1 \(right\)")
        self.assertIn("show port stats right", text)
        terminal.read_until(PROMPT)
        terminal.send("quit\r")
        self.assertEqual(terminal.end_status(), 0)

    def test_stopped_ports_are_shown_and_noted(self):
        self.assertEqual(weir.ask(self.path, "port stop left"), "")
        self.wait_for_event(event="port_stopped", port="left", switch="leaf")
        self.wait_for_event(event="link_down", port="left")
        self.wait_for_event(event="link_down", port="right")  # the other end of the ring
        self.assertIn("stopped", weir.ask(self.path, "show links"))
        self.assertEqual(weir.ask(self.path, "port stop 0"), "port left was stopped already\n")
        self.assertEqual(weir.ask(self.path, "port start left"), "")
        self.wait_for_event(event="port_started", port="left")
        self.switch.wait_for(lambda: "down" not in weir.ask(self.path, "show links"),
                             "both ports up again")

    def test_saving_the_file_reloads_it_and_a_bad_file_changes_nothing(self):
        pathlib.Path(self.file).write_text(weir.TWO_PORTS + "ageing: 7s\n")
        self.wait_for_event(event="reloaded", text="ageing: 300s -> 7s\n")
        self.assertIn("ageing 7s", weir.ask(self.path, "show config"))

        pathlib.Path(self.file).write_text(weir.TWO_PORTS + "ageing: 7\n")
        answer = weir.ask(self.path, "reload")
        self.assertTrue(answer.startswith("error: nothing was changed:\n"), answer)
        self.assertIn("leaf.yaml:6:9: ageing:", answer)
        self.wait_for_event(event="reload_refused")
        self.assertIn("ageing 7s", weir.ask(self.path, "show config"))

        third = weir.TWO_PORTS.replace("right", "middle").replace("ring:a", "ring:b")
        self.folder.write("third.yaml", third)
        answer = weir.ask(self.path, f"load {self.folder.name('third.yaml')}")
        self.assertTrue(answer.startswith("error: nothing was changed:\n"), answer)
        self.assertIn("restart", answer)

        pathlib.Path(self.file).write_text(weir.TWO_PORTS)
        self.assertEqual(weir.ask(self.path, "reload"), "ageing: 7s -> 300s\n")
        self.assertEqual(weir.ask(self.path, "reload"), "nothing is different\n")

    def test_explain_flow_runs_the_look_up(self):
        answer = weir.ask(self.path, "explain flow in left mac-src 02:00:00:00:00:0a "
                                     "mac-dst 02:00:00:00:00:0b")
        self.assertIn("MAC        unknown", answer)
        self.assertIn("egress     port 1 (right), queue 0", answer)
        answer = weir.ask(self.path, "explain flow in left src 10.0.0.1 dst 10.0.0.2")
        self.assertTrue(answer.startswith("error: port left is bridged: add mac-dst"), answer)

    def test_every_show_command_answers(self):
        for command in ("port info all", "queue", "queue port right", "links", "routes",
                        "routes 10.0.0.0/8", "neighbors", "mac", "config", "workers", "switches"):
            answer = weir.ask(self.path, f"show {command}")
            self.assertTrue(answer and not answer.startswith("error"), f"{command}: {answer}")

    def test_clear_stats_sets_shown_counters_to_zero(self):
        turns = int(weir.ask(self.path, "show workers").splitlines()[1].split()[1])
        self.assertEqual(weir.ask(self.path, "clear stats"), "")
        self.wait_for_event(event="stats_cleared")
        after = int(weir.ask(self.path, "show workers").splitlines()[1].split()[1])
        self.assertLess(after, turns)

    def telemetry(self, request):
        path = f"/var/run/dpdk/{self.prefix}/dpdk_telemetry.v2"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(weir.ANSWER_SECONDS)
            connection.connect(path)
            connection.recv(4096)  # who it is
            connection.sendall(request.encode())
            return json.loads(connection.recv(65536))

    def test_telemetry(self):
        self.assertEqual(self.telemetry("/weir/switches"), {"/weir/switches": ["leaf"]})
        self.assertEqual(self.telemetry("/weir/ports,leaf"), {"/weir/ports": ["left", "right"]})
        self.assertEqual(self.telemetry("/weir/ports"), {"/weir/ports": ["left", "right"]})
        stats = self.telemetry("/weir/port_stats,leaf:right")["/weir/port_stats"]
        self.assertEqual(stats["received_frames"], 0)
        self.assertEqual(stats["sent_by_priority"], [0] * 8)
        self.assertEqual(stats["drops"]["no_route"], 0)
        self.assertEqual(self.telemetry("/weir/port_stats,1")["/weir/port_stats"], stats)
        info = self.telemetry("/weir/port_info,left")["/weir/port_info"]
        self.assertEqual((info["name"], info["mode"]), ("left", "bridged"))
        self.assertEqual(self.telemetry("/weir/drops")["/weir/drops"]["TTL_expired"], 0)
        queues = self.telemetry("/weir/queues,left")["/weir/queues"]
        self.assertEqual(queues["priority_7"], {"frames": 0, "bytes": 0, "bytes_max": 0,
                                                "weight": 0, "sent": 0, "dropped": 0})
        workers = self.telemetry("/weir/workers")["/weir/workers"]
        self.assertEqual(workers["mbufs"], 4096)

    def test_telemetry_refuses_what_does_not_exist(self):
        for request in ("/weir/port_stats,9", "/weir/port_stats", "/weir/ports,other",
                        "/weir/port_stats,other:left", "/weir/port_stats,leaf:", "/weir/nothing",
                        "/weir/queues," + "x" * 500):
            answer = self.telemetry(request)
            self.assertIsNone(next(iter(answer.values())), f"{request}: {answer}")
        self.assertEqual(self.telemetry("/weir/switches"), {"/weir/switches": ["leaf"]})


class EndTest(unittest.TestCase):
    """How a switch ends, and what it leaves behind: nothing."""

    def setUp(self):
        self.folder = weir.Folder()
        self.addCleanup(self.folder.remove)
        self.file = self.folder.write("leaf.yaml", weir.TWO_PORTS)
        self.path = self.folder.name("console")

    def start(self):
        switch = weir.Background(["-c", self.file, "--socket", self.path],
                                 self.folder.name("log"))
        self.addCleanup(switch.kill)
        switch.wait_for_socket(self.path)
        return switch

    def test_sigterm_ends_it_and_removes_the_socket(self):
        switch = self.start()
        self.assertEqual(switch.end(signal.SIGTERM), 0)
        self.assertFalse(os.path.exists(self.path))

    def test_sighup_reloads(self):
        switch = self.start()
        self.folder.write("leaf.yaml.new", weir.TWO_PORTS)
        switch.process.send_signal(signal.SIGHUP)
        log = pathlib.Path(switch.log)
        switch.wait_for(lambda: "reloaded" in log.read_text(), "the reload")
        self.assertEqual(switch.end(signal.SIGINT), 0)

    def test_a_socket_in_use_is_refused_and_a_dead_one_taken_over(self):
        switch = self.start()
        other = weir.run(["-c", self.file, "--socket", self.path])
        self.assertEqual(other.returncode, 2)
        self.assertEqual(other.stderr.splitlines()[-1],
                         f"weir: --socket {self.path}: another switch has its console there; "
                         "choose another name")
        self.assertEqual(weir.ask(self.path, "show drops"), "no frame was dropped\n")
        switch.kill()
        self.assertTrue(os.path.exists(self.path))
        self.assertEqual(self.start().end(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
