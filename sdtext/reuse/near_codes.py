"""All pairs of sentences whose codes are within a Hamming radius, as rows, up to a limit.

Equal codes are compared once (`kernels.hamming_join`) and expanded to their rows at the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sdtext.errors import OptionError
from sdtext.kernels.hamming_join import (
    BitPartition,
    CodePairs,
    Codes,
    Rows,
    SortedKeys,
    distance_plain,
    pairs_by_keys,
    pairs_by_scan,
    self_pairs_by_keys,
    words_of,
)


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
        pairs = self_pairs_by_keys(mine.codes, cut)
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


def _expanded_to_rows(
    pairs: Iterable[CodePairs], left: DistinctCodes, other: DistinctCodes | None, limits: PairLimits
) -> NearPairs:
    """The pairs of rows of pairs of codes; on one side alone, also two rows of one code."""
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
            first = np.repeat(rows, later)
            places = np.arange(len(first)) - np.repeat(np.cumsum(later) - later, later)
            second = first + 1 + places
            blocks.append((left.rows[first], left.rows[second], np.zeros(len(first), np.int64)))
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
