"""The rows that have codes of which pairs were found: equal codes are compared once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.hamming.distances import Codes, words_of

Rows = NDArray[np.int64]
Found = tuple[Rows, Rows, Rows]
"""Left rows, right rows and distances."""

_PAIRS = 1 << 18  # made at once


class TooManyPairs(OptionError):  # noqa: N818 (what is too many is the pairs, not an error)
    """There are more pairs than are listed; the message says what helps."""

    def __init__(self, count: int, most: int) -> None:
        super().__init__(
            f"{count} pairs or more are within the radius, too many to be listed (the most is "
            f"{most}); take a smaller radius, a higher similarity, or fewer documents"
        )


@dataclass(frozen=True)
class Limits:
    """How many `pairs` are listed; two codes with more than `bucket` are an oversized bucket."""

    pairs: int = 1 << 22
    bucket: int = 1 << 60


LIMITS = Limits()


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
        """How many pairs of rows there are."""
        size = len(self.left)
        return size * (size - 1) // 2 if self.within else size * len(self.right)


@dataclass(frozen=True, eq=False)
class Near:
    """Pairs of rows in order: columns of one length, with how many bits are different.

    Pairs in an oversized bucket are left out of the columns and described by `oversized`.
    """

    left: Rows
    right: Rows
    distances: Rows
    oversized: tuple[OversizedBucket, ...] = ()

    @property
    def left_out(self) -> int:
        """How many pairs were left out."""
        return sum(bucket.pairs for bucket in self.oversized)

    @property
    def pairs(self) -> list[tuple[int, int, int]]:
        """A row for each pair."""
        columns = (column.tolist() for column in (self.left, self.right, self.distances))
        return list(zip(*columns, strict=True))


@dataclass(frozen=True, eq=False)
class Distinct:
    """Codes, each once, and the rows that have it: `rows[offsets[i] : offsets[i + 1]]`."""

    codes: Codes
    rows: Rows
    offsets: Rows

    @classmethod
    def of(cls, codes: Codes) -> Distinct:
        """The distinct ones of these codes.

        >>> import numpy as np
        >>> Distinct.of(np.array([[7], [5], [7]], np.uint8)).sizes.tolist()
        [1, 2]
        """
        words = words_of(codes)
        rows = np.lexsort(words)
        begins = np.ones(len(rows), bool)
        begins[1:] = (words[:, rows[1:]] != words[:, rows[:-1]]).any(axis=0)
        offsets = np.append(np.flatnonzero(begins), len(rows))
        return cls(codes[rows[offsets[:-1]]], rows, offsets)

    @property
    def sizes(self) -> Rows:
        """How many rows have each."""
        return self.offsets[1:] - self.offsets[:-1]

    def rows_of(self, place: int) -> Rows:
        """The rows, in order, that have the code at that place."""
        return self.rows[self.offsets[place] : self.offsets[place + 1]]


def listed(found: Iterable[Found], sides: tuple[Distinct, Distinct | None], limits: Limits) -> Near:
    """The rows that have the codes of the pairs found; with one side alone, all within it.

    Then two rows of one code are a pair, too. Raises TooManyPairs.
    """
    left, right = sides[0], sides[1] or sides[0]
    count = 0
    blocks: list[Found] = []
    oversized: list[OversizedBucket] = []
    if sides[1] is None:
        equal, count, oversized = _equal(left, limits.bucket)
        blocks += equal if count <= limits.pairs else ()
    for block in found:
        made, many = _few(block, (left, right), limits.bucket)
        oversized += many
        count += int((left.sizes[made[0]] * right.sizes[made[1]]).sum())
        if count > limits.pairs:
            break
        blocks.append(_rows_of(made, (left, right)))
    if count > limits.pairs:
        raise TooManyPairs(count, limits.pairs)
    return _in_order(blocks, oversized, within=sides[1] is None)


def _in_order(blocks: list[Found], oversized: list[OversizedBucket], *, within: bool) -> Near:
    none = (np.empty(0, np.int64),) * 3
    left, right, apart = (np.concatenate(column) for column in zip(none, *blocks, strict=True))
    if within:
        left, right = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((right, left))
    return Near(left[order], right[order], apart[order], tuple(oversized))


def _few(
    block: Found, sides: tuple[Distinct, Distinct], most: int
) -> tuple[Found, list[OversizedBucket]]:
    """The pairs of codes that few rows have, and the rows of the others."""
    many = sides[0].sizes[block[0]] * sides[1].sizes[block[1]]
    kept = np.flatnonzero(many <= most)
    others = (column[many > most].tolist() for column in block)
    oversized = [
        OversizedBucket(sides[0].rows_of(one), sides[1].rows_of(other), apart)
        for one, other, apart in zip(*others, strict=True)
    ]
    return (block[0][kept], block[1][kept], block[2][kept]), oversized


def _rows_of(block: Found, sides: tuple[Distinct, Distinct]) -> Found:
    """The pairs of rows that have those pairs of codes."""
    (left, right, apart), (one, other) = block, sides
    many = other.sizes[right]
    counts = one.sizes[left] * many
    owners = np.repeat(np.arange(len(left)), counts)
    within = np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]
    first, second = np.divmod(within, many[owners])
    lefts = one.rows[one.offsets[left[owners]] + first]
    return lefts, other.rows[other.offsets[right[owners]] + second], apart[owners]


def _equal(side: Distinct, most: int) -> tuple[Iterator[Found], int, list[OversizedBucket]]:
    """The pairs of rows of one code, how many they are, and the rows of codes of too many."""
    many = side.sizes * (side.sizes - 1) // 2
    kept = many <= most
    count = int(many[kept].sum())

    def pairs() -> Iterator[Found]:
        rows = np.flatnonzero(np.repeat(kept, side.sizes))
        later = np.repeat(side.offsets[1:], side.sizes)[rows] - rows - 1
        for one, other in spread(rows, rows + 1, later):
            yield side.rows[one], side.rows[other], np.zeros(len(one), np.int64)

    oversized = [
        OversizedBucket(rows, rows, 0, within=True)
        for rows in map(side.rows_of, np.flatnonzero(~kept).tolist())
    ]
    return pairs(), count, oversized


def spread(rows: Rows, begins: Rows, counts: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Each row with as many places from its begin on as are counted, some pairs at a time.

    >>> from numpy import array
    >>> [[side.tolist() for side in made] for made in spread(array([7, 8]), array([1, 4]),
    ...                                                      array([2, 1]))]
    [[[7, 7, 8], [1, 2, 4]]]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, _PAIRS):
        numbers = np.arange(start, min(start + _PAIRS, total))
        owners = np.searchsorted(ends, numbers, "right")
        yield rows[owners], numbers - (ends - counts - begins)[owners]
