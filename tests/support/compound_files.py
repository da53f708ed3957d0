"""Compound files (the format of Word, Excel and PowerPoint up to 2003) without content."""

from __future__ import annotations

import struct

from sdtext.parts.file_signatures import COMPOUND

ENDS, FREE, NOTHING = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF


def compound(*names: str, inner: str = "", size: int = 512, sectors: int = 0) -> bytes:
    """A compound file with streams of those names at the top, and one in a folder of its own.

    So many free sectors stand before the directory.
    """
    entries = [_entry("Root Entry", 5, child=len(names) and 1)]
    entries += [_entry(name, 2, behind=place) for place, name in enumerate(names, 2)]
    entries[-1] = entries[-1][:72] + struct.pack("<I", len(entries)) + entries[-1][76:]
    entries += [_entry("ObjectPool", 1, child=len(entries) + 1), _entry(inner, 2)]
    directory = b"".join(entries)
    count = -(-len(directory) // size)
    first = sectors
    chain = [FREE] * first + [*range(first + 1, first + count), ENDS]
    tables = -(-(len(chain) + 200) // (size // 4))
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(tables * size, b"\xff")
    place = first + count
    head = (
        COMPOUND
        + bytes(16)
        + struct.pack("<HHHHH6xIII", 62, 3, 0xFFFE, size.bit_length() - 1, 6, 0, tables, first)
    )
    head += bytes(4) + struct.pack("<IIIII", 4096, ENDS, 0, ENDS, 0)
    head += struct.pack("<109I", *([*range(place, place + tables)] + [FREE] * 109)[:109])
    return (
        head.ljust(size, b"\0") + bytes(size * first) + directory.ljust(count * size, b"\0") + table
    )


def _entry(name: str, kind: int, behind: int = NOTHING, child: int = NOTHING) -> bytes:
    written = name.encode("utf-16-le")
    links = struct.pack("<HBBIII", len(written) + 2, kind, 1, NOTHING, behind, child)
    return (written.ljust(64, b"\0") + links).ljust(128, b"\0")
