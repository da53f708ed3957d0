"""Passages that do not count: quotations, lists of references, the text of templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.terms.word_offsets import Worded
from sdtext.model import Passage, Span
from sdtext.reuse.coverage import words_in

Excluded = Sequence[tuple[str, Span]]
"""Stretches of a document, each with the word that says why what stands there does not count."""


def marked(
    passages: Iterable[Passage], left: Excluded, right: Excluded, one: Worded, other: Worded
) -> list[Passage]:
    """The passages, each with the reason in `excluded` if it does not count.

    That is so where more than half of its words, on the left or on the right, lie in the stretches
    of one reason. Of several reasons it is that which holds most of them, and of equal ones that
    which stands first among those of the left document, then of the right one. A passage that is
    excluded already stays as it is. `left` and `one` are stretches and words of the left document,
    `right` and `other` those of the right one.
    """
    sides = _Inside(left, one), _Inside(right, other)
    return [
        passage if passage.excluded else replace(passage, excluded=_reason(passage, *sides))
        for passage in passages
    ]


def left_out(excluded: Excluded) -> list[Span]:
    """Where a document's words stand that are left out of all shares, whatever the reason is."""
    return [span for _, span in excluded]


def _reason(passage: Passage, left: _Inside, right: _Inside) -> str:
    shares = [*left.shares(passage.left), *right.shares(passage.right)]
    top, bottom, reason = 0, 1, ""
    for held, words, why in shares:
        if 2 * held > words and held * bottom > top * words:
            top, bottom, reason = held, words, why
    return reason


class _Inside:
    """How many words of any stretch of a document lie in the stretches of each reason."""

    def __init__(self, excluded: Excluded, worded: Worded) -> None:
        spans: dict[str, list[Span]] = {}
        for reason, span in excluded:
            spans.setdefault(reason, []).append(span)
        self._starts = worded.starts
        self._before: Mapping[str, NDArray[np.int64]] = {
            reason: np.append(0, np.cumsum(words_in(worded, own))) for reason, own in spans.items()
        }

    def shares(self, span: Span) -> list[tuple[int, int, str]]:
        """For each reason, how many words of the stretch it holds, of how many."""
        first, last = np.searchsorted(self._starts, (span.start, span.end)).tolist()
        return [
            (int(before[last] - before[first]), last - first, reason)
            for reason, before in self._before.items()
        ]
