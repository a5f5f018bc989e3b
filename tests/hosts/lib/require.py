# SPDX-License-Identifier: BSD-3-Clause
"""What a test needs from the machine. What is missing skips the test, with the reason."""
import functools
import os
import platform
import shutil
import subprocess
import unittest


def need(*checks):
    for check in checks:
        reason = check()
        if reason:
            raise unittest.SkipTest(reason)


def programs(*names):
    def check():
        missing = [name for name in names if not shutil.which(name)]
        return f"not installed: {', '.join(missing)}" if missing else None

    return check


def root():
    return None if os.geteuid() == 0 else "needs root for namespaces and packet sockets"


@functools.lru_cache
def namespaces():
    """Tried, not looked up: a container can have the programs and lack the right."""
    try:
        for words in (["ip", "netns", "add"], ["ip", "netns", "delete"]):
            done = subprocess.run([*words, f"weir-probe-{os.getpid()}"], capture_output=True,
                                  text=True, timeout=10, check=False)
            if done.returncode != 0:
                return f"no network namespaces: {done.stderr.strip()}"
    except FileNotFoundError:
        return "not installed: ip"
    return None


def hugepages(mebibytes):
    def check():
        with open("/proc/meminfo", encoding="ascii") as lines:
            words = dict(line.split(":", 1) for line in lines)
        free = int(words.get("HugePages_Free", "0"))
        size_kib = int(words.get("Hugepagesize", "0 kB").split()[0])
        if free * size_kib >= mebibytes * 1024:
            return None
        return f"{free * size_kib >> 10} MiB of free hugepages, {mebibytes} are needed"

    return check


def cores(count):
    def check():
        usable = len(os.sched_getaffinity(0))
        return None if usable >= count else f"{usable} cores, {count} are needed"

    return check


def x86_64():
    return None if platform.machine() == "x86_64" else "the guest is made for x86-64 alone"


hosts = (root, programs("ip", "ping", "ethtool", "setpriv", "sysctl"), namespaces)
