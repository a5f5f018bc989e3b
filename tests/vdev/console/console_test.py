#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A person at a terminal, a file and a pipe of commands, and every way not to start."""
import pathlib
import unittest

import weir_process as weir

PROMPT = "weir> "
UP, LEFT, BACKSPACE, END_OF_INPUT = "\x1b[A", "\x1b[D", "\x7f", "\x04"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = weir.Folder()
        self.addCleanup(self.folder.remove)
        self.file = self.folder.write("leaf.yaml", weir.TWO_PORTS)


class TerminalTest(Case):
    def setUp(self):
        super().setUp()
        self.terminal = weir.Terminal(weir.command_line(["-c", self.file, "-i"]))
        self.addCleanup(self.terminal.close)
        self.terminal.read_until(PROMPT, weir.START_SECONDS)

    def test_edits_completes_helps_and_remembers(self):
        terminal = self.terminal
        # TAB finishes words and names; the port's name is known.
        terminal.send("sh\tpo\tst\tle\t\r")
        text = terminal.read_until(PROMPT)
        self.assertIn("show port stats left", text)
        self.assertIn("statistics of port 0 (left)", text)
        self.assertIn("Mpps", text)
        # TAB lists when there is a choice, and the line stays.
        terminal.send("show port \t")
        text = terminal.read_until(r"show port $")
        self.assertRegex(text, r" stats .*\n.* info ")
        terminal.send("info right\r")
        self.assertIn("port 1 (right)", terminal.read_until(PROMPT))
        # `?` lists with help.
        terminal.send("port ?")
        text = terminal.read_until(r"\r\n[^\n]*> port $")
        self.assertRegex(text, r"start")
        self.assertRegex(text, r"stop")
        terminal.send("stop ?")
        self.assertRegex(terminal.read_until(r"> port stop $"), r"left +port 0")
        terminal.send("\x01\x0b")  # Ctrl-A, Ctrl-K: an empty line
        # The history, and editing inside of a line.
        terminal.send("show drop" + "\r")
        self.assertIn("error: show: no drop; did you mean drops?", terminal.read_until(PROMPT))
        terminal.send(UP + "s\r")  # the prompt is printed again with the old line
        terminal.read_until("no frame was dropped")
        terminal.read_until(PROMPT)
        terminal.send("show links" + LEFT + LEFT + BACKSPACE + "n\r")
        self.assertIn("device link", terminal.read_until(PROMPT))
        terminal.send("quit\r")
        self.assertEqual(terminal.end_status(), 0)

    def test_ctrl_c_ends_it(self):
        self.terminal.send("show po\x03")
        self.assertEqual(self.terminal.end_status(), 0)

    def test_ctrl_d_ends_it(self):
        self.terminal.send(END_OF_INPUT)
        self.assertEqual(self.terminal.end_status(), 0)

    def test_a_reload_is_told_above_the_line_being_typed(self):
        self.terminal.send("show dro")
        self.terminal.read_until("show dro")
        pathlib.Path(self.file).write_text(weir.TWO_PORTS + "ageing: 7s\n")
        text = self.terminal.read_until(r"show dro$")
        self.assertIn("ageing: 300s -> 7s", text)
        self.terminal.send("ps\r")
        self.assertIn("no frame was dropped", self.terminal.read_until(PROMPT))
        self.terminal.send("quit\r")
        self.assertEqual(self.terminal.end_status(), 0)


class SeveralSwitchesTest(Case):
    def test_the_prompt_says_which_one_and_use_changes_it(self):
        files = [self.folder.write(f"{name}.yaml", weir.ONE_END.format(name=name))
                 for name in ("leaf", "spine")]
        terminal = weir.Terminal(
            weir.command_line(["-c", files[0], "-c", files[1], "-i"]))
        self.addCleanup(terminal.close)
        terminal.read_until("weir:leaf> ", weir.START_SECONDS)
        terminal.send("show port info 0\r")
        self.assertIn("leaf-up", terminal.read_until("weir:leaf> "))
        terminal.send("use sp\t\r")
        terminal.read_until("weir:spine> ")
        terminal.send("show port info 0\r")
        self.assertIn("spine-up", terminal.read_until("weir:spine> "))
        terminal.send("show workers\r")
        self.assertIn("leaf:leaf-up spine:spine-up", terminal.read_until("weir:spine> "))
        terminal.send("use nobody\r")
        self.assertIn("no switch nobody; switches are leaf, spine",
                      terminal.read_until("weir:spine> "))
        terminal.send("quit\r")
        self.assertEqual(terminal.end_status(), 0)


