"""Edits between the sides of a passage, by words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import rising
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Edit, Passage, Span

if TYPE_CHECKING:
    from rapidfuzz.distance import Opcode

Words = NDArray[np.uint32]
Places = NDArray[np.int64]

_MOST_WORK = 10**8  # the words of one side times those of the other: some hundredths of a second
_MOST_COUNTED = 10**10  # the same where nothing but a number is asked for
_Change = tuple[int, int, int, int]  # from which word to which on the left and on the right


def edits_in(passage: Passage, left: DocumentWords, right: DocumentWords) -> tuple[Edit, ...]:
    """The edits between the sides of a passage, in order, as offsets in `Document.text`.

    They insert, delete or replace the least number of words (Levenshtein distance). Of the ways to
    do so, one is taken that keeps words that both sides have. Adjacent edits are one. Sides of more
    than some ten thousand words are first cut at anchors, words that occur once on each side, in
    the same order; a long piece without anchors is one edit.

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> from sdtext.model import Similarity
    >>> placed = WordOffsets.of([[("a", 0, 1), ("b", 2, 3)], [("a", 0, 1), ("x", 2, 3)]])
    >>> passage = Passage(Span(0, 3), Span(0, 3), Similarity(1, 2))
    >>> edits_in(passage, placed.document(0), placed.document(1))[0].left
    Span(start=2, end=3, title='')
    """
    first, words = _words(left, passage.left)
    right_first, right_words = _words(right, passage.right)
    edits = list[Edit]()
    parts = (_parts(change, words, right_words) for change in changes(words, right_words))
    for start, end, right_start, right_end in chain.from_iterable(parts):
        kind = "insert" if start == end else "delete" if right_start == right_end else "replace"
        left_span = _span(left, first + start, first + end, passage.left)
        right_span = _span(right, right_first + right_start, right_first + right_end, passage.right)
        edits.append(Edit(kind, left_span, right_span))
    return tuple(edits)


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
    return _joined(_all_changes(left, right))


def _joined(changes: Iterable[_Change]) -> list[_Change]:
    """The changes, adjacent ones as one."""
    joined = list[_Change]()
    for change in changes:
        if joined and joined[-1][1::2] == change[0::2]:
            start, _, right_start, _ = joined.pop()
            change = start, change[1], right_start, change[3]  # noqa: PLW2901 (the joined one)
        joined.append(change)
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
    parts = _joined(_shifted(code, start, right_start) for code in codes if code.tag != "equal")
    edits = sum(max(last - first, there - then) for first, last, then, there in parts)
    return parts if edits == max(len(words), len(others)) else [change]


def _shifted(code: Opcode, at: int, there: int) -> _Change:
    """An operation as a change of words, from these places on."""
    return at + code.src_start, at + code.src_end, there + code.dest_start, there + code.dest_end


def _all_changes(left: Words, right: Words) -> Iterator[_Change]:
    from rapidfuzz.distance import Levenshtein

    for start, end, right_start, right_end in _pieces(left, right):
        left_words, right_words = left[start:end], right[right_start:right_end]
        if len(left_words) * len(right_words) > _MOST_WORK:
            yield start, end, right_start, right_end
            continue
        for code in Levenshtein.opcodes(left_words.tolist(), right_words.tolist()):
            if code.tag != "equal":
                yield _shifted(code, start, right_start)


def _pieces(left: Words, right: Words) -> Iterator[_Change]:
    """Pieces that contain all differences: one, or those between anchors."""
    if len(left) * len(right) <= _MOST_WORK:
        yield 0, len(left), 0, len(right)
        return
    places, there = _once_in_both(left, right)
    chosen = rising(there.tolist())
    anchors = zip(places[chosen].tolist(), there[chosen].tolist(), strict=True)
    bounds = [(-1, -1), *anchors, (len(left), len(right))]
    for (start, right_start), (end, right_end) in pairwise(bounds):
        yield start + 1, end, right_start + 1, right_end


def _once_in_both(left: Words, right: Words) -> tuple[Places, Places]:
    """The places of words that occur once on each side, in the order of the left."""
    sides = [_once(side) for side in (left, right)]
    _, left_indices, right_indices = np.intersect1d(sides[0][0], sides[1][0], return_indices=True)
    places, there = sides[0][1][left_indices], sides[1][1][right_indices]
    order = np.argsort(places)
    return places[order], there[order]


def _once(words: Words) -> tuple[Words, Places]:
    """The words that occur once, and their places."""
    known, places, counts = np.unique(words, return_index=True, return_counts=True)
    return known[counts == 1], places[counts == 1]
