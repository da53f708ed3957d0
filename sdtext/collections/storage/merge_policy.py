"""Tiered merge policy: which adjacent segments to merge into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

_SMALL = 8 << 20  # bytes; smaller ones are all of level 0
_MANY = 8
_LEVELS = 3  # up to 8 MB, 64 MB, 512 MB; larger ones are left as they are


def level(size: float) -> int:
    """The level of a segment of `size` bytes: each holds segments eight times as large.

    >>> level(1000), level(10_000_000), level(100_000_000), level(1_000_000_000)
    (0, 1, 2, 3)
    """
    return sum(size > _SMALL * _MANY**step for step in range(_LEVELS))


def due(sizes: Sequence[float], dead: Sequence[float]) -> tuple[int, int] | None:
    """The half-open range of adjacent segments to merge, None if there is none.

    `sizes` are bytes, `dead` the shares of removed rows. Eight adjacent segments of one level are
    merged, with smaller ones between them, so that each document is copied once at each level:
    there are few segments to search, and adding takes linear time. A segment with more removed
    than live rows is rewritten alone.

    >>> due([1000] * 8, [0] * 8), due([1000] * 7, [0] * 7), due([1000, 1000], [0, 0.6])
    ((0, 8), None, (1, 2))
    """
    levels = [*map(level, sizes)]
    for wanted in range(_LEVELS):
        for start, stop in _runs([size_level <= wanted for size_level in levels]):
            if levels[start:stop].count(wanted) >= _MANY:
                return start, stop
    return next(((place, place + 1) for place, share in enumerate(dead) if share > 0.5), None)


def _runs(fits: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The half-open ranges of consecutive segments that fit."""
    stop = 0
    for fit, run in groupby(fits):
        start, stop = stop, stop + len(list(run))
        if fit:
            yield start, stop
