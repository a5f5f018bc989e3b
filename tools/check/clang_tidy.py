#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy over the core and over what changed, with the compile commands of a build.

Usage: clang_tidy.py BUILD_DIR [--since REVISION] [--core] [FILE...]

--core             every source of dataplane/core
--since REVISION   every source that differs from REVISION, in the work tree or in commits, and
                   every source that includes a header which does
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

import tidy


def sources_of_build(build):
    """Path from the root -> whether the build compiles it; the compile commands know how."""
    commands = json.loads((build / "compile_commands.json").read_text())
    paths = {pathlib.Path(os.path.normpath(os.path.join(c["directory"], c["file"])))
             for c in commands}
    return sorted(str(p.relative_to(tidy.ROOT)) for p in paths
                  if tidy.ROOT in p.parents and build not in p.parents and p.exists())


def changed_since(revision):
    run = subprocess.run(["git", "diff", "--name-only", revision, "--"], cwd=tidy.ROOT,
                         capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def including(headers, sources):
    """Sources that include one of the headers by its path from the root."""
    for source in sources:
        included = re.findall(r'^#include "([^"]+)"', (tidy.ROOT / source).read_text(),
                              re.MULTILINE)
        if headers & set(included):
            yield source


def chosen(arguments, sources):
    wanted = {str(pathlib.Path(f).resolve().relative_to(tidy.ROOT)) for f in arguments.files}
    if arguments.since:
        wanted |= changed_since(arguments.since)
    wanted |= set(including({w for w in wanted if w.endswith(".h")}, sources))
    if arguments.core:
        wanted |= {s for s in sources if s.startswith("dataplane/core/")}
    return [s for s in sources if s in wanted]


def check_one(build, source):
    # A gcc build's options that clang does not know are not the source's fault.
    run = subprocess.run(
        ["clang-tidy", "--quiet", "-p", str(build), "--extra-arg=-Wno-unknown-warning-option",
         "--extra-arg=-Wno-ignored-optimization-argument", source],
        cwd=tidy.ROOT, capture_output=True, text=True, check=False)
    return source, run.returncode, run.stdout, run.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--since")
    parser.add_argument("--core", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    sources = chosen(arguments, sources_of_build(build))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, status, out, err in pool.map(lambda s: check_one(build, s), sources):
            if status != 0:
                failed += 1
                print(f"{source}: refused\n{out}{err if not out else ''}", flush=True)
    print(f"clang-tidy: {len(sources)} sources, {failed} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
