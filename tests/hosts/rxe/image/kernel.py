# SPDX-License-Identifier: BSD-3-Clause
"""Takes the kernel and its modules out of an unpacked linux-image package."""
import lzma
import struct
import subprocess
import zlib
from pathlib import Path

from . import elf

# Offsets in the x86 boot header (Documentation/arch/x86/boot.rst of the kernel).
SETUP_SECTORS_AT = 0x1F1
PAYLOAD_OFFSET_AT = 0x248
PAYLOAD_LENGTH_AT = 0x24C
SECTOR_BYTES = 512


class Kernel:
    def __init__(self, unpacked):
        boot = sorted((unpacked / "boot").glob("vmlinuz-*"))
        if len(boot) != 1:
            raise RuntimeError(f"{unpacked}/boot holds {len(boot)} kernels, one was expected")
        self.image = boot[0].read_bytes()
        self.release = boot[0].name.removeprefix("vmlinuz-")
        self.modules = unpacked / "lib/modules" / self.release

    def uncompressed(self):
        """The ELF kernel inside vmlinuz. QEMU enters it by PVH, which saves the guest, whose
        instructions are emulated, from unpacking it at every start."""
        setup_sectors = self.image[SETUP_SECTORS_AT] or 4
        (offset,) = struct.unpack_from("<I", self.image, PAYLOAD_OFFSET_AT)
        (length,) = struct.unpack_from("<I", self.image, PAYLOAD_LENGTH_AT)
        start = (setup_sectors + 1) * SECTOR_BYTES + offset
        kernel = unpack(self.image[start : start + length])
        if not elf.is_elf(kernel):
            raise RuntimeError("the payload of vmlinuz is not an ELF kernel")
        return kernel

    def modules_in_order(self, wanted):
        """[(name, bytes)] of the wanted modules, each after the ones it depends on."""
        paths = {module_name(path): path for path in self.modules.rglob("*.ko*")}
        built_in = {
            module_name(Path(line))
            for line in (self.modules / "modules.builtin").read_text().split()
        }
        ordered = {}

        def add(name):
            if name in ordered or name in built_in:
                return
            if name not in paths:
                raise RuntimeError(f"kernel {self.release} has no module {name}")
            content = read_module(paths[name])
            for dependency in elf.module_depends(content):
                add(dependency.replace("-", "_"))
            ordered[name] = content

        for name in wanted:
            add(name)
        return list(ordered.items())


def module_name(path):
    return path.name.partition(".ko")[0].replace("-", "_")


def read_module(path):
    content = path.read_bytes()
    return content if path.suffix == ".ko" else unpack(content)


def unpack(packed):
    # The compressed kernel is followed by its size, so what comes after the stream is left alone.
    if packed.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(packed)
    if packed.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(wbits=31).decompress(packed)
    for magic, program in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x02\x21\x4c\x18", "lz4")):
        if packed.startswith(magic):
            run = subprocess.run([program, "-dc"], input=packed, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, timeout=60, check=False)
            return run.stdout
    raise RuntimeError(f"unknown compression (magic {packed[:6].hex()})")
