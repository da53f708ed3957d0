"""Codes in SQLite: a column of integers for each group of bits, each indexed.

So X. Sheng and others keep them ("The fine-grained similarity detection system based on grouping
fingerprint", 2014). It is for those who want the codes in a database, where any program can ask for
them; the sorted keys of a collection (sdtext.reuse.sentence_finder) are many times faster. Table:

    CREATE TABLE codes (id INTEGER PRIMARY KEY, g0 INTEGER, g1 INTEGER, …, code BLOB)
    CREATE INDEX codes_g0 ON codes (g0) …

Where at most r bits differ, at least m - r of m groups are equal. So a query may ask for any
number of equal groups from 1 to m - r and finds the same; what it costs differs:

- one equal group of r + 1: r + 1 look-ups. With m = r + 1 the groups are widest, so that the
  fewest rows meet; it is the cheapest.
- two of five, as the paper asks with r = 2: ten conditions, each a look-up in one index and a test
  of another column. More rows meet than by three of five.
- three of five, the most that is certain: ten conditions, too. There are as many since five things
  can be chosen by two in as many ways as by three, which the paper takes for the same.

The rows that meet are compared in full, so that the answer is exact for at most r bits. (The
paper's last step says "less than r": that would lose those that differ in r.)
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from sdtext.errors import OptionError
from sdtext.kernels.hamming_distances import distance_plain, words_of
from sdtext.kernels.hamming_join import BitPartition, keys_of

if TYPE_CHECKING:
    from sdtext.kernels.hamming_distances import Codes

_MOST_CONDITIONS = 500  # SQLite's parser takes a thousand levels
_WIDEST = 64  # bits of an integer


@dataclass(frozen=True)
class CodeTable:
    """A table of codes of `bits`, cut into `groups`, in a database.

    >>> import numpy as np
    >>> table = CodeTable(sqlite3.connect(":memory:"), bits=100, groups=5)
    >>> table.create()
    >>> table.add(np.array([[0] * 13, [3] + [0] * 12, [255] * 12 + [15]], np.uint8))
    >>> table.near(bytes(13), radius=2), table.near(bytes(13), radius=2, equal=3)
    ([(0, 0), (1, 2)], [(0, 0), (1, 2)])
    """

    connection: sqlite3.Connection
    bits: int
    groups: int

    def __post_init__(self) -> None:
        if not -(-self.bits // _WIDEST) <= self.groups <= self.bits:
            wanted = f"{-(-self.bits // _WIDEST)} to {self.bits}: a group has 1 to 64 bits"
            raise OptionError.of("groups", "groups", self.groups, wanted)

    def create(self) -> None:
        """Make the empty table and its indexes."""
        columns = self._columns
        with self.connection:
            definitions = "".join(f", {column} INTEGER NOT NULL" for column in columns)
            self.connection.execute(
                f"CREATE TABLE codes (id INTEGER PRIMARY KEY{definitions}, code BLOB NOT NULL)"
            )
            for column in columns:
                self.connection.execute(f"CREATE INDEX codes_{column} ON codes ({column})")

    def add(self, codes: Codes, first: int = 0) -> None:
        """Put codes in, which are numbered from `first` on."""
        import numpy as np

        words = words_of(codes)
        keys = (keys_of(words, group).view(np.int64).tolist() for group in self._cut.all)
        blobs = (code.tobytes() for code in codes)
        rows = zip(range(first, first + len(codes)), *keys, blobs, strict=True)
        marks = ", ".join("?" * (self.groups + 2))
        with self.connection:
            self.connection.executemany(f"INSERT INTO codes VALUES ({marks})", rows)  # noqa: S608 (marks alone)

    def near(self, code: bytes, radius: int, equal: int = 1) -> list[tuple[int, int]]:
        """The numbers of the codes that differ in at most `radius` bits, and in how many.

        They are found by `equal` groups that are the same: one of the first radius + 1, or any
        two, three, … of all. OptionError where so many need not be.
        """
        chosen = self._chosen(radius, equal)
        keys = self._keys(code)
        terms = (" AND ".join(f"g{place} = ?" for place in some) for some in chosen)
        condition = " OR ".join(f"({term})" for term in terms)
        values = [keys[place] for some in chosen for place in some]
        records = self.connection.execute(f"SELECT id, code FROM codes WHERE {condition}", values)  # noqa: S608 (our own names and marks)
        rows = ((number, distance_plain(code, other)) for number, other in records)
        return sorted(row for row in rows if row[1] <= radius)

    @property
    def _cut(self) -> BitPartition:
        return BitPartition(self.bits, 0, self.groups)

    @property
    def _columns(self) -> list[str]:
        return [f"g{place}" for place in range(self.groups)]

    def _keys(self, code: bytes) -> list[int]:
        """The keys of a code as signed integers."""
        import numpy as np

        if len(code) != (self.bits + 7) // 8:
            wanted = f"as long as {self.bits} bits: {(self.bits + 7) // 8} bytes"
            raise OptionError.of("groups", "code", code, wanted)
        words = words_of(np.frombuffer(code, np.uint8)[None])
        return [int(keys_of(words, group).view(np.int64)[0]) for group in self._cut.all]

    def _chosen(self, radius: int, equal: int) -> list[tuple[int, ...]]:
        """Which groups are to be equal: one of these choices."""
        certain = self.groups - radius
        if not 1 <= equal <= certain:
            raise OptionError(
                f"groups: where {radius} bits differ, {max(0, certain)} of {self.groups} groups "
                f"are certain to be equal; {equal} cannot be asked for"
            )
        if equal == 1:
            return [(place,) for place in range(radius + 1)]
        if comb(self.groups, equal) > _MOST_CONDITIONS:
            raise OptionError(
                f"groups: {equal} of {self.groups} groups are {comb(self.groups, equal)} choices, "
                f"more than {_MOST_CONDITIONS}; ask for one"
            )
        return list(combinations(range(self.groups), equal))
