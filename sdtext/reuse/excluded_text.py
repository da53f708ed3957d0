"""Text that does not count: quotations, reference lists, the text of templates, boilerplate.

Passages are cut where such text begins or ends, on either side, and marked as excluded. A passage
that joins excluded text and other text becomes several: each is all excluded or not at all. What
follows is that of any passage: each piece begins and ends with words that correspond, is scored
anew, and is left out if it is too short. Short text between excluded text that is the same on both
sides, such as what was filled in, is left out only where all pieces together are too short.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span
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
Range = tuple[int, int]


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
    before = []  # for each side and reason, how many excluded words stand before each word
    for own, worded in zip(exclusions, words, strict=True):
        spans: dict[str, list[Span]] = {}
        for reason, span in own:
            spans.setdefault(reason, []).append(span)
        marked = {reason: words_in(worded.starts, some) for reason, some in spans.items()}
        before.append({why: np.append(0, np.cumsum(flags)) for why, flags in marked.items()})

    def reason_of(passage: Passage) -> str:
        top, best = 0.5, ""
        for span, worded, sums in zip((passage.left, passage.right), words, before, strict=True):
            first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
            for reason, row in sums.items():
                share = (row[last] - row[first]) / max(1, last - first)
                top, best = (share, reason) if share > top else (top, best)
        return best

    return [
        passage if passage.excluded else replace(passage, excluded=reason_of(passage))
        for passage in passages
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
    sides, is_excluded, cuts = [], [], []
    for worded, span, flags in zip(words, (passage.left, passage.right), marks, strict=True):
        first, last = np.searchsorted(worded.starts, (span.start, span.end)).tolist()
        sides.append(worded[first:last])
        is_excluded.append(flags[first:last])
        cuts.append(_cuts(flags[first:last]))
    if not len(cuts[0]) + len(cuts[1]):
        return [passage]
    parts: Iterable[tuple[Sequence[Range], Places | None]]
    if are_aligned(sides[0].words, sides[1].words):
        parts = _aligned_parts(sides, cuts)
    elif (len(cuts[0]) + 1) * (len(cuts[1]) + 1) > _MOST_PARTS:
        return [passage]
    else:  # what is between cuts of the left, with all of the right: the order is another there
        bounds = (
            pairwise([0, *own.tolist(), len(side.words)])
            for own, side in zip(cuts, sides, strict=True)
        )
        parts = ((ranges, None) for ranges in product(*bounds))
    pieces: list[Passage] = []
    short: list[Passage] = []
    bounds_of_parts = [
        {0, *own.tolist(), len(side.words)} for own, side in zip(cuts, sides, strict=True)
    ]
    number = 0  # of words in the pieces that count
    for ranges, runs in parts:
        left, right = (side[slice(*own)] for side, own in zip(sides, ranges, strict=True))
        whole = np.array([[0, left.is_term.sum(), 0, right.is_term.sum()]], np.int64)
        is_out = any(
            2 * int(flags[first:last].sum()) > last - first
            for flags, (first, last) in zip(is_excluded, ranges, strict=True)
        )
        aligner = finder.for_templates if is_out else finder
        found = aligner.realigned(passage, whole if runs is None else runs, (left, right))
        pieces += found
        if is_out:
            continue
        if not found:
            is_part = all(own >= {*pair} for own, pair in zip(bounds_of_parts, ranges, strict=True))
            if not is_part or not np.array_equal(left.words, right.words):
                continue
            own, other = (Span(int(it.starts[0]), int(it.ends[-1])) for it in (left, right))
            terms = min(passage.common, len(left.terms))
            short.append(Passage(own, other, Similarity(1, 1), terms, (terms, terms)))
        number += len(left.words)
    return pieces + short if number > LONGEST_INSIDE else pieces


def _cuts(is_excluded: Flags) -> Places:
    """Where excluded words begin or end, but for short runs of them within the passage."""
    changes = np.flatnonzero(is_excluded[1:] != is_excluded[:-1]) + 1
    bounds = np.concatenate(([0], changes, [len(is_excluded)]))
    stays = is_excluded[bounds[:-1]] & (np.diff(bounds) <= LONGEST_INSIDE)
    stays[[0, -1]] = False
    return changes[~(stays[1:] | stays[:-1])]


def _aligned_parts(
    sides: Sequence[DocumentWords], cuts: Sequence[Places]
) -> Iterator[tuple[Sequence[Range], Places]]:
    """The ranges of aligned words between cuts of either side, with a box of terms for each run."""
    aligned = equal_places(sides[0].words, sides[1].words)
    if not len(aligned[0]):
        return
    numbers = [np.searchsorted(own, row, "right") for own, row in zip(cuts, aligned, strict=True)]
    for start, end in pairwise(_bounds_of_runs(*(np.diff(row) != 0 for row in numbers))):
        places = [row[start:end] for row in aligned]
        bounds = _bounds_of_runs(*(np.diff(row) != 1 for row in places))
        columns = []
        for row, side in zip(places, sides, strict=True):
            before = np.append(0, np.cumsum(side.is_term[row[0] : row[-1] + 1]))
            columns += [before[row[bounds[:-1]] - row[0]], before[row[bounds[1:] - 1] - row[0] + 1]]
        boxes = np.stack(columns, axis=1).astype(np.int64)
        ranges = [(int(row[0]), int(row[-1]) + 1) for row in places]
        yield ranges, boxes[boxes[:, 0] < boxes[:, 1]]


def _bounds_of_runs(left: Flags, right: Flags) -> Places:
    """The bounds of runs of aligned words, of which a new one begins behind a flag of either side.

    >>> _bounds_of_runs(np.array([False, True]), np.array([False, False])).tolist()
    [0, 2, 3]
    """
    return np.concatenate(([0], np.flatnonzero(left | right) + 1, [len(left) + 1]))