class LinesTest(Case):
    def test_a_pipe_is_run_to_its_end(self):
        done = weir.run(["-c", self.file, "-i"], "show drops\n\n# a comment\nshow switches")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("no frame was dropped\n  switch "), done.stdout)
        self.assertIn("leaf", done.stdout)

    def test_a_failed_command_makes_the_status_one(self):
        done = weir.run(["-c", self.file, "-i"], "show drip\nshow drops\n")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "no frame was dropped\n")
        self.assertIn("error: show: no drip; did you mean drops?\n", done.stderr)

    def test_a_command_file_is_run_first(self):
        commands = self.folder.write("commands", "show drops\nquit\nshow switches\n")
        done = weir.run(["-c", self.file, "--cmd-file", commands])
        self.assertEqual((done.returncode, done.stdout), (0, "no frame was dropped\n"),
                         done.stderr)

    def test_an_endless_line_is_refused(self):
        done = weir.run(["-c", self.file, "-i"], "x" * 10_000 + "\nshow drops\n")
        self.assertIn("error: ", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_events_on_stdout(self):
        done = weir.run(["-c", self.file, "--events", "-", "-i"], "port stop left\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"event":"port_stopped","port":"left"}', done.stdout)
        self.assertIn('"event":"stopped"}', done.stdout)


class CheckTest(Case):
    def test_a_good_file_is_described(self):
        done = weir.run_plain(["--check", self.file])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith(f"{self.file}: ok\nswitch leaf: 2 ports"),
                        done.stdout)

    def test_problems_are_one_line_each(self):
        bad = self.folder.write("bad.yaml", weir.TWO_PORTS + "ageing: 7\nroute: []\n")
        done = weir.run_plain(["--check", bad])
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)
        self.assertTrue(lines[0].startswith(f"{bad}:6:9: ageing: "), lines[0])
        self.assertTrue(lines[1].startswith(f"{bad}:7:1: "), lines[1])
        self.assertIn("routes", lines[1])

    def test_examples_are_right(self):
        examples = weir.ROOT / "config" / "examples"
        for path in sorted(examples.glob("*.yaml")):
            if path.name.endswith(".paths.yaml"):
                continue  # named by a switch's file, and read with it
            done = weir.run_plain(["--check", str(path)])
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        for folder in sorted(p for p in examples.iterdir() if p.is_dir()):
            files = [str(path) for path in sorted(folder.glob("*.yaml"))]
            done = weir.run_plain(["--check", *files])
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class RefusalTest(Case):
    """Every start-up failure: one clear line, status 2, nothing left running."""

    def refused(self, text, *parts, eal=()):
        file = self.folder.write("bad.yaml", text)
        done = weir.run(["-c", file, "-i"], "quit\n", eal)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        last = done.stderr.splitlines()[-1]
        for part in parts:
            self.assertIn(part, last)
        return last

    def test_unknown_key(self):
        last = self.refused(weir.TWO_PORTS + "aging: 7s\n", "bad.yaml:6:1", "ageing")
        self.assertTrue(last.startswith("weir: "), last)

    def test_bad_unit(self):
        self.refused(weir.TWO_PORTS + "ageing: 7\n", "bad.yaml:6:9", "7s")

    def test_duplicate_port(self):
        self.refused(weir.TWO_PORTS.replace("right", "left"), "bad.yaml:5:", "left")

    def test_overlapping_address(self):
        text = weir.TWO_PORTS.replace("left,", "left, addresses: [10.0.0.1/24],")
        text = text.replace("right,", "right, addresses: [10.0.0.2/16],")
        self.refused(text, "bad.yaml:5:", "10.0.0")

    def test_missing_device(self):
        text = weir.TWO_PORTS.replace('"ring:a"', '"net_af_packet0,iface=nosuch0"', 1)
        text = text.replace('"ring:a"', '"net_null0,no-rx=1"')
        self.refused(text, "nosuch0", "bad.yaml:4:")

    def test_missing_pci_device(self):
        text = weir.TWO_PORTS.replace('"ring:a"', '"0000:ff:1f.7"', 1)
        text = text.replace('"ring:a"', '"net_null0,no-rx=1"')
        self.refused(text, "0000:ff:1f.7")

    def test_core_that_does_not_exist(self):
        self.refused(weir.TWO_PORTS + "workers: {cores: [999]}\n", "bad.yaml:6:", "core 999")

    def test_ring_with_one_end(self):
        self.refused(weir.TWO_PORTS.replace('"ring:a"', '"ring:b"', 1), "bad.yaml:", "ring")

    def test_file_that_is_not_there(self):
        done = weir.run(["-c", self.folder.name("none.yaml")])
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.yaml", done.stderr.splitlines()[-1])

    def test_bad_eal_option(self):
        self.refused(weir.TWO_PORTS, "--nonsense", eal=["--nonsense"])

    def test_events_in_a_missing_folder(self):
        done = weir.run(["-c", self.file, "--events", self.folder.name("none/events")])
        self.assertEqual(done.returncode, 2)
        self.assertIn("none/events", done.stderr.splitlines()[-1])

    def test_socket_whose_name_is_too_long(self):
        done = weir.run(["-c", self.file, "--socket", "/tmp/" + "x" * 120])
        self.assertEqual(done.returncode, 2)
        self.assertIn("107 bytes", done.stderr.splitlines()[-1])

    def test_command_file_that_is_not_there(self):
        done = weir.run(["-c", self.file, "--cmd-file", self.folder.name("none")])
        self.assertEqual(done.returncode, 2)
        self.assertIn("none: No such file", done.stderr.splitlines()[-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
