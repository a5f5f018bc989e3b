#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every rule of tools/check is fed one text that breaks it, and must refuse that text.

A check that stops seeing its violation (a renamed folder, a pattern that no longer matches) would
otherwise stay green for ever. Each rule is also shown the nearest text that is allowed.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/check"))

import core_symbols  # noqa: E402
import tidy  # noqa: E402

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"
HEADER = SPDX + "#pragma once\n"
TO_DO = "TO" + "DO"  # Not in one word: this file keeps the rules too.
WORK_TREE = "/wo" + "rk/main"


def function_of(lines):
    return "int f() {\n" + "    g();\n" * (lines - 2) + "}\n"


IN_CLASS = SPDX + "namespace weir {\nclass A {\n public:\nBODY};\n}\n"

# rule -> [(path, text that must be refused, the nearest text that must pass)]
CANARIES = {
    "spdx-line": [
        ("config/units.cc", "int x;\n", SPDX + "int x;\n"),
        ("tools/start", "#!/bin/bash\ntrue\n",
         "#!/bin/bash\n# SPDX-License-Identifier: BSD-3-Clause\ntrue\n"),
        ("dataplane/io/steer.bpf.c", SPDX,
         "// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)\n"),
    ],
    "file-length": [  # 500 lines in a source and 250 in a header are the last that pass.
        ("config/units.cc", SPDX + "int x;\n" * 500, SPDX + "int x;\n" * 499),
        ("config/units.h", HEADER + "int x;\n" * 249, HEADER + "int x;\n" * 248),
    ],
    "function-length": [  # 60 lines are the last that pass, first and last line counted.
        ("config/units.cc", SPDX + function_of(61), SPDX + function_of(60)),
        ("config/units.cc", IN_CLASS.replace("BODY", function_of(61)),
         IN_CLASS.replace("BODY", function_of(60))),
        ("config/units.cc", SPDX + "A::A(int l) : l_{l} {\n" + "g();\n" * 59 + "}\n",
         SPDX + "A::A(int l) : l_{l} {\n" + "g();\n" * 58 + "}\n"),
        ("tools/x.py", "# SPDX-License-Identifier: BSD-3-Clause\ndef f():\n" + "    g()\n" * 60,
         "# SPDX-License-Identifier: BSD-3-Clause\ndef f():\n" + "    g()\n" * 59),
        ("tools/x.sh", "# SPDX-License-Identifier: BSD-3-Clause\nf() {\n" + "g\n" * 59 + "}\n",
         "# SPDX-License-Identifier: BSD-3-Clause\nf() {\n" + "g\n" * 58 + "}\n"),
    ],
    "columns": [
        ("config/units.cc", SPDX + "//" + "x" * 99, SPDX + "//" + "x" * 98),
    ],
    "pragma-once": [
        ("config/units.h", SPDX + "#ifndef X\n#define X\n#endif\n", HEADER),
        ("config/units.h", SPDX + "// #pragma once\n", HEADER),
    ],
    "using-namespace": [
        ("config/units.cc", SPDX + "using namespace std;\n", SPDX + "using std::string;\n"),
    ],
    "vague-name": [
        ("config/string_util.cc", SPDX, None),
        ("tests/common/frames.py", "# SPDX-License-Identifier: BSD-3-Clause\n", None),
        ("dataplane/run/port_manager.h", HEADER, None),
        ("dataplane/run/frame_handler.cc", SPDX, None),
    ],
    "file-name": [
        ("config/yamlReader.cc", SPDX, None),
        ("config/yaml-reader.h", HEADER, None),
    ],
    "todo-number": [
        ("config/units.cc", SPDX + f"// {TO_DO}: later\n", SPDX + f"// {TO_DO}(#12): later\n"),
    ],
    "volatile-word": [
        ("dataplane/run/clock.cc", SPDX + "volatile int x;\n", SPDX + "// not volatile\nint x;\n"),
    ],
    "friend-class": [
        ("config/units.h", HEADER + "class A { friend class B; };\n",
         HEADER + "class A { friend bool operator==(A, A); };\n"),
    ],
    "core-floating-point": [
        ("dataplane/core/ecn.cc", SPDX + "double p = 1;\n", SPDX + "int doubled = 1;  // double\n"),
        ("dataplane/core/ecn.cc", SPDX + "float p = 1;\n", None),
    ],
    "core-reinterpret-cast": [
        ("dataplane/core/ecn.cc", SPDX + "auto* p = reinterpret_cast<int*>(q);\n",
         SPDX + "auto* p = static_cast<int*>(q);\n"),
    ],
    "machine-path": [
        ("tools/start", f"#!/bin/bash\n# SPDX-License-Identifier: BSD-3-Clause\ncd {WORK_TREE}\n",
         f"#!/bin/bash\n# SPDX-License-Identifier: BSD-3-Clause\ncd .{WORK_TREE}\n"),
        ("docs/testing.md", f"Go to {WORK_TREE}.\n", "Go to the work tree.\n"),
    ],
    "pure-of-dpdk": [
        ("dataplane/core/ecn.cc", SPDX + "rte_mbuf* m;\n", SPDX + "// unlike rte_mbuf\nint m;\n"),
        ("config/units.cc", SPDX + "int x = RTE_MAX_LCORE;\n", SPDX + "int x = 128;\n"),
    ],
    "include-direction": [
        ("dataplane/core/ecn.cc", SPDX + '#include "config/settings.h"\n',
         SPDX + '#include "dataplane/core/ecn.h"\n#include <cstdint>\n'),
        ("dataplane/core/ecn.cc", SPDX + "#include <thread>\n", None),
        ("dataplane/core/ecn.cc", SPDX + "#include <rte_mbuf.h>\n", None),
        ("dataplane/core/ecn.cc", SPDX + "#include <arpa/inet.h>\n", None),
        ("dataplane/core/ecn.cc", SPDX + '#include "ecn.h"\n', None),
        ("config/compile.cc", SPDX + "#include <rte_ether.h>\n",
         SPDX + "#include <yaml-cpp/yaml.h>\n"),
        ("config/compile.cc", SPDX + '#include "dataplane/io/port.h"\n',
         SPDX + '#include "dataplane/core/tables.h"\n'),
        ("dataplane/io/port.cc", SPDX + '#include "dataplane/run/worker.h"\n',
         SPDX + '#include "config/settings.h"\n'),
        ("dataplane/run/worker.cc", SPDX + '#include "tools/weir/console.h"\n',
         SPDX + '#include "dataplane/io/port.h"\n'),
        ("tools/weir/main.cc", SPDX + '#include "tests/unit/frames.h"\n',
         SPDX + '#include "dataplane/run/worker.h"\n'),
    ],
}


