# SPDX-License-Identifier: BSD-3-Clause
"""Writes an initramfs in the "newc" form of cpio, the one the kernel unpacks."""
import stat


class Archive:
    """Collects folders, files and links, parents first, all owned by root."""

    def __init__(self):
        self.entries = {}

    def add_directory(self, path):
        path = path.strip("/")
        if not path or path in self.entries:
            return
        self.add_directory(path.rpartition("/")[0])
        self.entries[path] = (stat.S_IFDIR | 0o755, b"")

    def add_file(self, path, content, mode=0o644):
        path = path.strip("/")
        self.add_directory(path.rpartition("/")[0])
        self.entries[path] = (stat.S_IFREG | mode, content)

    def add_program(self, path, content):
        self.add_file(path, content, 0o755)

    def add_link(self, path, target):
        path = path.strip("/")
        self.add_directory(path.rpartition("/")[0])
        self.entries[path] = (stat.S_IFLNK | 0o777, target.encode())

    def __contains__(self, path):
        return path.strip("/") in self.entries

    def write(self, stream):
        for inode, (path, (mode, content)) in enumerate(self.entries.items(), 1):
            write_entry(stream, inode, path, mode, content)
        write_entry(stream, 0, "TRAILER!!!", 0, b"")


def write_entry(stream, inode, path, mode, content):
    name = path.encode() + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    # magic; inode, mode, uid, gid, links, mtime, size, four device numbers, name size, no checksum
    fields = (inode, mode, 0, 0, links, 0, len(content), 0, 0, 0, 0, len(name), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    stream.write(pad(header + name))
    stream.write(pad(content))


def pad(data):
    return data + bytes(-len(data) % 4)
