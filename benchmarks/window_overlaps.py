"""Overlaps of windows in plain Python: the reference for the window join.

A window is w terms in a row; what two windows have in common is counted as in bags: a term that
one has twice and the other three times counts twice. Their distance is w less that number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Intervals = dict[tuple[Hashable, int], list[tuple[int, int]]]


def overlap(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """The size of the intersection of two windows as multisets.

    >>> overlap("as soon as possible".split(), "yes soon yes as".split())
    2
    """
    missing: dict[Hashable, int] = defaultdict(int)
    for term in left:
        missing[term] += 1
    common = 0
    for term in right:
        if missing[term] > 0:
            common += 1
        missing[term] -= 1
    return common


def pair_overlaps(left: Sequence[Hashable], right: Sequence[Hashable], w: int) -> NDArray[np.int64]:
    """What each window of `left` has in common with each of `right`, by their first terms.

    Of shape (windows of left, windows of right); a sequence of n terms has n - w + 1 windows, none
    where that is below 1. The windows that hold a term at least k times start in certain
    intervals; where such intervals of both sides cross there is one more term in common.

    >>> pair_overlaps("have more than two".split(), "no less than two".split(), 3).tolist()
    [[1, 1], [1, 2]]
    """
    import numpy as np

    shape = (max(len(left) - w + 1, 0), max(len(right) - w + 1, 0))
    change = np.zeros((shape[0] + 1, shape[1] + 1), np.int64)
    held, wanted = _intervals(left, w), _intervals(right, w)
    for key in held.keys() & wanted.keys():
        for first, last in held[key]:
            for right_first, right_last in wanted[key]:
                change[first, right_first] += 1
                change[last + 1, right_first] -= 1
                change[first, right_last + 1] -= 1
                change[last + 1, right_last + 1] += 1
    return change.cumsum(axis=0).cumsum(axis=1)[: shape[0], : shape[1]]


def _intervals(terms: Sequence[Hashable], w: int) -> Intervals:
    """For each term and k: the first and last starts of windows that hold it k times or more."""
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, term in enumerate(terms):
        places[term].append(place)
    result: Intervals = defaultdict(list)
    for term, at in places.items():
        for k, first, last in _intervals_of(at, w, len(terms) - w):
            result[term, k].append((first, last))
    return result


def _intervals_of(at: Sequence[int], w: int, last_start: int) -> Iterator[tuple[int, int, int]]:
    """Rows of k, first and last: the windows whose first of a term stands at each of its places."""
    for number, place in enumerate(at):
        behind = at[number - 1] + 1 if number else 0
        for k, kth in enumerate(at[number : number + w], 1):
            first, last = max(behind, kth - w + 1), min(place, last_start)
            if first <= last:
                yield k, first, last
