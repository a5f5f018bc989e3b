#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The project's own rules, those that no formatter or compiler knows.

Usage: tidy.py [FILE...]     without files: everything in the work tree that git does not ignore
"""
import ast
import pathlib
import re
import subprocess
import sys
from typing import Callable, NamedTuple

import source_text

ROOT = pathlib.Path(__file__).resolve().parents[2]

FUNCTION_LINES_MAX = 60
SOURCE_LINES_MAX = 500
HEADER_LINES_MAX = 250
COLUMNS_MAX = 100


class Source:
    """One file: its path from the root of the tree, and views of its text."""

    def __init__(self, path, text):
        self.path = pathlib.PurePosixPath(path)
        self.text = text
        self.lines = text.split("\n")
        self.is_cpp = self.path.suffix in (".cc", ".h", ".c")
        self.is_header = self.path.suffix == ".h"
        self.is_python = self.path.suffix == ".py" or "python" in self.lines[0][:40]
        self.is_shell = self.path.suffix == ".sh" or bool(re.match(r"#!.*\b(ba)?sh\b", text))
        self.is_script = self.is_python or self.is_shell or text.startswith("#!")
        self.is_build = self.path.name == "meson.build"
        # Views without what the compiler does not see; other languages have no such view.
        self.code = source_text.code_only(text) if self.is_cpp else ""
        self.includes_view = source_text.without_comments(text) if self.is_cpp else ""

    def within(self, *folders):
        return any(str(self.path).startswith(folder + "/") for folder in folders)

    def lines_matching(self, pattern, view=None):
        text = self.text if view is None else view
        return [(text.count("\n", 0, m.start()) + 1, m) for m in re.finditer(pattern, text)]


class Problem(NamedTuple):
    path: str
    line: int
    rule: str
    text: str


def spdx_line(source):
    if not (source.is_cpp or source.is_script or source.is_build) or not source.text:
        return
    licence = "BSD-3-Clause"
    if source.path.name.endswith(".bpf.c"):
        licence = r"\(GPL-2\.0-only OR BSD-3-Clause\)"  # The kernel asks for a GPL-compatible one.
    if not re.search(rf"^(//|#) SPDX-License-Identifier: {licence}$",
                     "\n".join(source.lines[:3]), re.MULTILINE):
        yield 1, "no SPDX line among the first three"


def file_length(source):
    if not (source.is_cpp or source.is_script):
        return
    limit = HEADER_LINES_MAX if source.is_header else SOURCE_LINES_MAX
    count = source.text.count("\n")
    if count > limit:
        yield limit + 1, f"{count} lines, at most {limit}"


def _shell_functions(source):
    start = None
    for number, line in enumerate(source.lines, 1):
        match = re.match(r"(\w+)\(\) [{(]$", line)
        if match:
            start = (match.group(1), number)
        elif start and line in ("}", ")"):
            yield source_text.Function(start[0], start[1], number)
            start = None


def _functions(source):
    if source.is_cpp:
        yield from source_text.functions(source.text)
    elif source.is_python:
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield source_text.Function(node.name, node.lineno, node.end_lineno)
    elif source.is_shell:
        yield from _shell_functions(source)


def function_length(source):
    for function in _functions(source):
        if function.lines > FUNCTION_LINES_MAX:
            yield (function.first_line,
                   f"{function.name}: {function.lines} lines, at most {FUNCTION_LINES_MAX}")


def columns(source):
    if not (source.is_cpp or source.is_script or source.is_build):
        return
    for number, line in enumerate(source.lines, 1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns, at most {COLUMNS_MAX}"


def pragma_once(source):
    if source.is_header and not re.search(r"^#pragma once$", source.code, re.MULTILINE):
        yield 1, "a header starts with #pragma once"


def using_namespace(source):
    for line, _ in source.lines_matching(r"\busing\s+namespace\b", source.code):
        yield line, "no `using namespace`: name what is used"


VAGUE_NAMES = {"util", "utils", "common", "misc", "helper", "helpers", "manager", "managers",
               "handler", "handlers"}


def vague_name(source):
    for part in source.path.parts:
        vague = VAGUE_NAMES & set(re.split(r"[_.-]", part.lower()))
        if vague:
            yield 1, f"`{part}` says nothing: name the one thing that the file holds"


def file_name(source):
    if source.is_cpp and not re.fullmatch(r"[a-z0-9_]+(\.bpf)?\.(cc|h|c)", source.path.name):
        yield 1, "a source file's name is snake_case"


# Written in two halves, so that this file does not break the rule itself.
UNFINISHED = r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b(?![^\n]*#\d+)"


def todo_number(source):
    for line, _ in source.lines_matching(UNFINISHED):
        yield line, "unfinished work is named with its issue: #NUMBER"


def volatile_word(source):
    if source.is_cpp and source.path.suffix != ".c":
        for line, _ in source.lines_matching(r"\bvolatile\b", source.code):
            yield line, "no volatile: std::atomic with a named order, or a ring"


def friend_class(source):
    for line, _ in source.lines_matching(r"\bfriend\s+(class|struct)\b|\bFRIEND_TEST\b",
                                         source.code):
        yield line, "no friend class: say what the other may see"


def core_floating_point(source):
    if source.within("dataplane/core"):
        for line, match in source.lines_matching(r"\b(double|float)\b", source.code):
            yield line, f"no {match.group()} in the core: integers, with the unit in the name"


# The one place that turns raw bytes into objects: the memory a shard is given at its start.
REINTERPRET_CAST_ALLOWED = {"dataplane/core/arena.h"}


def core_reinterpret_cast(source):
    if source.within("dataplane/core") and str(source.path) not in REINTERPRET_CAST_ALLOWED:
        for line, _ in source.lines_matching(r"\breinterpret_cast\b", source.code):
            yield line, "wire bytes are read, not overlaid: use the readers"


def machine_path(source):
    for line, match in source.lines_matching(r"(?<![\w.])/(work|tmp/(wt|helpers))\b"):
        yield line, f"{match.group()} is a path of one machine"


def pure_of_dpdk(source):
    if source.within("dataplane/core", "config"):
        for line, match in source.lines_matching(r"\b(rte_\w+|RTE_\w+)", source.code):
            yield line, f"{match.group()}: DPDK begins in dataplane/io"


# Lowest first: a layer may include itself and those before it.
LAYERS = ("dataplane/core", "config", "dataplane/io", "dataplane/run", "tools", "tests")

CORE_STANDARD_HEADERS = set(
    "algorithm array atomic bit bitset cassert climits compare concepts cstddef cstdint cstdlib "
    "cstring functional initializer_list iterator limits memory new numeric optional ranges span "
    "string string_view tuple type_traits utility variant vector".split())

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def _layer(path):
    for index, folder in enumerate(LAYERS):
        if path.startswith(folder + "/"):
            return index
    return None


def include_direction(source):
    own = _layer(str(source.path))
    if own is None:
        return
    for line, match in source.lines_matching(INCLUDE, source.includes_view):
        bracket, name = match.groups()
        if bracket == "<":
            if own == 0 and name not in CORE_STANDARD_HEADERS:
                yield line, f"<{name}>: not among the headers that the core may use"
            elif own <= 1 and re.match(r"(rte_|cmdline|bpf/|xdp/)", name):
                yield line, f"<{name}>: devices begin in dataplane/io"
            continue
        other = _layer(name)
        if other is not None and other > own:
            yield line, f'"{name}": {LAYERS[own]} is below {LAYERS[other]}'
        elif own == 0 and other != 0:
            yield line, f'"{name}": the core includes "dataplane/core/..." only'
        elif other is None and (ROOT / source.path.parent / name).exists():
            yield line, f'"{name}": say the path from the root of the tree'


class Rule(NamedTuple):
    name: str
    check: Callable


RULES = [Rule(check.__name__.replace("_", "-"), check) for check in (
    spdx_line, file_length, function_length, columns, pragma_once, using_namespace, vague_name,
    file_name, todo_number, volatile_word, friend_class, core_floating_point,
    core_reinterpret_cast, machine_path, pure_of_dpdk, include_direction)]


def problems_of(path, text):
    """All problems of one file, given as text: the tests need no file on disk."""
    source = Source(path, text)
    return [Problem(str(path), line, rule.name, message)
            for rule in RULES for line, message in rule.check(source)]


def files_in_tree():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = sorted(name for name in listed.stdout.split("\0") if name)
    else:  # An unpacked archive.
        names = sorted(str(p.relative_to(ROOT)) for p in ROOT.rglob("*")
                       if not p.relative_to(ROOT).parts[0].startswith("build"))
    return [name for name in names if (ROOT / name).is_file()]


def main(arguments):
    names = [str(pathlib.Path(a).resolve().relative_to(ROOT)) for a in arguments]
    checked, problems = 0, []
    for name in names or files_in_tree():
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # A corpus file or a picture.
        checked += 1
        problems += problems_of(name, text)
    for problem in problems:
        print(f"{problem.path}:{problem.line}: {problem.text} [{problem.rule}]")
    print(f"{checked} files, {len(problems)} problems")
    return 1 if problems or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
