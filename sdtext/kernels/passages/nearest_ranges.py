"""Ranges of a text that are few edits from runs of words, within a band of diagonals: exact.

Edits are words that are inserted, removed or replaced. A word at place p of a corpus can correspond
only to one at p - d for the differences d of the band, and to none that is barred.

For one run, the diagonals of the band that are reached with some edits before each of its words are
the bits of a number (Wu and Manber, Fast text searching allowing errors, 1992). For many windows,
the furthest word that is reached on each diagonal is computed for one more edit at a time (Ukkonen,
Algorithms for approximate string matching, 1985): where a word is reached with some edits, so are
those before it on its diagonal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import and_

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Diagonals = list[int]  # a set of diagonals as the bits of a number, for each number of edits

BARRED = -1
"""Stands in a text for a word that is in no range."""

_BITS = 1 << 24  # of the diagonals of the words that are prepared at once
_BLOCK = 1 << 10  # words, at most
_INDEXED = 1 << 11  # words of a text of which all are indexed


@dataclass(frozen=True, eq=False)
class Text:
    """The words `[begin, begin + len(words))` of a corpus; what lies around them is barred."""

    words: Numbers
    begin: int

    def places(self, words: Collection[int]) -> Mapping[int, int]:
        """For each of the words the bits of the places at which it stands."""
        if len(self.words) <= _INDEXED:
            return self._index
        return {word: self._bits(word) for word in {*words, BARRED}}

    def between(self, begin: int, stop: int) -> Text:
        """The words `[begin, stop)` of the corpus that are in the text."""
        begin = max(begin, self.begin)
        return Text(self.words[begin - self.begin : max(stop - self.begin, 0)], begin)

    @cached_property
    def _index(self) -> dict[int, int]:
        places = dict[int, int]()
        for place, word in enumerate(self.words.tolist()):
            places[word] = places.get(word, 0) | 1 << place
        return places

    def _bits(self, word: int) -> int:
        return int.from_bytes(np.packbits(self.words == word, bitorder="little").data, "little")


@dataclass(frozen=True)
class Band:
    """The least and the greatest difference between the places of corresponding words."""

    least: int
    greatest: int

    @property
    def width(self) -> int:
        """The number of diagonals. Diagonal i has the difference `greatest` - i."""
        return self.greatest - self.least + 1

    def before(self, length: int) -> int:
        """The number of diagonals, the first ones, on which a range ends before its run starts."""
        return max(self.greatest + 1 - max(self.least, length), 0)

    def widened(self, words: int) -> Band:
        """The band with more diagonals on both sides."""
        return Band(self.least - words, self.greatest + words)


@dataclass(frozen=True)
class NearestRange:
    """The range `[start, stop)` of a corpus, and the edits between it and a run of words."""

    edits: int
    start: int
    stop: int


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a run beside a text; diagonals are bits.

    `same` are the diagonals on which each word stands in the text, `is_open` those on which a range
    may hold the word of the text there; None if it may on all.
    """

    same: list[int]
    is_open: list[int] | None
    every: int

    @classmethod
    def of(cls, run: Sequence[int], start: int, text: Text, band: Band) -> _Part:
        """The words `run`, which stand at `start`."""
        first, every = start - band.greatest, (1 << band.width) - 1
        more = max(text.begin - first, 0)
        shift, places = first - text.begin + more, text.places(run)
        same = [
            places.get(word, 0) << more >> place & every for place, word in enumerate(run, shift)
        ]
        is_open = (1 << len(text.words)) - 1 ^ places.get(BARRED, 0)
        is_open, full = is_open << more >> shift, (1 << len(run) + band.width - 1) - 1
        if is_open & full == full:
            return cls(same, None, every)
        return cls(same, [is_open >> place & every for place in range(len(run))], every)

    def forwards(self, first: Diagonals) -> Diagonals:
        """The diagonals that are reached behind the part from those that are reached before it.

        Both are those of at most 0, 1, 2, … edits. Barred words are not considered.
        """
        reached = [*accumulate(self.same, and_, initial=first[0])]
        result = [reached[-1]]
        for now in first[1:]:
            steps = zip(self.same, reached, reached[1:], strict=False)
            diagonals, reached = now, [now]
            for same, before, behind in steps:
                inserted = behind << 1 & self.every
                diagonals = diagonals & same | before | before >> 1 | inserted
                reached.append(diagonals)
            result.append(diagonals)
        return result

    def backwards(self, last: Diagonals) -> Diagonals:
        """The diagonals before the part from which those behind it are reached."""
        words = self.same[::-1]
        reached = [*accumulate(words, and_, initial=last[0])]
        result = [reached[-1]]
        is_open = [self.every] * len(words) if self.is_open is None else self.is_open[::-1]
        for now in last[1:]:
            steps = zip(words, reached, reached[1:], is_open, strict=False)
            diagonals, reached = now, [now]
            for same, behind, here, usable in steps:
                removed = behind << 1 & self.every
                diagonals = diagonals & same | (behind | here >> 1) & usable | removed
                reached.append(diagonals)
            result.append(diagonals)
        return result