class OwnRules(unittest.TestCase):
    def test_every_rule_has_a_canary(self):
        self.assertEqual({rule.name for rule in tidy.RULES}, set(CANARIES))

    def test_each_rule_refuses_its_canary(self):
        for rule, cases in CANARIES.items():
            for path, bad, _ in cases:
                with self.subTest(rule=rule, path=path):
                    self.assertIn(rule, {p.rule for p in tidy.problems_of(path, bad)})

    def test_each_rule_passes_the_nearest_allowed_text(self):
        for rule, cases in CANARIES.items():
            for path, _, good in cases:
                if good is not None:
                    with self.subTest(rule=rule, path=path):
                        self.assertEqual([], tidy.problems_of(path, good))

    def test_allowed_names_pass(self):
        for path in ("dataplane/core/pfc_buffer.cc", "dataplane/io/steer.bpf.c"):
            text = SPDX.replace("BSD-3-Clause", "(GPL-2.0-only OR BSD-3-Clause)") \
                if path.endswith(".bpf.c") else SPDX
            self.assertEqual([], tidy.problems_of(path, text))

    def test_the_script_exits_1_on_a_problem(self):
        # In a scratch tree, since the script looks at the tree that it lies in.
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            shutil.copytree(ROOT / "tools/check", tree / "tools/check",
                            ignore=shutil.ignore_patterns("__pycache__"))
            script = [sys.executable, "-B", str(tree / "tools/check/tidy.py")]
            clean = subprocess.run(script, capture_output=True, text=True, check=False)
            self.assertEqual(0, clean.returncode, clean.stdout + clean.stderr)
            (tree / "bad.cc").write_text("int x;\n")
            dirty = subprocess.run(script, capture_output=True, text=True, check=False)
            self.assertEqual(1, dirty.returncode)
            self.assertIn("bad.cc:1: no SPDX line", dirty.stdout)


# kind of core_symbols.KINDS -> code that needs such a symbol
IMPURE = {
    "clock": "#include <ctime>\nlong f() { return std::time(nullptr); }",
    "thread or lock": "#include <pthread.h>\nunsigned long f() { return pthread_self(); }",
    "heap": "int* f() { return new int; }",
    "exception": "void f() { throw 1; }",
    "input or output": "#include <cstdio>\nvoid f(int i) { std::printf(\"%d\", i); }",
    "locale": "#include <clocale>\nvoid f() { std::setlocale(0, nullptr); }",
    "DPDK": "extern \"C\" int rte_lcore_id_of(int);\nint f() { return rte_lcore_id_of(1); }",
    "random number": "#include <cstdlib>\nint f() { return std::rand(); }",
    "environment": "#include <cstdlib>\nchar* f() { return std::getenv(\"HOME\"); }",
    "unlisted symbol": "int of_another_library(int);\nint f() { return of_another_library(1); }",
}
PURE = """
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>
struct Tables { std::vector<std::uint32_t> hops; };
std::uint32_t f(const Tables& t, std::size_t i) { assert(i < t.hops.size()); return t.hops[i]; }
void g(std::span<std::uint8_t> out, std::span<const std::uint8_t> in) {
    std::memcpy(out.data(), in.data(), in.size());
}
int local();
int h() { return local(); }
int local() { return 4; }
"""


