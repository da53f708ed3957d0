"""Alignment of the words on both sides of a passage: its edits, and its ends.

The trim of windows considers each side alone, so one side of a passage may continue over words
that the other side has somewhere else. Here the words of both sides are aligned, and the passage
is cut on both sides at once: both begin and end at words that correspond.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from math import log
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import (
    are_in,
    best_run,
    common_words,
    equal_ahead,
    numbered_runs,
    rising,
)
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Edit, Passage, Span

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcode

Words = NDArray[np.uint32]
Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

RUN = 5
"""The number of words in a row that count as verbatim."""

_MOST_WORK = 10**8  # the words of one side times those of the other: some hundredths of a second
_MOST_COUNTED = 10**10  # the same where nothing but a number is asked for
_Change = tuple[int, int, int, int]  # from which word to which on the left and on the right

WordBox = tuple[int, int, int, int]
"""Places among the words of two documents: left start, left end, right start, right end."""

_UNIT = 1_000_000  # the weight of an equal word, a whole number so that sums are exact
_BY_CHANCE = 0.1  # the share of equal words where unrelated text is aligned
_LEAST, _MOST = 0.2, 3.0  # weights of a changed word
_ROUNDS = 2


def edits_in(passage: Passage, left: DocumentWords, right: DocumentWords) -> tuple[Edit, ...]:
    """The edits between the sides of a passage, in order, as offsets in `Document.text`.

    They insert, delete or replace the least number of words (Levenshtein distance). Of the ways to
    do so, one is taken that keeps words that both sides have. Adjacent edits are one. Sides of more
    than some ten thousand words are first cut at anchors, words that occur once on each side, in
    the same order; a long piece without anchors is one edit. Words in a run of five or more that
    both sides have are none of these: where they stand in another order, they "moved".

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> from sdtext.model import Similarity
    >>> placed = WordOffsets.of([[("a", 0, 1), ("b", 2, 3)], [("a", 0, 1), ("x", 2, 3)]])
    >>> passage = Passage(Span(0, 3), Span(0, 3), Similarity(1, 2))
    >>> edits_in(passage, placed.document(0), placed.document(1))[0].left
    Span(start=2, end=3, title='')
    """
    first, words = _words(left, passage.left)
    right_first, right_words = _words(right, passage.right)
    edits, moves = _edits_and_moves(words, right_words)
    kinds = [("insert" if a == b else "delete" if c == d else "replace") for a, b, c, d in edits]
    rows = sorted(zip((*edits, *moves), (*kinds, *["moved"] * len(moves)), strict=True))
    return tuple(
        Edit(
            kind,
            _span(left, first + start, first + end, passage.left),
            _span(right, right_first + right_start, right_first + right_end, passage.right),
        )
        for (start, end, right_start, right_end), kind in rows
    )


def _edits_and_moves(left: Words, right: Words) -> tuple[list[_Change], list[_Change]]:
    """What is inserted, deleted or replaced, and what moved: runs that both have somewhere else.

    Runs of which most words are not aligned are taken out, and the rest is aligned again. Then all
    words of a run that are still not aligned moved, such as where one side repeats them.
    """
    moved: list[Places] = [np.full(len(side), -1) for side in (left, right)]  # the other place
    for takes_whole in (True, False):
        rest = [np.flatnonzero(places < 0) for places in moved]
        words, others = left[rest[0]], right[rest[1]]
        edits = [part for edit in changes(words, others) for part in _parts(edit, words, others)]
        if not edits:
            break
        is_edited = [np.zeros(len(places), np.bool_) for places in moved]
        for start, end, right_start, right_end in edits:
            is_edited[0][rest[0][start:end]] = True
            is_edited[1][rest[1][right_start:right_end]] = True
        numbers = numbered_runs(left, right, RUN)
        found = [_moved_words(numbers, is_edited, side, takes_whole=takes_whole) for side in (0, 1)]
        if not any(len(places) for places, _ in found):
            break
        for copies, (places, there) in zip(moved, found, strict=True):
            copies[places] = there
    if all((places < 0).all() for places in moved):
        return edits, []
    apart = list[_Change]()
    for edit in edits:
        sides, ends = [], []
        for copies, places, start, end in zip(moved, rest, edit[::2], edit[1::2], strict=True):
            inside = places[start:end]
            inside = inside[copies[inside] < 0]
            sides.append([run[:2] for run in _runs(inside, inside)])
            ends.append(int(places[start - 1]) + 1 if start else 0)
        for ranges in zip_longest(*sides):
            bounds = [run or (end, end) for run, end in zip(ranges, ends, strict=True)]
            ends = [end for _, end in bounds]
            apart.append((*bounds[0], *bounds[1]))
    own, other = (np.flatnonzero(places >= 0) for places in moved)
    copies, first = np.unique(moved[0][own], return_index=True)
    pairs = np.sort(own[first[moved[1][copies] >= 0]])
    own, other = np.setdiff1d(own, pairs), np.setdiff1d(other, moved[0][pairs])
    moves = _runs(pairs, moved[0][pairs])
    moves += [(start, end, at, at) for start, end, at, _ in _runs(own, moved[0][own])]
    moves += [(at, at, start, end) for at, _, start, end in _runs(moved[1][other], other)]
    return apart, moves


def _runs(left: Places, right: Places) -> list[_Change]:
    """Places on both sides as runs of both."""
    cuts = np.flatnonzero((np.diff(left) != 1) | (np.diff(right) != 1)) + 1
    runs = zip(np.split(left, cuts), np.split(right, cuts), strict=True)
    return [
        (int(own[0]), int(own[-1]) + 1, int(other[0]), int(other[-1]) + 1)
        for own, other in runs
        if len(own)
    ]


def _moved_words(
    numbers: Sequence[Places], is_edited: Sequence[Flags], side: int, *, takes_whole: bool
) -> tuple[Places, Places]:
    """The edited words of a side that stand in runs of both, and the places of these on the other.

    A run stands at one distance from its copy on the other side: the first one that is edited
    there, or else the first. With `takes_whole`, of runs of which most words are edited all words.
    """
    own, other = numbers[side], numbers[1 - side]
    copies = np.full(1 + max(own.max(initial=0), other.max(initial=0)), -1)
    for places in (np.arange(len(other)), np.flatnonzero(is_edited[1 - side][: len(other)])):
        copies[other[places[::-1]]] = places[::-1]
    starts = np.where(copies[own] >= 0, np.arange(len(own)), -RUN)
    starts = np.maximum.accumulate(np.append(starts, np.full(RUN - 1, -RUN)))
    words = np.flatnonzero(starts > np.arange(-RUN, len(starts) - RUN))
    starts = starts[words]
    there = words + copies[own[starts]] - starts
    runs = np.cumsum(np.diff(words, prepend=-2) * np.diff(there, prepend=-2) != 1)
    is_chosen = is_edited[side][words]
    if takes_whole and len(words):
        is_chosen |= (2 * np.bincount(runs, is_chosen) > np.bincount(runs))[runs]
    return words[is_chosen], there[is_chosen]


def are_in_order(left: Words, right: Words, common: int) -> bool:
    """Whether at least two thirds of the `common` terms are in the same order on both sides.

    The longest common subsequence decides. On sides of more than some hundred thousand terms, only
    terms that occur once on each side count.
    """
    if len(left) * len(right) <= _MOST_COUNTED:
        from rapidfuzz.distance import LCSseq

        return 3 * LCSseq.similarity(left.tolist(), right.tolist()) >= 2 * common
    _, there = _once_in_both(left, right)
    return 3 * len(rising(there.tolist())) >= 2 * len(there)


def _words(worded: DocumentWords, span: Span) -> tuple[int, Words]:
    """The place of the first word in a span, and the words there."""
    first = int(np.searchsorted(worded.starts, span.start))
    last = int(np.searchsorted(worded.ends, span.end, "right"))
    return first, worded.words[first:last]


def _span(worded: DocumentWords, first: int, last: int, whole: Span) -> Span:
    """The span of the words; an empty one is at the end of the word before, or at the start."""
    if first < last:
        return Span(int(worded.starts[first]), int(worded.ends[last - 1]))
    place = int(worded.ends[first - 1]) if first else 0
    place = max(place, whole.start)
    return Span(place, place)


def changes(left: Words, right: Words) -> list[_Change]:
    """The runs that differ, each followed by an equal word or the end.

    They insert, delete or replace the least number of words (Levenshtein distance) where neither
    side is long.

    >>> changes(np.array([1, 2, 3], np.uint32), np.array([1, 4, 3], np.uint32))
    [(1, 2, 1, 2)]
    """
    from rapidfuzz.distance import Levenshtein

    bounds = [(-1, -1), (len(left), len(right))]
    if len(left) * len(right) > _MOST_WORK:  # anchors lie between the pieces
        places, there = _once_in_both(left, right)
        chosen = rising(there.tolist())
        bounds[1:1] = zip(places[chosen].tolist(), there[chosen].tolist(), strict=True)
    found = list[_Change]()
    for (before, right_before), (end, right_end) in pairwise(bounds):
        start, right_start = before + 1, right_before + 1
        words, others = left[start:end], right[right_start:right_end]
        if len(words) * len(others) > _MOST_WORK:
            found.append((start, end, right_start, right_end))
        else:
            codes = Levenshtein.opcodes(words.tolist(), others.tolist())
            found += _joined(codes, start, right_start)
    return found


def _joined(codes: Iterable[Opcode], at: int, there: int) -> list[_Change]:
    """Operations as changes of words, from these places on; adjacent ones are one."""
    joined = list[_Change]()
    for code in codes:
        if code.tag == "equal":
            continue
        start, end = at + code.src_start, at + code.src_end
        right_start, right_end = there + code.dest_start, there + code.dest_end
        if joined and joined[-1][1::2] == (start, right_start):
            start, _, right_start, _ = joined.pop()
        joined.append((start, end, right_start, right_end))
    return joined


def equal_places(left: Words, right: Words) -> tuple[Places, Places]:
    """The places of the words that are equal in the alignment with the least edits.

    >>> equal_places(np.array([1, 2, 3], np.uint32), np.array([1, 3], np.uint32))
    (array([0, 2]), array([0, 1]))
    """
    edits = np.array(changes(left, right), np.int64).reshape(-1, 4)
    sides = []
    for side, first in ((left, 0), (right, 2)):
        steps = np.zeros(len(side) + 1, np.int64)
        np.add.at(steps, edits[:, first], 1)
        np.add.at(steps, edits[:, first + 1], -1)
        sides.append(np.flatnonzero(np.cumsum(steps[:-1]) == 0))
    return sides[0], sides[1]


def _parts(change: _Change, left: Words, right: Words) -> list[_Change]:
    """The change, or its parts between equal words if these have no more edits."""
    start, end, right_start, right_end = change
    words, others = left[start:end].tolist(), right[right_start:right_end].tolist()
    if len(words) * len(others) > _MOST_WORK or set(words).isdisjoint(others):
        return [change]
    from rapidfuzz.distance import LCSseq

    codes = LCSseq.opcodes(words, others)
    parts = _joined(codes, start, right_start)
    edits = sum(max(last - first, there - then) for first, last, then, there in parts)
    return parts if edits == max(len(words), len(others)) else [change]


def _once_in_both(left: Words, right: Words) -> tuple[Places, Places]:
    """The places of words that occur once on each side, in the order of the left."""
    sides = []
    for words in (left, right):
        known, places, counts = np.unique(words, return_index=True, return_counts=True)
        sides.append((known[counts == 1], places[counts == 1]))
    _, left_indices, right_indices = np.intersect1d(sides[0][0], sides[1][0], return_indices=True)
    places, there = sides[0][1][left_indices], sides[1][1][right_indices]
    order = np.argsort(places)
    return places[order], there[order]


def extended(left: DocumentWords, right: DocumentWords, box: WordBox) -> WordBox:
    """The box, extended on both sides as long as the words around it are equal."""
    first, last, right_first, right_last = box
    before = equal_ahead(left.words[:first][::-1], right.words[:right_first][::-1])
    behind = equal_ahead(left.words[last:], right.words[right_last:])
    return first - before, last + behind, right_first - before, right_last + behind


def cut_to_equal_words(
    left: DocumentWords, right: DocumentWords, box: WordBox, shortest: int = 15
) -> list[WordBox]:
    """The box, cut so that both sides begin and end with equal words.

    In the alignment with the least edits, an equal word counts 1, and a word that is replaced,
    deleted or inserted counts less than 0: the less, the more words are equal (the log-likelihood
    ratio of a changed word in the passage and in unrelated text). The part with the greatest sum
    stays. Where fewer than four fifths of the common words are aligned, such as after sentences
    were reordered, each side is cut to where it begins and ends with words of the other.

    What is cut off on one side may be a further copy of the other side: of at least twice
    `shortest` words, three of four equal. It becomes a box of its own; only once, so that text that
    one side has many times gives few boxes.

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> def row(text):
    ...     return [(word, 2 * place, 2 * place + 1) for place, word in enumerate(text)]
    >>> placed = WordOffsets.of([row("abcdefghijkl"), row("xyzabcdefghi")])
    >>> cut_to_equal_words(placed.document(0), placed.document(1), (0, 12, 1, 12))
    [(0, 9, 3, 12)]
    """
    words, right_words = left.words[box[0] : box[1]], right.words[box[2] : box[3]]
    if np.array_equal(words, right_words):
        return [box]
    alignment = _WordAlignment.of(words, right_words)
    if alignment.is_in_order(words, right_words):
        main = extended(left, right, _within(box, alignment.best()))
    else:
        main = _within(box, _between_common_words(words, right_words))
    first, last, right_first, right_last = main
    rest = [(box[0], first, *main[2:]), (last, box[1], *main[2:])]
    rest += [(*main[:2], box[2], right_first), (*main[:2], right_last, box[3])]
    least = 2 * shortest
    long = (piece for piece in rest if min(piece[1] - piece[0], piece[3] - piece[2]) >= least)
    return [main, *(copy for piece in long if (copy := _copy_in(left, right, piece, least)))]


def are_aligned(left: Words, right: Words) -> bool:
    """Whether four fifths of the words that both sides have are equal in their alignment."""
    return _WordAlignment.of(left, right).is_in_order(left, right)


def _between_common_words(left: Words, right: Words) -> WordBox:
    """The part of both sides that begins and ends with words that the other part has, too."""
    box: WordBox = 0, len(left), 0, len(right)
    while True:
        sides = left[box[0] : box[1]], right[box[2] : box[3]]
        places = [np.flatnonzero(are_in(*pair)).tolist() for pair in (sides, sides[::-1])]
        if not all(places):
            return 0, len(left), 0, len(right)
        (first, *_, last), (right_first, *_, right_last) = (2 * row for row in places)
        inner = box[0] + first, box[0] + last + 1, box[2] + right_first, box[2] + right_last + 1
        if inner == box:
            return box
        box = inner


def _copy_in(left: DocumentWords, right: DocumentWords, box: WordBox, least: int) -> WordBox | None:
    """The part of the box that has at least so many words, three of four equal; else None."""
    words, right_words = left.words[box[0] : box[1]], right.words[box[2] : box[3]]
    alignment = _WordAlignment.of(words, right_words)
    best = alignment.best()
    lengths = best[1] - best[0], best[3] - best[2]
    if min(lengths) < least or 4 * alignment.equal_within(best) < 3 * max(lengths):
        return None
    # All of the longer side, if three of four of its words are in the part, too: a repetition.
    is_left = len(words) > len(right_words)
    whole = (0, len(words), *best[2:]) if is_left else (*best[:2], 0, len(right_words))
    sides = words[whole[0] : whole[1]], right_words[whole[2] : whole[3]]
    longer, shorter = sides if is_left else sides[::-1]
    if 4 * int(np.count_nonzero(are_in(longer, shorter))) >= 3 * len(longer):
        whole = _within(whole, _between_common_words(*sides))
    else:
        whole = best
    if max(whole[1] - whole[0], whole[3] - whole[2]) >= max(lengths) + least:
        best = whole
    return _within(box, best)


def _within(box: WordBox, part: WordBox) -> WordBox:
    """The places in the documents of a part of the box."""
    return box[0] + part[0], box[0] + part[1], box[2] + part[2], box[2] + part[3]


@dataclass(frozen=True, eq=False)
class _WordAlignment:
    """Two sides of words, cut into runs: equal, changed, equal, changed, …, equal.

    Run i covers the words from `bounds[i]` to `bounds[i + 1]`, on the left and on the right; the
    first and the last run may be empty. A changed run is as long as its longer side.
    """

    bounds: Places
    lengths: Places

    @classmethod
    def of(cls, left: Words, right: Words) -> _WordAlignment:
        edits = np.array(changes(left, right), np.int64).reshape(-1, 2, 2)
        inner = edits.transpose(0, 2, 1).reshape(-1, 2)  # the start and the end of each edit
        bounds = np.concatenate(([[0, 0]], inner, [[len(left), len(right)]]))
        return cls(bounds, np.diff(bounds, axis=0).max(axis=1))

    def is_in_order(self, left: Words, right: Words) -> bool:
        """Whether at least four fifths of the words that both sides have are aligned."""
        equal = int(self.lengths[::2].sum())
        if 5 * equal >= 4 * min(len(left), len(right)):  # more cannot be common
            return True
        return 5 * equal >= 4 * common_words(left, right)

    def best(self) -> WordBox:
        """The runs with the greatest sum, from their first word to the last; all if none is equal.

        The places count from the first word of each side. What a changed word weighs against an
        equal one follows from the share of equal words.
        """
        start, end = 0, len(self.lengths)
        for _ in range(_ROUNDS):
            equal = int(self.lengths[start + start % 2 : end : 2].sum())
            share, ratio = (equal + 1) / (int(self.lengths[start:end].sum()) + 2), _LEAST
            if share > _BY_CHANCE:
                ratio = log((1 - _BY_CHANCE) / (1 - share)) / log(share / _BY_CHANCE)
            weights = _UNIT * self.lengths
            weights[1::2] = -round(_UNIT * min(_MOST, max(_LEAST, ratio))) * self.lengths[1::2]
            best = best_run(weights)
            if best == (0, 0):
                break
            start, end = best
        (first, right_first), (last, right_last) = self.bounds[[start, end]].tolist()
        return first, last, right_first, right_last

    def equal_within(self, part: WordBox) -> int:
        """The number of equal words in a part that begins and ends with runs."""
        starts, ends = self.bounds[:-1:2, 0], self.bounds[1::2, 0]
        inside = (starts >= part[0]) & (ends <= part[1])
        return int(self.lengths[::2][inside].sum())
