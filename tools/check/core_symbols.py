#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses a core library that needs more than memory copies: the core is pure.

Usage: core_symbols.py LIBRARY.a [OBJECT.o...]

Every symbol that the library needs and does not define itself must be on the list below. What is
not listed is refused, whatever it is; the kinds only make the message say why.
"""
import re
import subprocess
import sys

ALLOWED = re.compile("|".join((
    r"mem(cpy|move|set|cmp|chr)|bcmp|strlen|strnlen|strncmp|strcmp",
    r"__assert_fail|abort|std::__glibcxx_assert_fail\b.*|std::terminate\(\)",
    r"__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|__cxa_pure_virtual|__dso_handle",
    # What a compiler calls for arithmetic that the instruction set lacks.
    r"__(u?div|u?mod|u?divmod|mul|ash[lr]|lshr|popcount|clz|ctz|bswap|parity)[sdt]i[234]",
    # A -O0 or instrumented build cleans up after calls that cannot throw.
    r"_Unwind_Resume|__gxx_personality_v0|__clang_call_terminate",
    r"__(asan|ubsan|tsan|sanitizer|lsan|msan)_.*|__cxa_guard_(acquire|release|abort)",
    r"(vtable for )?__cxxabiv1::__\w+_type_info.*",
    r"__gcov_.*|__llvm_.*",
)) + r"\Z")

# Demangled name -> what it is. The first that matches names the refusal.
KINDS = (
    ("clock", r"(clock|time|gettimeofday|clock_gettime|nanosleep|usleep|sleep|ftime|localtime\w*|"
              r"gmtime\w*|strftime|timespec_get)|std::chrono::.*|std::this_thread::sleep.*"),
    ("thread or lock", r"(pthread|sem|mtx|thrd|cnd)_.*|std::thread.*|std::this_thread.*|"
                       r"std::(recursive_)?(timed_)?mutex.*|std::condition_variable.*|"
                       r"__gthread.*|sched_\w+|std::__atomic_futex.*"),
    ("heap", r"operator (new|delete).*|malloc|calloc|realloc|free|posix_memalign|aligned_alloc|"
             r"mmap|strdup"),
    ("exception", r"__cxa_(?!guard_).*|std::__throw_.*|std::exception.*|std::\w+_error.*"),
    ("input or output", r"f?(printf|puts|putc|open|close|read|write|flush|gets)|v?s?n?printf|"
                        r"__\w*printf_chk|puts|putchar|perror|std(in|out|err)|send\w*|recv\w*|"
                        r"std::basic_[io]?f?stream.*|std::ostream.*|std::ios_base.*|std::cout|"
                        r"std::cerr|std::clog|syslog|ioctl|socket"),
    ("locale", r"std::locale.*|setlocale|localeconv|iswalpha|toupper|tolower|isalpha|isdigit|"
               r"__ctype_\w+|std::use_facet.*|strto\w+|ato[ifl]l?"),
    ("DPDK", r"(__)?(rte|per_lcore|eal)_.*"),
    ("random number", r"s?rand(om|48)?(_r)?|drand48|getrandom|std::random_device.*"),
    ("environment", r"(secure_)?getenv|exit|_exit|system|fork|exec\w+|signal|sigaction|raise"),
)


def kind_of(name):
    for kind, pattern in KINDS:
        if re.fullmatch(pattern, name, re.DOTALL):
            return kind
    return "unlisted symbol"


def _nm(paths, *options):
    run = subprocess.run(["nm", "--demangle", "--no-sort", "--quiet", *options, *paths],
                         capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"core_symbols: nm: {run.stderr.strip()}")
    return [re.sub(r"@.*$", "", match.group(1)) for match in
            re.finditer(r"^[0-9a-f ]{16} [A-Za-z] (.*)$", run.stdout, re.MULTILINE)]


def refusals(paths):
    """[(symbol, kind)] that the objects in `paths` need and may not."""
    defined = set(_nm(paths, "--defined-only"))
    needed = sorted(set(_nm(paths, "--undefined-only")) - defined)
    return [(name, kind_of(name)) for name in needed if not ALLOWED.match(name)]


def main(paths):
    if not paths:
        sys.exit("usage: core_symbols.py LIBRARY.a [OBJECT.o...]")
    if not _nm(paths, "--defined-only"):
        sys.exit(f"core_symbols: {' '.join(paths)} defines nothing: the check would prove nothing")
    refused = refusals(paths)
    for name, kind in refused:
        print(f"{paths[0]}: the core must not need {kind}: {name}")
    print(f"{len(refused)} symbols refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
