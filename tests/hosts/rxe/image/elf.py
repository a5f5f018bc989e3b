# SPDX-License-Identifier: BSD-3-Clause
"""The two things the image needs from a 64-bit ELF file: its libraries and its module info."""
import struct

SECTION_DYNAMIC = 6
DYNAMIC_NEEDED = 1
SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")


def is_elf(data):
    return data[:5] == b"\x7fELF\x02"


def sections(data):
    """Yields (name, type, bytes, index of the linked section) for each section."""
    (table,) = struct.unpack_from("<Q", data, 0x28)
    entry_bytes, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [SECTION_HEADER.unpack_from(data, table + i * entry_bytes) for i in range(count)]
    if not headers:
        return
    names = headers[names_index]
    for name, kind, _, _, offset, size, link, _, _, _ in headers:
        yield text_at(data, names[4] + name), kind, data[offset : offset + size], link


def text_at(data, offset):
    return data[offset : data.index(b"\0", offset)].decode()


def needed_libraries(data):
    """The DT_NEEDED names of a program or library, [] for a static one."""
    if not is_elf(data):
        return []
    found = list(sections(data))
    for _, kind, content, link in found:
        if kind != SECTION_DYNAMIC:
            continue
        strings = found[link][2]
        return [
            text_at(strings, value)
            for tag, value in struct.iter_unpack("<QQ", content)
            if tag == DYNAMIC_NEEDED
        ]
    return []


def module_depends(data):
    """The names in a kernel module's `depends=` line."""
    for name, _, content, _ in sections(data):
        if name != ".modinfo":
            continue
        for line in content.split(b"\0"):
            if line.startswith(b"depends="):
                return [word for word in line[8:].decode().split(",") if word]
    return []
