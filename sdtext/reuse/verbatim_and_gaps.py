"""How much of a passage is verbatim, and its gaps.

Verbatim are the words in runs that both sides have. The share tells cut-and-paste from revision: a
copy scores 99, a text that was rewritten word by word scores 0, whatever the share of words that
its passages have in common.

Gaps are runs of words on one side that correspond to nothing on the other. A passage may hold text
of its own, such as a sentence that was inserted. Up to fifteen words are a change to the passage,
as tools that join matches over a gap allow; in a longer run they are not what the documents share,
and do not count in shares.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.passages.sequence_algorithms import are_in, best_run
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span
from sdtext.parts.aligners.word_alignment import RUN, edits_in, equal_places

Words = NDArray[np.uint32]
Flags = NDArray[np.bool_]

LONGEST_CHANGE = 15
"""Words that may differ in a row; a longer run is a gap."""

_CORRESPONDING = 4  # words by chance in a run of as many more than the longest change

_AT_ENDS = 2  # words of a gap that outweigh one at its ends that corresponds

Range = tuple[int, int]


def describe(
    passage: Passage, left: DocumentWords, right: DocumentWords, *, edits: bool = False
) -> Passage:
    """The passage with its verbatim score, the gaps of both sides as spans, and its `edits`."""
    sides = (
        left.between(passage.left.start, passage.left.end),
        right.between(passage.right.start, passage.right.end),
    )
    verbatim = verbatim_words(sides[0].words, sides[1].words)
    # The side on which fewer words are verbatim counts, as a share of the longer side.
    longer = max(*map(len, verbatim), 1)
    score = Similarity(min(int(np.count_nonzero(flags)) for flags in verbatim), longer).score
    left_gaps, right_gaps = (
        tuple(Span(int(side.starts[first]), int(side.ends[last - 1])) for first, last in own)
        for side, own in zip(sides, gaps_between(*sides, verbatim), strict=True)
    )
    changes = edits_in(passage, left, right) if edits else ()
    return replace(passage, verbatim=score, gaps=(left_gaps, right_gaps), edits=changes)


def verbatim_words(left: Words, right: Words) -> tuple[Flags, Flags]:
    """For each word of both sides, whether it is in a run of five that the other side has, too.

    The runs may be in any order. Words are equal where their numbers are.

    >>> verbatim_words(np.arange(6, dtype=np.uint32), np.arange(1, 9, dtype=np.uint32))[0].tolist()
    [False, True, True, True, True, True]
    """
    return are_in(left, right, RUN), are_in(right, left, RUN)


def gaps_between(
    left: DocumentWords, right: DocumentWords, verbatim: tuple[Flags, Flags]
) -> tuple[list[Range], list[Range]]:
    """The gaps of two sides, as ranges of words; `verbatim` are their `verbatim_words`.

    Words correspond if they are verbatim, or equal in the alignment with the least edits. A gap is
    a run of words, of twenty of which in a row at most four correspond; at its ends, one that
    corresponds must have more than two in the gap beside it. It is none where at least half of its
    terms do, or stand among the other words of the other side, as where sentences were moved and
    reworded. A side is no gap as a whole: what is similar is among its words.

    >>> from sdtext.kernels.terms.document_words import WordOffsets
    >>> def row(text):
    ...     return [(word, 2 * place, 2 * place + 1) for place, word in enumerate(text)]
    >>> placed = WordOffsets.of([row("abcdefgh"), row("abcdABCDEFGHIJKLMNOPefgh")])
    >>> sides = placed.document(0), placed.document(1)
    >>> gaps_between(*sides, verbatim_words(sides[0].words, sides[1].words))
    ([], [(4, 20)])
    """
    sides = left, right
    if not any(map(_runs, verbatim)):
        return [], []
    # The places of equal words must be the same where the sides change places.
    if len(left.words) <= len(right.words):
        aligned = equal_places(left.words, right.words)
    else:
        aligned = equal_places(right.words, left.words)[::-1]
    corresponding = [flags.copy() for flags in verbatim]
    for flags, places in zip(corresponding, aligned, strict=True):
        flags[places] = True
    rest = [
        set(side.words[~flags].tolist()) for side, flags in zip(sides, corresponding, strict=True)
    ]
    gaps: list[list[Range]] = []
    for side, flags, there in zip(sides, corresponding, reversed(rest), strict=True):
        gaps.append([])
        for first, last in _runs(flags):
            run = side[first:last]
            known = flags[first:last][run.is_term].tolist()
            rows = zip(run.terms.tolist(), known, strict=True)
            common = sum(flag or term in there for term, flag in rows)
            if not known or 2 * common < len(known):
                gaps[-1].append((first, last))
        if gaps[-1] == [(0, len(side.words))]:
            return [], []
    return gaps[0], gaps[1]


def _runs(corresponds: Flags) -> list[Range]:
    """Runs in which too few words correspond, without such words at their ends."""
    width = LONGEST_CHANGE + 1 + _CORRESPONDING
    if len(corresponds) < width:
        return []
    before = np.zeros(len(corresponds) + 1, np.int64)
    corresponds.cumsum(out=before[1:])
    starts = np.flatnonzero(before[width:] - before[:-width] <= _CORRESPONDING)
    if not len(starts):
        return []
    changes = np.zeros(len(corresponds) + 1, np.int64)
    np.add.at(changes, starts, 1)
    np.add.at(changes, starts + width, -1)
    bounds = np.flatnonzero(np.diff(np.cumsum(changes) > 0, prepend=False)).reshape(-1, 2)
    runs = []
    for start, end in bounds.tolist():
        first, last = best_run(np.where(corresponds[start:end], -_AT_ENDS, 1))
        if last - first > LONGEST_CHANGE:
            runs.append((start + first, start + last))
    return runs
