#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every "file: function" that dataplane/README.md names is there."""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..")


def missing_names(page, folder):
    """(checked, missing) names of a page."""
    names = re.findall(r"`([a-z_/]+\.(?:cc|h)): ([A-Za-z_:]+)`", page)
    missing = []
    for file, function in names:
        path = os.path.join(folder, file)
        text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        short = function.rsplit("::", 1)[-1]
        wanted = function if file.endswith(".cc") else short
        if not re.search(r"\b" + re.escape(wanted) + r"\(", text):
            missing.append(f"{file}: {function}")
    return names, missing


def main():
    folder = os.path.join(ROOT, "dataplane")
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as page:
        names, missing = missing_names(page.read(), folder)
    _, canary = missing_names("`core/parse.cc: no_such_function` `core/no.cc: parse`", folder)
    if len(names) < 20 or len(canary) != 2:
        print("the check itself is broken:", len(names), canary)
        return 1
    for name in missing:
        print("dataplane/README.md names what is not there:", name)
    return 1 if missing else 0


sys.exit(main())
