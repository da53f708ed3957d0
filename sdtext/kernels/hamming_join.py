"""All pairs of codes within a Hamming radius, exactly: by multi-index hashing or by a scan.

By keys: codes are cut into groups of bits (`BitPartition`) and looked up among sorted keys, group
by group; each candidate is then verified. By a scan: each code is compared with each. Memory is
bounded either way, since pairs are generated in batches; equal codes are compared once and
expanded to their rows at the end.

M. Norouzi, A. Punjani, D. J. Fleet: Fast search in Hamming space with multi-index hashing, 2012.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import offsets_of
from sdtext.kernels.c_library import KERNELS
from sdtext.kernels.hamming_distances import Codes, Words, distance_plain, distances, words_of

Rows = NDArray[np.int64]
CodePairs = tuple[Rows, Rows, Rows]
"""Left rows, right rows and distances."""

_PAIRS = 1 << 18  # generated at once
_WIDEST = 64  # bits of a key; of a wider group it has the first ones


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


class TooManyPairs(OptionError):  # noqa: N818 (the pairs are too many, the input has no error)
    """There are more pairs than can be listed; the message says what to change."""

    def __init__(self, count: int, most: int) -> None:
        super().__init__(
            f"at least {count:,} pairs are within the radius; at most {most:,} can be listed; use "
            "a smaller radius, a higher similarity, or fewer documents"
        )


@dataclass(frozen=True)
class PairLimits:
    """How many `pairs` are listed; two codes with more than `bucket` are an oversized bucket."""

    pairs: int = 1 << 22
    bucket: int = 1 << 60


LIMITS = PairLimits()


@dataclass(frozen=True, eq=False)
class OversizedBucket:
    """Rows of two codes that make more pairs than the limit: these pairs are not listed.

    `left` are the sorted rows of one code, `right` those of a code that differs from it in
    `distance` bits. With `within` both are the rows of a single code, compared with each other.
    """

    left: Rows
    right: Rows
    distance: int
    within: bool = False

    @property
    def pairs(self) -> int:
        """The number of pairs of rows."""
        size = len(self.left)
        return size * (size - 1) // 2 if self.within else size * len(self.right)


@dataclass(frozen=True, eq=False)
class NearPairs:
    """Sorted pairs of rows with their distances: columns of one length.

    Pairs in an oversized bucket are left out of the columns and described by `oversized`.
    """

    left: Rows
    right: Rows
    distances: Rows
    oversized: tuple[OversizedBucket, ...] = ()

    @property
    def pairs(self) -> list[tuple[int, int, int]]:
        """The pairs as tuples of left row, right row and distance."""
        columns = (column.tolist() for column in (self.left, self.right, self.distances))
        return list(zip(*columns, strict=True))


@dataclass(frozen=True, eq=False)
class DistinctCodes:
    """Distinct codes; the rows of code i are `rows[offsets[i] : offsets[i + 1]]`."""

    codes: Codes
    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, codes: Codes) -> DistinctCodes:
        """The distinct codes among `codes`.

        >>> import numpy as np
        >>> DistinctCodes.of(np.array([[7], [5], [7]], np.uint8)).sizes.tolist()
        [1, 2]
        """
        words = words_of(codes)
        rows = np.lexsort(words.T)
        begins = np.ones(len(rows), bool)
        begins[1:] = (words[rows[1:]] != words[rows[:-1]]).any(axis=1)
        offsets = np.append(np.flatnonzero(begins), len(rows))
        return cls(codes[rows[offsets[:-1]]], rows, offsets)

    @property
    def sizes(self) -> Rows:
        """The number of rows of each code."""
        return self.offsets[1:] - self.offsets[:-1]

    def rows_of(self, place: int) -> Rows:
        """The sorted rows of the code at `place`."""
        return self.rows[self.offsets[place] : self.offsets[place + 1]]


def _expanded_to_rows(
    pairs: Iterable[CodePairs], left: DistinctCodes, other: DistinctCodes | None, limits: PairLimits
) -> NearPairs:
    """The pairs of rows of pairs of codes; on one side alone, two rows of one code are a pair, too.

    Raises TooManyPairs.
    """
    right = other or left
    count = 0
    blocks = [(np.empty(0, np.int64),) * 3]
    oversized: list[OversizedBucket] = []
    if other is None:
        many = left.sizes * (left.sizes - 1) // 2
        kept = many <= limits.bucket
        count = int(many[kept].sum())
        for place in np.flatnonzero(~kept).tolist():
            rows = left.rows_of(place)
            oversized.append(OversizedBucket(rows, rows, 0, within=True))
        if count <= limits.pairs:
            rows = np.flatnonzero(np.repeat(kept, left.sizes))
            later = np.repeat(left.offsets[1:], left.sizes)[rows] - rows - 1
            blocks += (
                (left.rows[first], left.rows[second], np.zeros(len(first), np.int64))
                for first, second in _expanded_ranges(rows, rows + 1, later)
            )
    for block in pairs:
        many = left.sizes[block[0]] * right.sizes[block[1]]
        for one, two, distance in zip(
            *(column[many > limits.bucket] for column in block), strict=True
        ):
            oversized.append(OversizedBucket(left.rows_of(one), right.rows_of(two), int(distance)))
        kept = many <= limits.bucket
        count += int(many[kept].sum())
        if count > limits.pairs:
            break
        ones, twos, apart = (column[kept] for column in block)
        owners = np.repeat(np.arange(len(ones)), many[kept])
        within = np.arange(len(owners)) - (np.cumsum(many[kept]) - many[kept])[owners]
        first, second = np.divmod(within, right.sizes[twos][owners])
        left_rows = left.rows[left.offsets[ones[owners]] + first]
        blocks.append((left_rows, right.rows[right.offsets[twos[owners]] + second], apart[owners]))
    if count > limits.pairs:
        raise TooManyPairs(count, limits.pairs)
    lefts, rights, apart = (np.concatenate(column) for column in zip(*blocks, strict=True))
    if other is None:
        lefts, rights = np.minimum(lefts, rights), np.maximum(lefts, rights)
    order = np.lexsort((rights, lefts))
    return NearPairs(lefts[order], rights[order], apart[order], tuple(oversized))


def _expanded_ranges(rows: Rows, begins: Rows, counts: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Each row paired with the places of its range `[begin, begin + count)`, in batches.

    >>> from numpy import array
    >>> batches = _expanded_ranges(array([7, 8]), array([1, 4]), array([2, 1]))
    >>> [[side.tolist() for side in batch] for batch in batches]
    [[[7, 7, 8], [1, 2, 4]]]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, _PAIRS):
        numbers = np.arange(start, min(start + _PAIRS, total))
        owners = np.searchsorted(ends, numbers, "right")
        yield rows[owners], numbers - (ends - counts - begins)[owners]


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


def near_pairs(
    left: Codes,
    right: Codes | None,
    radius: int,
    cut: BitPartition | None = None,
    limits: PairLimits = LIMITS,
) -> NearPairs:
    """All pairs within the radius: by the keys of a `cut`, or by a scan.

    Without `right`, pairs of rows of `left`, the first on the left. Raises TooManyPairs.

    >>> import numpy as np
    >>> codes = np.array([[1] * 8, [1] * 7 + [3], [255] * 8], np.uint8)
    >>> near_pairs(codes, None, 2, BitPartition(bits=64, radius=2, groups=3)).pairs
    [(0, 1, 1)]
    """
    mine, other = DistinctCodes.of(left), None if right is None else DistinctCodes.of(right)
    if cut is None:
        pairs = pairs_by_scan(mine.codes, other.codes if other else None, radius)
    elif other is None:
        pairs = _self_pairs_by_keys(mine.codes, cut)
    else:
        pairs = pairs_by_keys(mine.codes, other.codes, SortedKeys.of(other.codes, cut))
    return _expanded_to_rows(pairs, mine, other, limits)


def near_pairs_plain(left: Codes, right: Codes | None, radius: int) -> list[tuple[int, int, int]]:
    """What `near_pairs` returns, as rows, pair by pair."""
    codes = [row.tobytes() for row in left]
    others = codes if right is None else [row.tobytes() for row in right]
    rows = (
        (place, at, distance_plain(code, other))
        for place, code in enumerate(codes)
        for at, other in enumerate(others)
        if right is not None or place < at
    )
    return [row for row in rows if row[2] <= radius]


def pairs_by_keys(queries: Codes, codes: Codes, keys: SortedKeys) -> Iterator[CodePairs]:
    """The pairs of `queries` with the `codes` of these `keys`: each once, in batches.

    Raises ValueError where the keys are not those of the codes.
    """
    if "hamming_by_keys" not in KERNELS:
        return pairs_by_scan(queries, codes, keys.cut.radius)
    return _by_keys(queries, codes, keys, is_other=True)


def _self_pairs_by_keys(codes: Codes, cut: BitPartition) -> Iterator[CodePairs]:
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