@dataclass(frozen=True, eq=False)
class Alignment:
    """A `run` of words, which stands at `start` in a corpus, beside a text.

    >>> text, band = Text(np.array([1, 2, 9, 3, 4]), begin=0), Band(8, 11)
    >>> Alignment([2, 3, 4], 10, text, band).nearest(most=2)
    NearestRange(edits=1, start=1, stop=5)
    """

    run: Sequence[int]
    start: int
    text: Text
    band: Band

    @cached_property
    def least(self) -> int:
        """Edits that are needed at least: of the words that stand on no diagonal of the band."""
        return sum(part.same.count(0) for part in self._parts())

    def nearest(self, most: int, ends: int | None = None) -> NearestRange | None:
        """The range of the text with the fewest edits; None if these are more than `most`.

        Of equally near ranges it is the one that starts first, and of these the one that ends
        first. A range ends on one of the first `ends` diagonals.
        """
        allowed = (1 << (self.band.width if ends is None else ends)) - 1
        for edits in range(self.least, most + 1):
            if starts := self._reached(_Part.backwards, allowed, edits):
                # What is reached from there beyond a barred word ends behind the nearest range.
                first = starts & -starts
                stops = self._reached(_Part.forwards, first, edits)
                begin = self.start - self.band.greatest - 1
                end = begin + len(self.run) + (stops & -stops).bit_length()
                return NearestRange(edits, begin + first.bit_length(), end)
        return None

    def _reached(
        self, step: Callable[[_Part, Diagonals], Diagonals], first: int, edits: int
    ) -> int:
        """The diagonals that are reached with so many edits, if each part is a `step`."""
        reached = [first] * (edits + 1)
        for part in self._parts(backwards=step is _Part.backwards):
            reached = step(part, reached)
            if not reached[-1]:
                break
        return reached[-1]

    def _parts(self, *, backwards: bool = False) -> Iterator[_Part]:
        """The parts of the run, a long one's made anew each time."""
        size = max(min(_BITS // self.band.width, _BLOCK), 1)
        if len(self.run) <= size:
            yield self._only
            return
        begins = range(0, len(self.run), size)
        for begin in begins[::-1] if backwards else begins:
            run, start = self.run[begin : begin + size], self.start + begin
            stop = start + len(run) - self.band.least
            text = self.text.between(start - self.band.greatest, stop)
            yield _Part.of(run, start, text, self.band)

    @cached_property
    def _only(self) -> _Part:
        return _Part.of(self.run, self.start, self.text, self.band)


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of `length` words. They begin at the places `starts` of `words`."""

    words: Numbers
    starts: Numbers
    length: int


def near_windows(
    windows: Windows, text: Numbers, most: int, ends: int | None = None
) -> NDArray[np.bool_]:
    """Whether at most `most` edits are between each of the windows and a range of `text`.

    The words correspond to `text` on its first diagonal, and to the words behind these on the
    others. A range ends on one of the first `ends` diagonals. Memory is that of some numbers for
    each word on each diagonal.

    >>> windows = Windows(np.array([7, 2, 3, 4, 5]), np.arange(3), 3)
    >>> near_windows(windows, np.array([1, 2, 3, 9, 9, 5]), most=1).tolist()
    [True, True, False]
    """
    words, size = windows.words, len(windows.words)
    width = len(text) - size + 1
    diagonals = as_strided(text, (width, size), text.strides * 2, writeable=False)
    # On each diagonal the next place at which the words differ; they do so behind the last one.
    differs = np.full((width, size + 2), size)
    np.copyto(differs[:, :size], np.arange(size), where=diagonals != words)
    following = np.minimum.accumulate(differs[:, ::-1], axis=1)[:, ::-1].ravel()
    rows = np.arange(0, len(following), size + 2)[:, None]
    barred = None
    if text.min() == BARRED:
        barred = np.ones((width, size + 2), bool)
        np.equal(diagonals, BARRED, out=barred[:, :size])
    furthest = following.take(windows.starts + rows)
    for _ in range(most):
        removed = furthest + 1
        replaced, inserted = removed, furthest
        if barred is not None:
            stays = barred.take(furthest + rows)
            replaced, inserted = removed - stays, np.where(stays, 0, furthest)
        reached = replaced.copy()
        np.maximum(reached[:-1], removed[1:], out=reached[:-1])
        np.maximum(reached[1:], inserted[:-1], out=reached[1:])
        furthest = following.take(reached + rows)
    return np.asarray((furthest[:ends] >= windows.starts + windows.length).any(axis=0))
