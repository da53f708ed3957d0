"""Passages that do not count: quotations, reference lists, the text of templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Passage, Span
from sdtext.reuse.coverage import words_in

Exclusions = Sequence[tuple[str, Span]]
"""Spans of a document in which text does not count, each with the reason in a word."""


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
