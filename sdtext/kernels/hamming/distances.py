"""Codes of a fixed number of bits: cut into groups, and how many bits of two are different.

Codes are rows of bytes (uint8): bit i is `1 << i % 8` of byte `i // 8`, as in
sdtext.kernels.arrays.bits. To be compared they are turned into `words`: 64-bit numbers of shape
(words, codes), bit i in `1 << i % 64` of word `i // 64`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Words = NDArray[np.uint64]

_FEW_WORDS = 3  # whose bits are counted in one byte
_WIDEST = 64  # bits of a key; of a wider group it has the first ones


@dataclass(frozen=True)
class Group:
    """The bits from `start` on, `width` of them, in which up to `flips` may be different."""

    start: int
    width: int
    flips: int = 0

    @property
    def choices(self) -> int:
        """How many masks there are."""
        return sum(comb(self.width, flips) for flips in range(self.flips + 1))

    @cached_property
    def masks(self) -> Sequence[int]:
        """What a key may differ by: one number for each choice of up to `flips` bits.

        >>> Group(start=0, width=3, flips=1).masks
        [0, 1, 2, 4]
        """
        chosen = (
            places
            for flips in range(self.flips + 1)
            for places in combinations(range(self.width), flips)
        )
        return [sum(1 << place for place in places) for places in chosen]


@dataclass(frozen=True)
class Cut:
    """Codes of `bits` cut into `groups` of bits, of which pairs within `radius` share enough.

    Where r bits differ, of r + 1 groups at least one is equal (the pigeonhole principle), so that
    many are looked up. Where there are no more groups than r, bits of each are allowed to differ:
    were there more differences in each than its `flips`, they would be more than r together
    (Norouzi, Punjani and Fleet 2012). Either way every pair within the radius is found.

    >>> [group.width for group in Cut(bits=64, radius=2, groups=6).all]
    [11, 11, 11, 11, 10, 10]
    >>> [group.flips for group in Cut(bits=100, radius=15, groups=6).looked_up]
    [2, 2, 2, 2, 1, 1]
    """

    bits: int
    radius: int
    groups: int

    @property
    def all(self) -> list[Group]:
        """The groups, as wide as each other or one bit wider."""
        least, wider = divmod(self.bits, self.groups)
        widths = [least + (place < wider) for place in range(self.groups)]
        allowed, more = divmod(self.radius + 1, self.groups)
        flips = [allowed + (place < more) - 1 for place in range(self.groups)]
        starts = [sum(widths[:place]) for place in range(self.groups)]
        rows = zip(starts, widths, flips, strict=True)
        return [Group(start, min(width, _WIDEST), least) for start, width, least in rows]

    @property
    def looked_up(self) -> list[Group]:
        """The groups that have to be looked up: the first r + 1, if there are so many."""
        return [group for group in self.all if group.flips >= 0]

    def work(self, codes: int) -> tuple[int, float]:
        """How many keys are looked up for one code, and how many of random `codes` it meets.

        >>> Cut(bits=100, radius=2, groups=3).work(1 << 34)
        (3, 5.0)
        """
        groups = self.looked_up
        found = sum(codes * group.choices / 2**group.width for group in groups)
        return sum(group.choices for group in groups), found


def words_of(codes: Codes) -> Words:
    """The codes as 64-bit words, of shape (words, codes); bytes that are missing are 0.

    >>> import numpy as np
    >>> words_of(np.array([[1, 0, 2], [0, 1, 0]], np.uint8)).tolist()
    [[131073, 256]]
    """
    rest = -codes.shape[1] % 8
    whole = np.pad(codes, ((0, 0), (0, rest))) if rest else np.ascontiguousarray(codes)
    made: Words = np.ascontiguousarray(whole.view("<u8").T)
    return made


def keys_of(words: Words, group: Group) -> Words:
    """The bits of a group as a number for each code.

    >>> import numpy as np
    >>> keys_of(np.array([[0b1101]], np.uint64), Group(start=2, width=2)).tolist()
    [3]
    """
    place, shift = divmod(group.start, 64)
    keys: Words = words[place] >> np.uint64(shift)
    if shift + group.width > 64:
        keys |= words[place + 1] << np.uint64(64 - shift)
    mask = np.uint64((1 << group.width) - 1)
    keys &= mask
    return keys


def distances(left: Words, right: Words) -> NDArray[np.unsignedinteger[Any]]:
    """In how many bits the first of `left` and of `right` are different, the second, and so on.

    Either may have a dimension of 1 where the other has more. The numbers have few bytes.
    """
    made: NDArray[np.unsignedinteger[Any]] = np.bitwise_count(left[0] ^ right[0])
    if len(left) > _FEW_WORDS:
        made = made.astype(np.uint32)
    for one, other in zip(left[1:], right[1:], strict=True):
        made += np.bitwise_count(one ^ other)
    return made


def distance_plain(left: bytes, right: bytes) -> int:
    """In how many bits two codes are different.

    >>> distance_plain(bytes([0b1101, 0]), bytes([0b1011, 1]))
    3
    """
    return (int.from_bytes(left, "little") ^ int.from_bytes(right, "little")).bit_count()
