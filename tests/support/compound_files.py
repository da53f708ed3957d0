"""Compound files, the format of Word, Excel and PowerPoint up to 2003."""

import struct
from collections.abc import Mapping

from sdtext.parts.file_signatures import COMPOUND

ENDS, FREE, NOTHING = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF


def _entry(name: str, kind: int, behind: int = NOTHING, child: int = NOTHING) -> bytes:
    written = name.encode("utf-16-le")
    links = struct.pack("<HBBIII", len(written) + 2, kind, 1, NOTHING, behind, child)
    return (written.ljust(64, b"\0") + links).ljust(128, b"\0")


Tree = Mapping[str, "bytes | Tree"]


def compound_of(tree: Tree, size: int = 512) -> bytes:
    """A compound file of sectors of that size with these streams, and folders of more."""
    entries: list[bytes] = []
    large, small = _Sectors(size), _Sectors(64)

    def added(name: str, value: bytes | Tree, kind: int, behind: int) -> int:
        place = len(entries)
        entries.append(b"")
        child, first, length = NOTHING, ENDS, 0
        if isinstance(value, bytes):
            first, length = (small if len(value) < 4096 else large).chained(value), len(value)
        else:
            for inner, inside in value.items():
                child = added(inner, inside, 2 if isinstance(inside, bytes) else 1, child)
        if place == 0:
            first, length = large.chained(b"".join(small.data)), 64 * len(small.data)
        entry = _entry(name, kind, behind=behind, child=child)
        entries[place] = entry[:116] + struct.pack("<IQ", first, length)
        return place

    added("Root Entry", tree, 5, NOTHING)
    listed = large.chained(struct.pack(f"<{len(small.table)}I", *small.table).ljust(size, b"\xff"))
    directory = large.chained(b"".join(entries))
    first = len(large.table)
    used = -(-(first + 50) // (size // 4))
    numbers = [*large.table, *[0xFFFFFFFD] * used]
    written = struct.pack(f"<{len(numbers)}I", *numbers).ljust(used * size, b"\xff")
    head = COMPOUND + bytes(16)
    head += struct.pack("<HHHHH6xIII", 62, 3, 0xFFFE, size.bit_length() - 1, 6, 0, used, directory)
    head += bytes(4) + struct.pack("<IIIII", 4096, listed, -(-len(small.table) // 128), ENDS, 0)
    head += struct.pack("<109I", *([*range(first, first + used)] + [FREE] * 109)[:109])
    return head.ljust(size, b"\0") + b"".join(large.data) + written


class _Sectors:
    def __init__(self, size: int) -> None:
        self.size = size
        self.data: list[bytes] = []
        self.table: list[int] = []

    def chained(self, data: bytes) -> int:
        """The number of the first of the sectors that now have the data."""
        first, starts = len(self.table), range(0, len(data), self.size)
        self.data += [data[start : start + self.size].ljust(self.size, b"\0") for start in starts]
        self.table += [*range(first + 1, first + len(starts)), ENDS][: len(starts)]
        return first if data else ENDS
