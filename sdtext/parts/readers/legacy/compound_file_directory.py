"""Directory of a compound file (MS-CFB), the container of Office files before 2007.

It is a file system in a file: chains of sectors, a table that gives the successor of each sector,
and a directory of entries of 128 bytes each that form trees.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import BinaryIO, NamedTuple

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content

_HEADER = struct.Struct("<30xH12xI I 16x I I 109I")
_ENTRY = struct.Struct("<64s H B x I I I 48x")
_NUMBER = struct.Struct("<I")
_SIZES = {9: 512, 12: 4096}  # by their power of two
_MOST = 10_000  # entries; a file of Office has some dozens
_LISTS = 1000  # sectors that list more of the table, enough for a file of 8 GB
_NONE = 0xFFFFFFFA  # no sector has this number, or one above


class _Entry(NamedTuple):
    name: str
    before: int
    behind: int
    child: int


def root_names(content: Content) -> frozenset[str]:
    """The names of the top-level entries of a compound file. Raises UnreadableError.

    Embedded objects, such as a workbook in a letter, are at deeper levels.
    """
    try:
        with content.seekable() as file:
            entries = list(islice(_Sectors(file).entries(), _MOST))
        return frozenset(entry.name for entry in _tree(entries))
    except (struct.error, IndexError, KeyError) as error:
        raise UnreadableError(
            "is a damaged Office file of the old kind (its directory cannot be "
            "read); get a new copy from its source",
            file=content.name,
        ) from error


class _Sectors:
    """The sectors of a file, by their numbers."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        head = _HEADER.unpack(file.read(_HEADER.size))
        self._size = _SIZES[head[0]]
        self._first = head[2]
        self._rest = head[3]
        self._listed = head[5:]

    def entries(self) -> Iterator[_Entry]:
        """The entries of the directory."""
        sector = self._first
        for _ in range(_MOST):
            data = self._sector(sector)
            for start in range(0, self._size, 128):
                name, length, _kind, *links = _ENTRY.unpack_from(data, start)
                yield _Entry(name[: max(0, length - 2)].decode("utf-16-le", "replace"), *links)
            sector = self._after(sector)
            if sector >= _NONE:
                return

    def _sector(self, number: int) -> bytes:
        self._file.seek((number + 1) * self._size)
        data = self._file.read(self._size)
        if len(data) < self._size:
            raise IndexError
        return data

    def _after(self, number: int) -> int:
        """The next sector in the chain."""
        place, within = divmod(number, self._size // 4)
        following = _NUMBER.unpack_from(self._sector(self._table(place)), 4 * within)[0]
        assert isinstance(following, int)  # noqa: S101 (for the checker of types)
        return following

    def _table(self, place: int) -> int:
        """The number of a sector of the table."""
        if place < len(self._listed):
            return int(self._listed[place])
        return self._listed_elsewhere[place - len(self._listed)]

    @cached_property
    def _listed_elsewhere(self) -> list[int]:
        """The table sectors beyond those in the header; each list names the next."""
        numbers: list[int] = []
        sector = self._rest
        for _ in range(_LISTS):
            if sector >= _NONE:
                break
            *listed, sector = struct.unpack(f"<{self._size // 4}I", self._sector(sector))
            numbers += listed
        return numbers


def _tree(entries: list[_Entry]) -> Iterator[_Entry]:
    """The top-level entries: the tree below the first."""
    waiting, seen = [entries[0].child], {0}
    while waiting:
        place = waiting.pop()
        if place < len(entries) and place not in seen:
            seen.add(place)
            yield entries[place]
            waiting += [entries[place].before, entries[place].behind]