class CoreSymbols(unittest.TestCase):
    compiler = os.environ.get("CXX", "c++").split()

    def refusals(self, folder, code, *options):
        source, obj = pathlib.Path(folder, "canary.cc"), pathlib.Path(folder, "canary.o")
        source.write_text(code + "\n")
        subprocess.run([*self.compiler, "-std=c++20", *options, "-c", source, "-o", obj],
                       check=True)
        return core_symbols.refusals([str(obj)])

    def test_every_kind_has_a_canary(self):
        self.assertEqual({kind for kind, _ in core_symbols.KINDS} | {"unlisted symbol"},
                         set(IMPURE))

    def test_each_kind_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind, code in IMPURE.items():
                with self.subTest(kind=kind):
                    kinds = [found for _, found in self.refusals(folder, code, "-O2")]
                    self.assertIn(kind, kinds)

    def test_pure_code_passes_at_every_optimisation(self):
        with tempfile.TemporaryDirectory() as folder:
            for options in (["-O0"], ["-O2"], ["-O0", "-g", "-fsanitize=address,undefined"],
                            ["-O1", "-fsanitize=thread"]):
                with self.subTest(options=options):
                    flags = [*options, "-fno-exceptions", "-fno-rtti"]
                    self.assertEqual([], self.refusals(folder, PURE, *flags))


@unittest.skipUnless(shutil.which("clang-format"), "clang-format is not installed")
class Format(unittest.TestCase):
    def test_refuses_another_layout(self):
        for text, status in (("int f(){return 1;}\n", 1), ("int f() {\n    return 1;\n}\n", 0)):
            with tempfile.TemporaryDirectory() as folder:
                shutil.copy(ROOT / ".clang-format", folder)
                pathlib.Path(folder, "canary.cc").write_text(text)
                run = subprocess.run(
                    [sys.executable, "-B", ROOT / "tools/check/format", f"{folder}/canary.cc"],
                    capture_output=True, text=True, check=False)
                self.assertEqual(status, run.returncode, run.stderr)


@unittest.skipUnless(shutil.which("clang-tidy"), "clang-tidy is not installed")
class ClangTidy(unittest.TestCase):
    # check -> the line of the canary that must be refused
    BAD = {
        "readability-identifier-naming": "class pfc_buffer {};",
        "readability-function-size": "int f(int a, int b, int c, int d, int e, int g, int h) {\n"
                                     "    return a + b + c + d + e + g + h;\n}",
        "misc-no-recursion": "int f(int n) { return n == 0 ? 0 : f(n - 1); }",
        "google-explicit-constructor": "struct A { A(int v); };",
        "cppcoreguidelines-init-variables": "int f(int n) { int x; x = n; return x; }",
    }
    GOOD = """#include <compare>
namespace weir {
inline constexpr int kLimitBytes = 4;
enum class Admission { Accept, Drop };
struct Key {
    int port = 0;
    auto operator<=>(const Key&) const = default;
};
class PfcBuffer {
 public:
    explicit PfcBuffer(int limit) : limit_bytes_{limit} {}
    [[nodiscard]] Admission admit(int len) const {
        return len > limit_bytes_ + kLimitBytes ? Admission::Drop : Admission::Accept;
    }

 private:
    int limit_bytes_;
};
Admission f(int len) { return PfcBuffer{3}.admit(len); }
int six_parameters(int a, int b, int c, int d, int e, int g) { return a + b + c + d + e + g; }
}  // namespace weir
"""

    def run_on(self, code):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ROOT / ".clang-tidy", folder)
            path = pathlib.Path(folder, "canary.cc")
            path.write_text(SPDX + code + "\n")
            return subprocess.run(["clang-tidy", "--quiet", path, "--", "-std=c++20"],
                                  capture_output=True, text=True, check=False)

    def test_refuses_each_canary(self):
        run = self.run_on("\n".join(f"namespace n{number} {{\n{code}\n}}"
                                    for number, code in enumerate(self.BAD.values())))
        self.assertNotEqual(0, run.returncode)
        for check in self.BAD:
            with self.subTest(check=check):
                self.assertIn(f"[{check},-warnings-as-errors]", run.stdout)

    def test_passes_the_style(self):
        run = self.run_on(self.GOOD)
        self.assertEqual(0, run.returncode, run.stdout)


if __name__ == "__main__":
    unittest.main()
