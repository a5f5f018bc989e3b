# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's testpmd as a wire between two ports: what these tests need to work without weir."""
import os

from .program import Program


class TestpmdWire:
    """Carries every frame of the first device to the second and back."""

    def __init__(self, folder, devices, namespace=None, longest_frame=1518):
        prefix = namespace.prefix() if namespace else []
        eal = ["-l", "0,1", "--no-pci", "--no-huge", "-m", "256", "--no-telemetry",
               f"--file-prefix=weirtest-{os.getpid()}"]
        for device in devices:
            eal += ["--vdev", device]
        forward = ["--forward-mode=io", "--nb-cores=1", "--total-num-mbufs=8192", "--auto-start",
                   f"--mbuf-size={longest_frame + 1024}", f"--max-pkt-len={longest_frame}"]
        # By lines, since the line that says it runs would stay in its buffer.
        self.program = Program(["stdbuf", "-oL", "dpdk-testpmd", *eal, "--", *forward],
                               folder / "testpmd.log", prefix)
        self.program.wait_for_output("Press enter to exit", 30)

    def stop(self):
        return self.program.stop()

    def kill(self):
        self.program.kill()
