#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what has to be built for the tests of some suites, for ninja.

Usage: suite_targets.py BUILD_DIR SUITE...

A suite that no test belongs to is an error: what is not built must not look like what passed.
"""
import json
import pathlib
import subprocess
import sys


def introspect(build, what):
    run = subprocess.run(["meson", "introspect", what, build], capture_output=True, text=True,
                         check=True)
    return json.loads(run.stdout)


def targets_of(tests, targets, suites):
    """Paths, from the build folder, of the targets that the tests of the suites depend on."""
    files = {target["id"]: target["filename"] for target in targets}
    found, left = set(), set(suites)
    for test in tests:
        own = {suite.split(":")[-1] for suite in test["suite"]}
        if not own & set(suites):
            continue
        left -= own
        for needed in test["depends"]:
            found.update(files[needed])
    if left:
        raise SystemExit(f"suite_targets: no test in suite {', '.join(sorted(left))}")
    return sorted(found)


def main():
    build, *suites = sys.argv[1:]
    root = pathlib.Path(build).resolve()
    for path in targets_of(introspect(build, "--tests"), introspect(build, "--targets"), suites):
        print(pathlib.Path(path).relative_to(root))


if __name__ == "__main__":
    main()
