"""All pairs of codes of which at most r bits are different, in two ways that find the same.

By keys: codes are looked up among sorted keys, group by group (`Cut`), and what meets there is
compared. By a scan: each code is compared with each. Memory is bounded either way, since pairs
are made some at a time; of many equal codes one is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.hamming.distances import (
    Codes,
    Cut,
    Words,
    distance_plain,
    distances,
    keys_of,
    words_of,
)
from sdtext.kernels.hamming.hamming_rows import (
    LIMITS,
    Distinct,
    Found,
    Limits,
    Near,
    Rows,
    listed,
    spread,
)

_NEEDLES = 1 << 18  # looked up at once
_BLOCK = 1 << 15  # codes at once in a scan: arrays of 256 KB, which stay in the cache
_WIDEST_TABLE = 22  # bits of a key that may be a place in a table


@dataclass(frozen=True, eq=False)
class SortedKeys:
    """The keys of codes in order, group by group, each with the row that it is of.

    `sides` has the shape (groups that are looked up, 2, codes): keys, then rows.
    """

    cut: Cut
    sides: NDArray[np.uint64]

    @classmethod
    def of(cls, codes: Codes, cut: Cut) -> SortedKeys:
        """The keys of these codes."""
        words, groups = words_of(codes), cut.looked_up
        sides = np.empty((len(groups), 2, len(codes)), np.uint64)
        for place, group in enumerate(groups):
            keys = keys_of(words, group)
            order = np.argsort(keys, kind="stable")
            sides[place] = keys[order], order
        return cls(cut, sides)


def near(left: Codes, right: Codes | None, cut: Cut, limits: Limits = LIMITS) -> Near:
    """All pairs within the radius, by keys.

    Without `right`, pairs of two rows of `left`, of which the first stands on the left. Raises
    TooManyPairs.

    >>> import numpy as np
    >>> codes = np.array([[1] * 8, [1] * 7 + [3], [255] * 8], np.uint8)
    >>> near(codes, None, Cut(bits=64, radius=2, groups=3)).pairs
    [(0, 1, 1)]
    """
    one = Distinct.of(left)
    if right is None:
        return listed(met_within(one.codes, cut), (one, None), limits)
    other = Distinct.of(right)
    found = met(one.codes, other.codes, SortedKeys.of(other.codes, cut))
    return listed(found, (one, other), limits)


def scanned(left: Codes, right: Codes | None, radius: int, limits: Limits = LIMITS) -> Near:
    """What `near` gives, by a scan."""
    one = Distinct.of(left)
    other = None if right is None else Distinct.of(right)
    found = scan(one.codes, other.codes if other else None, radius)
    return listed(found, (one, other), limits)


def near_plain(left: Codes, right: Codes | None, radius: int) -> list[tuple[int, int, int]]:
    """What `near` gives, as rows, pair by pair."""
    ones = [row.tobytes() for row in left]
    others = ones if right is None else [row.tobytes() for row in right]
    rows = (
        (place, at, distance_plain(one, other))
        for place, one in enumerate(ones)
        for at, other in enumerate(others)
        if right is not None or place < at
    )
    return [row for row in rows if row[2] <= radius]


def met(asked: Codes, codes: Codes, keys: SortedKeys) -> Iterator[Found]:
    """The pairs of `asked` with the `codes` that have these `keys`: each once, some at a time."""
    words = words_of(asked)
    for place, group in enumerate(keys.cut.looked_up):
        own, masks = keys_of(words, group), np.array(group.masks, np.uint64)
        step = max(1, _NEEDLES // len(masks))
        for start in range(0, len(asked), step):
            needles = own[start : start + step, None] ^ masks
            rows = np.repeat(np.arange(start, start + len(needles)), len(masks))
            meeting = _meeting(keys.sides[place, 0], needles.ravel(), rows, group.width)
            for left, at in spread(*meeting):
                right = keys.sides[place, 1, at].astype(np.int64)
                yield _within_radius((asked, codes), (left, right), keys.cut, place)


def met_within(codes: Codes, cut: Cut) -> Iterator[Found]:
    """The pairs of two of the codes, each once, some at a time; either may stand on the left."""
    keys = SortedKeys.of(codes, cut)
    if any(group.flips for group in cut.looked_up):
        for left, right, apart in met(codes, codes, keys):
            once = left < right
            yield left[once], right[once], apart[once]
        return
    rows = np.arange(len(codes))
    for place, (own, order) in enumerate(keys.sides):
        later = np.searchsorted(own, own, "right") - rows - 1
        for first, second in spread(rows, rows + 1, later):
            pair = order[first].astype(np.int64), order[second].astype(np.int64)
            yield _within_radius((codes, codes), pair, cut, place)


def scan(left: Codes, right: Codes | None, radius: int) -> Iterator[Found]:
    """As `met`, or without `right` as `met_within`, by comparing each with each."""
    ones = words_of(left)
    others = ones if right is None else words_of(right)
    for place in range(ones.shape[1]):
        first = place + 1 if right is None else 0
        for start in range(first, others.shape[1], _BLOCK):
            apart = distances(ones[:, place : place + 1], others[:, start : start + _BLOCK])
            at = np.flatnonzero(apart <= radius)
            if len(at):
                yield np.full(len(at), place), at + start, apart[at].astype(np.int64)


def _meeting(keys: Words, needles: Words, rows: Rows, width: int) -> Found:
    """Where among sorted keys needles stand: their `rows`, begins and how many; none left out."""
    if width <= _WIDEST_TABLE and len(needles) >> max(0, width - 4):
        table = np.searchsorted(keys, np.arange((1 << width) + 1, dtype=np.uint64))
        begins = table[needles]
        counts = table[needles + np.uint64(1)] - begins
    else:
        order = np.argsort(needles)
        rows, needles = rows[order], needles[order]
        begins = np.searchsorted(keys, needles)
        counts = np.searchsorted(keys, needles, "right") - begins
    several = np.flatnonzero(counts)
    return rows[several], begins[several], counts[several]


def _within_radius(
    sides: tuple[Codes, Codes], pair: tuple[Rows, Rows], cut: Cut, place: int
) -> Found:
    """The pairs within the radius that have not met in a group before that at `place`."""
    left, right = (words_of(codes[rows]) for codes, rows in zip(sides, pair, strict=True))
    apart = distances(left, right)
    kept = np.flatnonzero(apart <= cut.radius)
    different = left[:, kept] ^ right[:, kept]
    new = np.ones(len(kept), bool)
    for group in cut.looked_up[:place]:
        new &= np.bitwise_count(keys_of(different, group)) > group.flips
    kept = kept[new]
    return pair[0][kept], pair[1][kept], apart[kept].astype(np.int64)
