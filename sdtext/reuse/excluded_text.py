"""Text that does not count: quotations, reference lists, the text of templates, boilerplate.

Passages are cut where such text begins or ends, on either side, and marked as excluded. A passage
that joins excluded text and other text becomes several: each is all excluded or not at all. What
follows is that of any passage: each piece begins and ends with words that correspond, is scored
anew, and is left out if it is too short.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Span
from sdtext.parts.aligners.word_alignment import are_aligned, equal_places
from sdtext.reuse.coverage import words_in
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import WindowFinder

PassageFinder = WindowFinder | SentenceFinder
"""The two methods that find passages; both have the same members."""

Exclusions = Sequence[tuple[str, Span]]
"""Spans of a document in which text does not count, each with the reason in a word."""
LONGEST_INSIDE = 15
"""Words; excluded text of so many within a passage, such as a quoted phrase, does not cut it."""

_MOST_PARTS = 256  # of a passage whose words are in another order on each side

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]
Sides = tuple[DocumentWords, DocumentWords]


def mark_excluded(
    passages: Iterable[Passage],
    exclusions: tuple[Exclusions, Exclusions],
    words: tuple[DocumentWords, DocumentWords],
) -> list[Passage]:
    """The passages, with the reason in `excluded` for each that does not count.

    A passage does not count if more than half of its words, on the left or on the right, begin in
    spans of one reason. The reason with the largest share wins; of equal ones the first of the left
    document, then of the right one. A passage that is already excluded stays as it is. `exclusions`
    and `words` are those of the left and the right document.
    """
    left, right = (_ExcludedWords(*side) for side in zip(exclusions, words, strict=True))
    return [
        passage if passage.excluded else replace(passage, excluded=_reason(passage, left, right))
        for passage in passages
    ]


def spans_of(exclusions: Exclusions) -> list[Span]:
    """The spans without their reasons."""
    return [span for _, span in exclusions]


def _reason(passage: Passage, left: _ExcludedWords, right: _ExcludedWords) -> str:
    counts = [*left.counts(passage.left), *right.counts(passage.right)]
    top, bottom, reason = 0, 1, ""
    for excluded, words, why in counts:
        if 2 * excluded > words and excluded * bottom > top * words:
            top, bottom, reason = excluded, words, why
    return reason


class _ExcludedWords:
    """Counts the words of any span of a document that begin in the excluded spans of a reason."""

    def __init__(self, exclusions: Exclusions, worded: DocumentWords) -> None:
        spans: dict[str, list[Span]] = {}
        for reason, span in exclusions:
            spans.setdefault(reason, []).append(span)
        self._starts = worded.starts
        self._before: Mapping[str, NDArray[np.int64]] = {
            reason: np.append(0, np.cumsum(words_in(worded.starts, own)))
            for reason, own in spans.items()
        }

    def counts(self, span: Span) -> list[tuple[int, int, str]]:
        """For each reason: excluded words of the span, all words of the span, the reason."""
        first, last = np.searchsorted(self._starts, (span.start, span.end)).tolist()
        return [
            (int(before[last] - before[first]), last - first, reason)
            for reason, before in self._before.items()
        ]


def cut_at_excluded(
    passages: Iterable[Passage],
    excluded: tuple[Sequence[Span], Sequence[Span]],
    words: Sides,
    finder: PassageFinder,
) -> list[Passage]:
    """The passages, in order, each cut at the borders of excluded spans within it.

    Excluded text of at most 15 words cuts a passage only at its ends. `excluded` and `words` are
    those of the left and the right document; `finder` aligns the pieces, excluded ones as it does
    templates.
    """
    marks = tuple(
        words_in(worded.starts, spans) for worded, spans in zip(words, excluded, strict=True)
    )
    if not any(mark.any() for mark in marks):
        return list(passages)
    pieces = {
        piece: None for passage in passages for piece in _pieces(passage, words, marks, finder)
    }
    return sorted(pieces, key=passage_places)


def passage_places(passage: Passage) -> tuple[int, int, int, int]:
    """The offsets of both sides, by which passages are ordered."""
    left, right = passage.left, passage.right
    return left.start, left.end, right.start, right.end


def _pieces(
    passage: Passage, words: Sides, marks: tuple[Flags, ...], finder: PassageFinder
) -> Sequence[Passage]:
    spans = passage.left, passage.right
    sides = [_Side.of(*side) for side in zip(words, spans, marks, strict=True)]
    left, right = sides
    cuts = len(left.cuts), len(right.cuts)
    if not any(cuts):
        return [passage]
    if are_aligned(left.words.words, right.words.words):
        parts = _parts_in_order(left, right)
    elif (cuts[0] + 1) * (cuts[1] + 1) > _MOST_PARTS:
        return [passage]
    else:
        parts = _all_parts(left, right)
    for_excluded = finder.for_templates
    return [
        piece
        for part in parts
        for piece in (for_excluded if part.is_excluded else finder).realigned(
            passage, part.boxes, part.words
        )
    ]


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of a passage: its words, which of them are excluded, and where it is cut."""

    words: DocumentWords
    is_excluded: Flags
    cuts: Places

    @classmethod
    def of(cls, worded: DocumentWords, span: Span, is_excluded: Flags) -> _Side:
        first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
        inside = is_excluded[first:last]
        return cls(worded.taken(first, last), inside, _cuts(inside))

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """The ranges of words between cuts."""
        return list(pairwise([0, *self.cuts.tolist(), len(self.is_excluded)]))

    def is_out(self, first: int, last: int) -> bool:
        """Whether most of the words of a range are excluded."""
        return 2 * int(self.is_excluded[first:last].sum()) > last - first


