"""Likelihood ratios of scores: how much more often edited copies have a score than unrelated pairs.

Ratios rise with the score: they are fitted by isotonic regression (pool adjacent violators; M. Ayer
et al., "An empirical distribution function for sampling with incomplete information", Annals of
Mathematical Statistics 26, 1955; N. Brümmer, J. du Preez, "Application-independent evaluation of
speaker detection", Computer Speech & Language 20, 2006). One misleading document is added on each
side, so that no ratio goes beyond what the sample supports.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Histogram = Sequence[float]


@dataclass(frozen=True)
class LikelihoodRatio:
    """How much more often edited copies have a score than unrelated pairs.

    `cllr` is the log-likelihood-ratio cost on documents that the ratios were not fitted on: 0 is
    perfect, 1 is what says nothing. Both come from copies by `edits` and from so many `documents`.

    >>> print(LikelihoodRatio(2431.7, 0.0812, 500, ("shuffle",)))
    likelihood ratio 2,400 for an edited copy (Cllr 0.081, 500 documents)
    """

    value: float
    cllr: float
    documents: int
    edits: tuple[str, ...]

    @property
    def brief(self) -> str:
        """The ratio with its cost alone."""
        return f"{_two_digits(self.value)} (Cllr {self.cllr:.2g})"

    def __str__(self) -> str:
        value = _two_digits(self.value)
        return (
            f"likelihood ratio {value} for an edited copy (Cllr {self.cllr:.2g}, "
            f"{self.documents:,} documents)"
        )


def _two_digits(value: float) -> str:
    """A number rounded to two significant digits.

    >>> _two_digits(2431.7), _two_digits(0.0312), _two_digits(1)
    ('2,400', '0.031', '1')
    """
    rounded = float(f"{value:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def fitted_ratios(
    related: Histogram, unrelated: Histogram, pseudo: tuple[float, float]
) -> tuple[float, ...]:
    """The likelihood ratio of each score, from the numbers of pairs that have it.

    `pseudo` are the numbers of related pairs that are added at the lowest score, and of unrelated
    ones at the highest. A score that no pair has gets the ratio of its neighbours that is nearer
    to 1.

    >>> [round(ratio, 2) for ratio in fitted_ratios([0, 1, 9], [90, 9, 0], (1, 1))]
    [0.1, 1.01, 81.82]
    """
    copies, others = list(related), list(unrelated)
    copies[0] += pseudo[0]
    others[-1] += pseudo[1]
    blocks: list[_ScoreRange] = []
    for score, (copied, other) in enumerate(zip(copies, others, strict=True)):
        if copied or other:
            blocks.append(_ScoreRange(copied, other, score, score))
        while len(blocks) > 1 and not blocks[-2].is_below(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = blocks[-1].joined(last)
    scale = sum(others) / sum(copies)
    ratios: list[float] = []
    for block in blocks:
        ratio = scale * block.related / block.unrelated
        gap = min(ratios[-1], ratio, key=lambda value: abs(math.log(value))) if ratios else ratio
        ratios += [gap] * (block.first - len(ratios))
        ratios += [ratio] * (block.last + 1 - len(ratios))
    return tuple(ratios)


@dataclass(frozen=True)
class _ScoreRange:
    """The numbers of pairs from a first to a last score, which have one ratio."""

    related: float
    unrelated: float
    first: int
    last: int

    def is_below(self, other: _ScoreRange) -> bool:
        """Whether the ratio is less than that of another block."""
        return self.related * other.unrelated < other.related * self.unrelated

    def joined(self, other: _ScoreRange) -> _ScoreRange:
        """The block of both."""
        related, unrelated = self.related + other.related, self.unrelated + other.unrelated
        return _ScoreRange(related, unrelated, self.first, other.last)


def costs(ratios: Sequence[float], related: Histogram, unrelated: Histogram) -> tuple[float, float]:
    """The sums of the costs of ratios, of related and of unrelated pairs: half their means is Cllr.

    >>> [round(sum_of_side, 3) for sum_of_side in costs([0.5, 3.0], [0, 2], [4, 0])]
    [0.83, 2.34]
    """
    low, high = (
        sum(number * math.log2(1 + ratio**sign) for number, ratio in zip(side, ratios, strict=True))
        for side, sign in ((related, -1), (unrelated, 1))
    )
    return low, high
