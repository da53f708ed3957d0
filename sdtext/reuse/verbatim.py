"""How much of a passage is verbatim: the words in runs that both sides have.

The share tells cut-and-paste from revision: a copy scores 99, a text that was rewritten word by
word scores 0, whatever the share of words that its passages have in common.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Similarity, Span

Words = NDArray[np.uint32]
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]

RUN = 5
"""The number of words in a row that count as verbatim."""


def with_verbatim_scores(
    passages: Iterable[Passage], left: DocumentWords, right: DocumentWords
) -> list[Passage]:
    """The passages, each with the percentage of its words in runs that both of its sides have."""
    return [
        replace(passage, verbatim=verbatim_score(*_sides(passage, left, right)))
        for passage in passages
    ]


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


def _sides(passage: Passage, left: DocumentWords, right: DocumentWords) -> tuple[Words, Words]:
    return _words_in(left, passage.left), _words_in(right, passage.right)


def _words_in(worded: DocumentWords, span: Span) -> Words:
    return worded.between(span.start, span.end).words


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
