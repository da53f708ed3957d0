"""Gaps of a passage: runs of words on one side that correspond to nothing on the other.

A passage may hold text of its own, such as a sentence that was inserted. Up to fifteen words are a
change to the passage, as tools that join matches over a gap allow; in a longer run they are not
what the documents share, and do not count in shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import best_run
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Span
from sdtext.parts.aligners.passage_edits import equal_places
from sdtext.reuse.verbatim import verbatim_words

LONGEST_CHANGE = 15
"""Words that may differ in a row; a longer run is a gap."""

_CORRESPONDING = 4  # words by chance in a run of as many more than the longest change

_AT_ENDS = 2  # words of a gap that outweigh one at its ends that corresponds

Flags = NDArray[np.bool_]
Range = tuple[int, int]


def with_gaps(
    passages: Iterable[Passage], left: DocumentWords, right: DocumentWords
) -> list[Passage]:
    """The passages, each with the gaps of both sides, as spans of whole words."""
    return [_with_gaps(passage, left, right) for passage in passages]


def _with_gaps(passage: Passage, left: DocumentWords, right: DocumentWords) -> Passage:
    sides = (
        left.between(passage.left.start, passage.left.end),
        right.between(passage.right.start, passage.right.end),
    )
    longer = max(len(side.words) for side in sides)
    verbatim = passage.verbatim or 0
    if longer * (100 - verbatim) <= 100 * LONGEST_CHANGE:
        return passage
    ranges = gaps_between(*sides)
    if not any(ranges):
        return passage
    spans = (tuple(_spans(*side)) for side in zip(sides, ranges, strict=True))
    return replace(passage, gaps=(next(spans), next(spans)))


def _spans(worded: DocumentWords, ranges: Sequence[Range]) -> Iterator[Span]:
    for first, last in ranges:
        yield Span(int(worded.starts[first]), int(worded.ends[last - 1]))


def gaps_between(left: DocumentWords, right: DocumentWords) -> tuple[list[Range], list[Range]]:
    """The gaps of two sides, as ranges of words.

    Words correspond if they are equal in the alignment with the least edits, or in a run of five
    that both sides have. A gap is a run of words, of twenty of which in a row at most four
    correspond; at its ends, one that corresponds must have more than two in the gap beside it. It
    is none where at least half of its terms do, or stand among the other words of the
    other side, as where sentences were moved and reworded.

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> def row(text):
    ...     return [(word, 2 * place, 2 * place + 1) for place, word in enumerate(text)]
    >>> placed = WordOffsets.of([row("abcdefgh"), row("abcdABCDEFGHIJKLMNOPefgh")])
    >>> gaps_between(placed.document(0), placed.document(1))
    ([], [(4, 20)])
    """
    sides = left, right
    corresponding = verbatim_words(left.words, right.words)
    if not any(_runs(side) for side in corresponding):
        return [], []
    for side, places in zip(corresponding, equal_places(left.words, right.words), strict=True):
        side[places] = True
    rest = [
        set(side.words[~flags].tolist()) for side, flags in zip(sides, corresponding, strict=True)
    ]
    gaps = [
        [
            run
            for run in _runs(flags)
            if not _is_reworded(side.taken(*run), flags[slice(*run)], there)
        ]
        for side, flags, there in zip(sides, corresponding, reversed(rest), strict=True)
    ]
    return gaps[0], gaps[1]


def _runs(corresponds: Flags) -> list[Range]:
    """Runs in which too few words correspond, without such words at their ends."""
    width = LONGEST_CHANGE + 1 + _CORRESPONDING
    if len(corresponds) < width:
        return []
    before = np.append(0, np.cumsum(corresponds))
    starts = np.flatnonzero(before[width:] - before[:-width] <= _CORRESPONDING)
    changes = np.zeros(len(corresponds) + 1, np.int64)
    np.add.at(changes, starts, 1)
    np.add.at(changes, starts + width, -1)
    bounds = np.flatnonzero(np.diff(np.cumsum(changes) > 0, prepend=False)).reshape(-1, 2)
    runs = []
    for start, end in bounds.tolist():
        first, last = best_run(np.where(corresponds[start:end], -_AT_ENDS, 1))
        runs.append((start + first, start + last))
    return [run for run in runs if run[1] - run[0] > LONGEST_CHANGE]


def _is_reworded(run: DocumentWords, corresponds: Flags, rest: set[int]) -> bool:
    """Whether at least half of the terms of a run correspond, or are among other words."""
    flags = corresponds[run.is_term].tolist()
    common = sum(flag or term in rest for term, flag in zip(run.terms.tolist(), flags, strict=True))
    return bool(flags) and 2 * common >= len(flags)
