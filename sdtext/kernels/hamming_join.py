"""All pairs of codes within a Hamming radius, exactly: by multi-index hashing or by a scan.

By keys: codes are cut into groups of bits (`BitPartition`) and looked up among sorted keys, group
by group; each candidate is then verified. By a scan: each code is compared with each.

Codes are rows of bytes (uint8): bit i is `1 << i % 8` of byte `i // 8`, as in
sdtext.kernels.arrays.packed_bits. Comparisons use `words`: rows of 64-bit numbers, bit i in
`1 << i % 64` of word `i // 64`.

M. Norouzi, A. Punjani, D. J. Fleet: Fast search in Hamming space with multi-index hashing, 2012.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.c_library import KERNELS

Codes = NDArray[np.uint8]
Words = NDArray[np.uint64]
Rows = NDArray[np.int64]
CodePairs = tuple[Rows, Rows, Rows]
"""Left rows, right rows and distances."""

_WIDEST = 64  # bits of a key; of a wider group it has the first ones


def words_of(codes: Codes) -> Words:
    """The codes as rows of 64-bit words, padded with 0.

    >>> words_of(np.array([[1, 0, 2], [0, 1, 0]], np.uint8)).tolist()
    [[131073], [256]]
    """
    rest = -codes.shape[1] % 8
    whole = np.pad(codes, ((0, 0), (0, rest))) if rest else np.ascontiguousarray(codes)
    return whole.view("<u8")


def distances(left: Words, right: Words) -> NDArray[np.int64]:
    """Hamming distances of corresponding codes of `left` and `right`, with broadcasting."""
    counts: NDArray[np.int64] = np.bitwise_count(left ^ right).sum(axis=-1, dtype=np.int64)
    return counts


def distance_plain(left: bytes, right: bytes) -> int:
    """The Hamming distance of two codes.

    >>> distance_plain(bytes([0b1101, 0]), bytes([0b1011, 1]))
    3
    """
    return (int.from_bytes(left, "little") ^ int.from_bytes(right, "little")).bit_count()


@dataclass(frozen=True)
class BitGroup:
    """Bits that make a key: ranges of a start and a width; up to `flips` bits of it may differ."""

    parts: tuple[tuple[int, int], ...]
    flips: int = 0

    @property
    def width(self) -> int:
        """The number of bits."""
        return sum(width for _, width in self.parts)

    @cached_property
    def masks(self) -> Sequence[int]:
        """The differences between keys: one mask for each choice of up to `flips` bits.

        >>> BitGroup(((0, 3),), flips=1).masks
        [0, 1, 2, 4]
        """
        chosen = (combinations(range(self.width), flips) for flips in range(self.flips + 1))
        return [sum(1 << place for place in places) for places in chain.from_iterable(chosen)]

    @property
    def choices(self) -> int:
        """The number of masks."""
        return sum(comb(self.width, flips) for flips in range(self.flips + 1))


@dataclass(frozen=True)
class BitPartition:
    """Codes of `bits` cut into `groups` of bits; pairs within `radius` nearly agree in one of them.

    If r bits differ, at least one of r + 1 groups is equal (the pigeonhole principle), so r + 1
    groups are looked up. If there are at most r groups, bits of each may differ: more than `flips`
    differences in each would add up to more than r (Norouzi, Punjani and Fleet 2012). If `equal`
    groups have to be equal, there are at least r + `equal` groups; so many are looked up, in a
    table for each choice of `equal` of them (Sheng and others 2014). In each case every pair within
    the radius is a candidate.

    >>> [group.width for group in BitPartition(bits=64, radius=2, groups=6).all]
    [11, 11, 11, 11, 10, 10]
    >>> [group.flips for group in BitPartition(bits=100, radius=15, groups=6).looked_up]
    [2, 2, 2, 2, 1, 1]
    >>> [key.width for key in BitPartition(bits=100, radius=3, groups=5, equal=2).looked_up]
    [40, 40, 40, 40, 40, 40, 40, 40, 40, 40]
    """

    bits: int
    radius: int
    groups: int
    equal: int = 1

    @property
    def all(self) -> list[BitGroup]:
        """The groups, whose widths differ by one bit at most, each of 64 bits at most."""
        least, wider = divmod(self.bits, self.groups)
        allowed, more = divmod(self.radius + self.equal, self.groups)
        return [
            BitGroup(
                ((place * least + min(place, wider), min(least + (place < wider), _WIDEST)),),
                allowed + (place < more) - 1,
            )
            for place in range(self.groups)
        ]

    @property
    def used(self) -> list[BitGroup]:
        """The groups that keys are made of: the first r + `equal`, or all."""
        return [group for group in self.all if group.flips >= 0]

    @cached_property
    def looked_up(self) -> Sequence[BitGroup]:
        """Each of the used groups, or each choice of `equal` of them as one; of 64 bits at most."""
        if self.equal == 1:
            return self.used
        joined = []
        for chosen in combinations(self.used, self.equal):
            parts, left = [], _WIDEST
            for start, width in chain.from_iterable(group.parts for group in chosen):
                if left:
                    parts.append((start, min(width, left)))
                    left -= parts[-1][1]
            joined.append(BitGroup(tuple(parts)))
        return joined

    def work(self, codes: int) -> tuple[int, float]:
        """The number of keys to look up for a code, and of candidates among so many random codes.

        >>> BitPartition(bits=100, radius=2, groups=3).work(1 << 34)
        (3, 5.0)
        """
        groups = self.looked_up
        candidates = sum(codes * group.choices / 2**group.width for group in groups)
        return sum(group.choices for group in groups), candidates


def keys_of(words: Words, group: BitGroup) -> Words:
    """The key of each code: the bits of a group as a number, those of its last part lowest.

    >>> import numpy as np
    >>> keys_of(np.array([[0b1101]], np.uint64), BitGroup(((2, 2),))).tolist()
    [3]
    """
    keys: Words = np.zeros(len(words), np.uint64)
    for start, width in group.parts:
        place, shift = divmod(start, 64)
        bits = words[:, place] >> np.uint64(shift)
        if shift + width > 64:
            bits |= words[:, place + 1] << np.uint64(64 - shift)
        bits &= np.uint64((1 << width) - 1)
        keys = bits if width == 64 else keys << np.uint64(width) | bits
    return keys


@dataclass(frozen=True, eq=False)
class SortedKeys:
    """The sorted keys of codes, group by group, each with its row.

    `sides` has the shape (groups that are looked up, 2, codes): keys, then rows.
    """

    cut: BitPartition
    sides: NDArray[np.uint64]

    @classmethod
    def of(cls, codes: Codes, cut: BitPartition) -> SortedKeys:
        """The keys of these codes."""
        words, groups = words_of(codes), cut.looked_up
        sides = np.empty((len(groups), 2, len(codes)), np.uint64)
        for place, group in enumerate(groups):
            keys = keys_of(words, group)
            order = np.argsort(keys, kind="stable")
            sides[place] = keys[order], order
        return cls(cut, sides)

    @cached_property
    def starts(self) -> list[Rows]:
        """For each group where the keys begin that have the same first bits, one or two each."""
        most = max(1, self.sides.shape[2].bit_length() - 1)
        starts = []
        for (keys, _), group in zip(self.sides, self.cut.looked_up, strict=True):
            bits = min(most, group.width)
            if int(keys.max(initial=0)) >> group.width:
                raise ValueError("keys and group do not belong together")
            firsts = (keys >> np.uint64(group.width - bits)).astype(np.int64)
            starts.append(offsets_of(np.bincount(firsts, minlength=1 << bits)))
        return starts


def pairs_by_keys(queries: Codes, codes: Codes, keys: SortedKeys) -> Iterator[CodePairs]:
    """The pairs of `queries` with the `codes` of these `keys`: each once, in batches.

    Raises ValueError where the keys are not those of the codes.
    """
    if "hamming_by_keys" not in KERNELS:
        return pairs_by_scan(queries, codes, keys.cut.radius)
    return _by_keys(queries, codes, keys, is_other=True)


def self_pairs_by_keys(codes: Codes, cut: BitPartition) -> Iterator[CodePairs]:
    """The pairs of two of the codes, each once, in batches; either may be on the left."""
    keys = SortedKeys.of(codes, cut)
    is_equal = not any(group.flips for group in cut.looked_up)
    if is_equal and "hamming_by_keys" in KERNELS:
        yield from _by_keys(codes, codes, keys, is_other=False)
        return
    for left, right, apart in pairs_by_keys(codes, codes, keys):
        once = left < right
        yield left[once], right[once], apart[once]


def _by_keys(
    queries: Codes, codes: Codes, keys: SortedKeys, *, is_other: bool
) -> Iterator[CodePairs]:
    """The pairs by the keys of each group, but those that an earlier group gives."""
    own, others = np.ascontiguousarray(queries), np.ascontiguousarray(codes)
    groups = list(enumerate(keys.cut.looked_up))
    parts = np.array([(place, *part) for place, group in groups for part in group.parts])
    flips = np.array([group.flips for _, group in groups])
    for place, group in groups:
        masks = np.array(group.masks, np.uint64)
        given = own, others, *keys.sides[place], keys.starts[place], parts, flips, masks
        start = 0
        while start < len(queries):
            numbers = place, keys.cut.radius, is_other, start
            start, rows = KERNELS["hamming_by_keys"](*given, *numbers)
            yield tuple(rows.T)


def pairs_by_scan(left: Codes, right: Codes | None, radius: int) -> Iterator[CodePairs]:
    """The pairs of left with right codes or, without `right`, of two left ones, by a scan."""
    other, start = left if right is None else right, 0
    if "hamming_by_scan" in KERNELS:
        codes, others = np.ascontiguousarray(left), np.ascontiguousarray(other)
        while start < len(left):
            numbers = radius, right is not None, start
            start, rows = KERNELS["hamming_by_scan"](codes, others, *numbers)
            yield tuple(rows.T)
        return
    words = words_of(other)
    for place, code in enumerate(words_of(left)):
        first = place + 1 if right is None else 0
        apart = distances(code, words[first:])
        at = np.flatnonzero(apart <= radius)
        yield np.full(len(at), place), at + first, apart[at]