def _cuts(is_excluded: Flags) -> Places:
    """Where excluded words begin or end, but for short runs of them within the passage."""
    changes = np.flatnonzero(is_excluded[1:] != is_excluded[:-1]) + 1
    bounds = np.concatenate(([0], changes, [len(is_excluded)]))
    stays = is_excluded[bounds[:-1]] & (np.diff(bounds) <= LONGEST_INSIDE)
    stays[[0, -1]] = False
    return changes[~(stays[1:] | stays[:-1])]


@dataclass(frozen=True, eq=False)
class _PassagePiece:
    """A part of a passage: the words of both sides, and boxes of their terms that correspond."""

    words: Sides
    boxes: Places
    is_excluded: bool

    @classmethod
    def of(cls, sides: tuple[_Side, _Side], ranges: Sequence[tuple[int, int]]) -> _PassagePiece:
        """The words in a range of each side, as one box."""
        pairs = list(zip(sides, ranges, strict=True))
        left, right = (side.words.taken(*inside) for side, inside in pairs)
        box = np.array([[0, left.is_term.sum(), 0, right.is_term.sum()]], np.int64)
        return cls((left, right), box, any(side.is_out(*inside) for side, inside in pairs))

    def with_runs(self, places: Places, there: Places) -> _PassagePiece:
        """The same with a box for each run of aligned words, but for those without terms."""
        is_new = (np.diff(places) != 1) | (np.diff(there) != 1)
        starts = np.append(0, np.flatnonzero(is_new) + 1)
        ends = np.append(starts[1:], len(places)) - 1
        columns = []
        for at, worded in zip((places, there), self.words, strict=True):
            before = np.append(0, np.cumsum(worded.is_term))
            columns += [before[at[starts]], before[at[ends] + 1]]
        boxes = np.stack(columns, axis=1).astype(np.int64)
        return replace(self, boxes=boxes[boxes[:, 0] < boxes[:, 1]])


def _parts_in_order(left: _Side, right: _Side) -> Iterator[_PassagePiece]:
    """The words that are aligned, between cuts of either side."""
    places, there = equal_places(left.words.words, right.words.words)
    numbers = np.searchsorted(left.cuts, places, "right")
    other_numbers = np.searchsorted(right.cuts, there, "right")
    is_new = (np.diff(numbers) != 0) | (np.diff(other_numbers) != 0)
    for start, end in pairwise([0, *(np.flatnonzero(is_new) + 1).tolist(), len(places)]):
        if start < end:
            own, other = places[start:end], there[start:end]
            ranges = [(int(row[0]), int(row[-1]) + 1) for row in (own, other)]
            yield _PassagePiece.of((left, right), ranges).with_runs(own - own[0], other - other[0])


def _all_parts(left: _Side, right: _Side) -> Iterator[_PassagePiece]:
    """What is between cuts of the left, each with all of the right: the order is another there."""
    for own in left.ranges:
        for other in right.ranges:
            yield _PassagePiece.of((left, right), [own, other])
