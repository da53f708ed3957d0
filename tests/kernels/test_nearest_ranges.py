"""The nearest range of a text, and near windows: against all ranges, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sdtext.kernels.passages import nearest_ranges
from sdtext.kernels.passages.nearest_ranges import (
    BARRED,
    Alignment,
    Band,
    Text,
    Windows,
    near_windows,
)
from tests.strategies import MANY

SIZES = st.sampled_from((1, 3, 1 << 10))


@dataclass(frozen=True)
class Copy:
    """Words at `start` that were copied, with changes, from a text, and a band around these.

    A range ends on one of the first `ends` diagonals.
    """

    words: list[int]
    start: int
    text: Text
    band: Band
    ends: int


@st.composite
def copies(draw: st.DrawFn, longest: int = 9) -> Copy:
    text = draw(st.lists(st.integers(0, 9), min_size=4, max_size=longest + 4))
    first = draw(st.integers(0, len(text) // 2))
    words, begin, start = text[first : first + draw(st.integers(3, longest))], 3, 12
    for changed in draw(st.lists(st.sampled_from((words, words, text)), max_size=3)):
        place, size = draw(st.integers(0, len(changed) - 1)), draw(st.integers(0, 1))
        more = [BARRED] if changed is text else [draw(st.integers(0, 9))] * draw(st.integers(0, 1))
        if len(changed) - size + len(more):
            changed[place : place + size] = more
    difference = start - first - begin
    least, greatest = (draw(st.integers(0, 4)) for _ in range(2))
    band = Band(difference - least, difference + greatest)
    ends = draw(st.integers(0, band.width))
    return Copy(words, start, Text(np.array(text), begin), band, ends)


def edits(left: list[int], right: list[int]) -> int:
    row: list[int] = [*range(len(right) + 1)]
    for word in left:
        above, row = row, [row[0] + 1]
        for place, other in enumerate(right):
            row.append(min(above[place] + (word != other), above[place + 1] + 1, row[-1] + 1))
    return row[-1]


@contextmanager
def parts_of(size: int) -> Iterator[None]:
    """Runs are taken apart into parts of so many words, and longer texts not indexed."""
    with (
        patch.object(nearest_ranges, "_BLOCK", size),
        patch.object(nearest_ranges, "_INDEXED", size),
    ):
        yield


@MANY
@given(
    rows=st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=3),
    words=st.lists(st.integers(BARRED, 2), min_size=1, max_size=9),
    begin=st.integers(0, 5),
    size=SIZES,
    is_before=st.booleans(),
)
def test_no_range_is_nearer(
    rows: list[list[int]], words: list[int], begin: int, size: int, is_before: bool
) -> None:
    text, band = Text(np.array(words), begin), Band(-20, 30)
    for start, run in enumerate(rows, 10):
        ranges = [
            (low, high)
            for low in range(len(words) + 1)
            for high in range(low, len(words) + 1)
            if BARRED not in words[low:high] and not (is_before and begin + high > start)
        ]
        with parts_of(size):
            alignment = Alignment(run, start, text, band)
            near = alignment.nearest(4, band.before(4) if is_before else None)
        least = min(edits(run, words[low:high]) for low, high in ranges)
        assert near
        assert alignment.least <= near.edits == least
        if near.start < near.stop:
            low, high = near.start - begin, near.stop - begin
            assert (low, high) in ranges
            assert edits(run, words[low:high]) == least


def nearest_in_band(run: list[int], start: int, copy: Copy) -> tuple[int, int, int]:
    """The edits, the start and the end of the nearest range, by the steps of all alignments."""
    text, band = copy.text, copy.band
    keys = {start - difference: (0, start - difference) for difference in diagonals(band)}
    never = (len(run) + 1, 0)
    for place, word in enumerate(run):
        following = dict[int, tuple[int, int]]()
        for difference in diagonals(band):
            end = start + place + 1 - difference  # of the range, behind the word
            other = word_at(text, end - 1)
            reached = [
                later(keys.get(end, never), 1),
                later(keys.get(end - 1, never), int(word != other), is_open=other != BARRED),
                later(following.get(end - 1, never), 1, is_open=other != BARRED),
            ]
            following[end] = min(reached)
        keys = following
    allowed = [start + len(run) - difference for difference in diagonals(band)][: copy.ends]
    return min(((*keys[end], end) for end in allowed), default=(len(run) + 1, 0, 0))


def diagonals(band: Band) -> range:
    return range(band.greatest, band.least - 1, -1)


def word_at(text: Text, place: int) -> int:
    inside = text.begin <= place < text.begin + len(text.words)
    return int(text.words[place - text.begin]) if inside else BARRED


def later(key: tuple[int, int], more: int, *, is_open: bool = True) -> tuple[int, int]:
    return (key[0] + (more if is_open else 1 << 20), key[1])


@MANY
@given(copy=copies(), size=SIZES)
def test_the_first_of_the_nearest_ranges_within_a_band_is_taken(copy: Copy, size: int) -> None:
    wanted = nearest_in_band(copy.words, copy.start, copy)
    for most in range(len(copy.words)):
        with parts_of(size):
            alignment = Alignment(copy.words, copy.start, copy.text, copy.band)
            near = alignment.nearest(most, copy.ends)
        if wanted[0] > most:
            assert near is None
        else:
            assert near
            assert (near.edits, near.start, near.stop) == wanted


@MANY
@given(copy=copies(12), length=st.integers(1, 6), most=st.integers(0, 3))
def test_near_windows_are_those_with_a_near_range(copy: Copy, length: int, most: int) -> None:
    begin = copy.start - copy.band.greatest
    places = range(begin, begin + len(copy.words) + copy.band.width - 1)
    beside = np.array([word_at(copy.text, place) for place in places])
    starts = np.arange(max(len(copy.words) - length + 1, 0))
    found = near_windows(Windows(np.array(copy.words), starts, length), beside, most, copy.ends)
    for start, is_near in zip(starts.tolist(), found.tolist(), strict=True):
        window = copy.words[start : start + length]
        edited, _, _ = nearest_in_band(window, copy.start + start, copy)
        assert is_near == (edited <= min(most, length))
