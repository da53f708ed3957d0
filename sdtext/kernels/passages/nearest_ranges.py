"""The range of a text that is nearest to each of some runs of words, by edit distance.

A dynamic program within a band of diagonals: word i of a run can correspond only to word
`start + i - d` for the differences d of the band. All runs are computed together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

_NEVER = 1 << 60


@dataclass(frozen=True, eq=False)
class Text:
    """The words `[begin, begin + len(words))` of a corpus; those that are `barred` are in no range.

    What lies before and behind is barred, too.
    """

    words: Numbers
    barred: NDArray[np.bool_]
    begin: int

    def padded(self, begin: int, stop: int) -> Text:
        """The same for the words `[begin, stop)`, which are more at both ends, or fewer."""
        words = np.full(max(stop - begin, 0), -1, np.int64)
        barred = np.ones(len(words), bool)
        low, high = max(begin, self.begin), min(stop, self.begin + len(self.words))
        if high > low:
            here, there = (
                slice(low - begin, high - begin),
                slice(low - self.begin, high - self.begin),
            )
            words[here], barred[here] = self.words[there], self.barred[there]
        return Text(words, barred, begin)


@dataclass(frozen=True, eq=False)
class NearestRanges:
    """For each run the edits between it and its nearest range, and that range: `[starts, ends)`."""

    edits: Numbers
    starts: Numbers
    ends: Numbers


def nearest_ranges(
    runs: Numbers, starts: Numbers, text: Text, band: tuple[int, int], *, is_before: bool = False
) -> NearestRanges:
    """The nearest range of `text` for each row of `runs`, words that stand at `starts` in a corpus.

    `band` holds the least and the greatest difference between the place of a word and that of the
    word it corresponds to. If it `is_before`, a range ends before its run starts. Edits are words
    that are inserted, removed or replaced.

    >>> text = Text(np.array([1, 2, 9, 3, 4]), np.zeros(5, bool), 0)
    >>> near = nearest_ranges(np.array([[2, 3, 4]]), np.array([10]), text, (8, 11))
    >>> near.edits.tolist(), near.starts.tolist(), near.ends.tolist()
    ([1], [1], [5])
    """
    least, greatest = band
    width, length = greatest - least + 1, runs.shape[1]
    begin = int(starts.min()) - greatest
    around = text.padded(begin, int(starts.max()) + length + width - greatest)
    columns = starts[:, None] - greatest - begin + np.arange(width)
    # A key is the number of edits times `edit`, and where a range begins.
    edit = len(around.words) + 1
    barred = edit * (length + width + 1)  # more than the edits of any range without such words
    if barred * edit > _NEVER:
        raise OverflowError(f"{len(around.words):,} words and runs of {length:,} are too many")
    inserted = np.append(0, np.cumsum(np.where(around.barred, barred, edit)))  # before each place
    keys = np.broadcast_to(columns, (len(starts), width)).astype(np.int64)
    for place in range(length):
        here = columns + place
        cost = np.where(around.words[here] == runs[:, place : place + 1], 0, edit)
        cost[around.barred[here]] = _NEVER
        following = np.minimum(keys + cost, _NEVER)
        following[:, :-1] = np.minimum(following[:, :-1], keys[:, 1:] + edit)
        before = inserted[here + 1]
        keys = np.minimum.accumulate(following - before, axis=1) + before
    ends = columns + length
    if is_before:
        keys = np.where(ends + begin <= starts[:, None], keys, _NEVER)
    best = keys.argmin(axis=1)
    rows = np.arange(len(starts))
    nearest = keys[rows, best]
    return NearestRanges(nearest // edit, nearest % edit + begin, ends[rows, best] + begin)
