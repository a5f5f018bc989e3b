#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Searches with one libFuzzer program for a limited time, starting from its corpus.

Usage: smoke.py PROGRAM CORPUS_FOLDER [--finds TEXT]

--finds TEXT   the search must end with a crash on an input that starts with TEXT (the canary)
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SECONDS = int(os.environ.get("WEIR_FUZZ_SECONDS", "60"))


def search(program, corpus, folder):
    # New inputs go to the scratch folder: a test run leaves the work tree as it was.
    found = pathlib.Path(folder, "found")
    found.mkdir()
    command = [program, f"-max_total_time={SECONDS}", "-timeout=5", "-rss_limit_mb=2048",
               "-print_final_stats=1", f"-artifact_prefix={folder}/", str(found), str(corpus)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace",
                          timeout=SECONDS + 60, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--finds")
    arguments = parser.parse_args()
    if not any(arguments.corpus.iterdir()):
        sys.exit(f"{arguments.corpus} has no seed")
    with tempfile.TemporaryDirectory(prefix="weir-fuzz-") as folder:
        run = search(arguments.program, arguments.corpus, folder)
        crashes = sorted(pathlib.Path(folder).glob("crash-*"))
        inputs = [path.read_bytes() for path in crashes]
    if arguments.finds:
        found = any(data.startswith(arguments.finds.encode()) for data in inputs)
        print(f"planted crash {'found' if found else 'NOT FOUND'}: {inputs}")
        return 0 if found and run.returncode != 0 else 1
    if run.returncode != 0:
        print(run.stdout, run.stderr)
        for data in inputs:
            print(f"input: {data.hex()}")
        return 1
    executions = re.search(r"number_of_executed_units:\s*(\d+)", run.stderr)
    print(f"{executions.group(1) if executions else '?'} executions in {SECONDS} s")
    return 0 if executions and int(executions.group(1)) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
