#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which ends of rping the Soft-RoCE tests take for a good one, and which they must refuse."""
import pathlib
import sys
import unittest
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/hosts"))

from lib.rdma import rping_rounds  # noqa: E402

CLOSED = "rdma_get_cm_event: Bad file descriptor"
CLIENT_END = ["client DISCONNECT EVENT...", CLOSED]
SERVER_END = ["server DISCONNECT EVENT...", "wait for RDMA_READ_ADV state 10"]


def answer(status, words, numbers, end=()):
    lines = [*(f"{words}rdma-ping-{i}: ABCDEFG" for i in numbers), *end]
    return SimpleNamespace(status=status, text="\n".join(lines) + "\n")


def client(status=0, numbers=range(20), end=()):
    return answer(status, "ping data: ", numbers, end)


def server(status=0, numbers=range(20), end=tuple(SERVER_END)):
    return answer(status, "server ping data: ", numbers, end)


class RpingRounds(unittest.TestCase):
    def test_both_ends_say_zero(self):
        self.assertEqual(rping_rounds(client(), server()), 20)

    def test_an_end_that_lost_the_race_at_its_end(self):
        self.assertEqual(rping_rounds(client(255, end=CLIENT_END), server()), 20)
        self.assertEqual(rping_rounds(client(), server(255, end=[*SERVER_END, CLOSED])), 20)

    def test_255_without_the_race_is_a_failure(self):
        self.assertIsNone(rping_rounds(client(255), server()))
        self.assertIsNone(rping_rounds(client(255, end=CLIENT_END[:1]), server()))

    def test_any_other_status_is_a_failure(self):
        self.assertIsNone(rping_rounds(client(1, end=CLIENT_END), server()))
        self.assertIsNone(rping_rounds(client(124, end=CLIENT_END), server()))
        self.assertIsNone(rping_rounds(client(), server(255)))

    def test_a_mismatch_or_another_error_is_a_failure(self):
        for line in ("data mismatch!", "post send error 22", "cq completion failed status 12",
                     "cma event RDMA_CM_EVENT_UNREACHABLE, error -110"):
            self.assertIsNone(rping_rounds(client(255, end=[line, *CLIENT_END]), server()), line)
            self.assertIsNone(rping_rounds(client(), server(end=[line, *SERVER_END])), line)

    def test_a_round_that_only_one_end_saw_is_a_failure(self):
        self.assertIsNone(rping_rounds(client(255, range(19), CLIENT_END), server()))
        self.assertIsNone(rping_rounds(client(), server(numbers=range(19))))

    def test_a_round_missing_in_between_is_a_failure(self):
        gap = [*range(10), *range(11, 21)]
        self.assertIsNone(rping_rounds(client(numbers=gap), server(numbers=gap)))

    def test_fewer_rounds_are_counted_as_what_they_are(self):
        self.assertEqual(rping_rounds(client(255, range(7), CLIENT_END), server(numbers=range(7))),
                         7)


if __name__ == "__main__":
    unittest.main()
