"""How much of a passage is verbatim, and its gaps.

Verbatim are the words in runs that both sides have. The share tells cut-and-paste from revision: a
copy scores 99, a text that was rewritten word by word scores 0, whatever the share of words that
its passages have in common.

Gaps are runs of words on one side that correspond to nothing on the other. A passage may hold text
of its own, such as a sentence that was inserted. Up to fifteen words are a change to the passage,
as tools that join matches over a gap allow; in a longer run they are not what the documents share,
and do not count in shares.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import best_run
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span
from sdtext.parts.aligners.word_alignment import equal_places

Words = NDArray[np.uint32]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

RUN = 5
"""The number of words in a row that count as verbatim."""
LONGEST_CHANGE = 15
"""Words that may differ in a row; a longer run is a gap."""

_CORRESPONDING = 4  # words by chance in a run of as many more than the longest change

_AT_ENDS = 2  # words of a gap that outweigh one at its ends that corresponds

Range = tuple[int, int]


def with_verbatim_and_gaps(passage: Passage, left: DocumentWords, right: DocumentWords) -> Passage:
    """The passage with its verbatim score, and the gaps of both sides as spans of whole words."""
    sides = (
        left.between(passage.left.start, passage.left.end),
        right.between(passage.right.start, passage.right.end),
    )
    verbatim = verbatim_score(sides[0].words, sides[1].words)
    passage = replace(passage, verbatim=verbatim)
    longer = max(len(side.words) for side in sides)
    if longer * (100 - verbatim) <= 100 * LONGEST_CHANGE:
        return passage
    ranges = gaps_between(*sides)
    if not any(ranges):
        return passage
    gaps = [
        tuple(Span(int(side.starts[first]), int(side.ends[last - 1])) for first, last in own)
        for side, own in zip(sides, ranges, strict=True)
    ]
    return replace(passage, gaps=(gaps[0], gaps[1]))


def verbatim_score(left: Words, right: Words) -> int:
    """The percentage of words in runs of five or more that are on the other side, too, 0 to 99.

    The side on which fewer words are in such runs counts, as a share of the longer side. The runs
    may be in any order. Words are equal where their numbers are.

    >>> text = np.arange(20, dtype=np.uint32)
    >>> [verbatim_score(text, other) for other in (text, text[10:], text[::-1])]
    [99, 50, 0]
    """
    longer = max(len(left), len(right))
    if len(left) == len(right) and np.array_equal(left, right):
        return Similarity(1, 1).score if longer >= RUN else 0
    own, there = verbatim_words(left, right)
    return Similarity(min(int(own.sum()), int(there.sum())), max(1, longer)).score


def verbatim_words(left: Words, right: Words) -> tuple[Flags, Flags]:
    """For each word of both sides, whether it is in a run of five that the other side has, too.

    >>> verbatim_words(np.arange(6, dtype=np.uint32), np.arange(1, 9, dtype=np.uint32))[0].tolist()
    [False, True, True, True, True, True]
    """
    if min(len(left), len(right)) < RUN:
        return np.zeros(len(left), np.bool_), np.zeros(len(right), np.bool_)
    own, there = _run_numbers(left, right)
    is_left, is_right = np.zeros((2, max(own.max(), there.max()) + 1), np.bool_)
    is_left[own], is_right[there] = True, True
    return _covered(is_right[own]), _covered(is_left[there])


def _run_numbers(left: Words, right: Words) -> tuple[Numbers, Numbers]:
    """A small number for each run of five words of both sides; equal where the runs are."""
    _, words = np.unique(np.concatenate((left, right)), return_inverse=True)
    words = words.astype(np.int64, copy=False)
    kinds = int(words.max()) + 1
    runs, many = words, kinds
    for place in range(1, RUN):
        if many * kinds >= 1 << 62:
            _, runs = np.unique(runs, return_inverse=True)
            many = int(runs.max()) + 1
        runs = runs[:-1] * kinds + words[place:]
        many *= kinds
    _, runs = np.unique(runs, return_inverse=True)
    return runs[: len(left) - RUN + 1], runs[len(left) :]


def _covered(is_start: Flags) -> Flags:
    """Whether each word is in a run that starts where it is marked."""
    changes = np.zeros(len(is_start) + RUN, np.int64)
    changes[: len(is_start)] += is_start
    changes[RUN:] -= is_start
    return np.cumsum(changes[:-1]) > 0


def gaps_between(left: DocumentWords, right: DocumentWords) -> tuple[list[Range], list[Range]]:
    """The gaps of two sides, as ranges of words.

    Words correspond if they are equal in the alignment with the least edits, or in a run of five
    that both sides have. A gap is a run of words, of twenty of which in a row at most four
    correspond; at its ends, one that corresponds must have more than two in the gap beside it. It
    is none where at least half of its terms do, or stand among the other words of the
    other side, as where sentences were moved and reworded. A side is no gap as a whole: what is
    similar is among its words.

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
    for side, places in zip(corresponding, _equal_places(left.words, right.words), strict=True):
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
    if any(runs == [(0, len(side.words))] for side, runs in zip(sides, gaps, strict=True)):
        return [], []
    return gaps[0], gaps[1]


def _equal_places(left: Words, right: Words) -> tuple[Numbers, Numbers]:
    """The places of equal words, which are the same where the sides change places."""
    if len(left) <= len(right):
        return equal_places(left, right)
    there, own = equal_places(right, left)
    return own, there


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
