"""Calibrations: how often unrelated documents reach a score, by the sizes of the two vectors.

A calibration has the scores of a sample of pairs of documents that share nothing, and of documents
with edited copies of themselves. All that it states follows from these two histograms: rates of
false positives with a bound, levels, and likelihood ratios: how much more often edited copies have
a score than unrelated pairs.

Ratios rise with the score: they are fitted by isotonic regression (pool adjacent violators; M. Ayer
et al., "An empirical distribution function for sampling with incomplete information", Annals of
Mathematical Statistics 26, 1955; N. Brümmer, J. du Preez, "Application-independent evaluation of
speaker detection", Computer Speech & Language 20, 2006). One misleading document is added on each
side, so that no ratio goes beyond what the sample supports.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from typing import Any, NamedTuple

from sdtext.model.binomial_limits import upper_limit
from sdtext.model.displayed_results import ShortFields
from sdtext.wording import as_percent, counted, two_digits

RATES = (0.01, 0.001, 0.0001)
"""The rates of false positives for which levels are given."""

RECOMMENDED_RATES = (0.001, 0.01)
"""The rates of the level that is recommended as the least score: the first that is supported."""

CHECKED_RATE = RECOMMENDED_RATES[-1]
"""The rate whose levels show whether a calibration holds: more scores reach them than others."""

BORDERS = (8, 32, 128, 512)
"""The least number of bits of each size class."""

SCORES = 100

BUNDLED_SAMPLE = (
    "documentation and messages of programs, of different sources; more among documents of one "
    "form or subject"
)
"""What the calibrations of bundled dictionaries were made on, and what they do not hold for."""

DOCUMENTS = "documents"
SEGMENTS = "pairs of segments"
"""What is compared."""

_FEW = 5  # unrelated pairs: with fewer only a bound is given
_HIGHEST_BOUND = 0.1  # of the highest score: above it the sample says nothing worth stating
_MANY, _MANY_TIMES, _MANY_TIMES_BUNDLED = 10, 10, 5  # scores that chance does not explain
Histogram = Sequence[float]


@dataclass(frozen=True)
class SizeClass:
    """The scores of pairs whose smaller vector has from `least` to `most` bits; None is no limit.

    `unrelated` and `related` have the number of pairs with each score from 0 to 99. Pairs that
    have a document in common are not independent: `independent` has for each score the number of
    independent pairs that tell as much about how many reach it. With `excerpts`, the unrelated
    pairs are also pairs of an excerpt with another document. `cllr` is the cost of the likelihood
    ratios on documents that they were not fitted on, None where the sample is too small for them.

    >>> scores = (9_900, 95, 5, *[0] * 97)
    >>> levels = SizeClass(8, 31, scores, (0,) * 100, (10_000,) * 100)
    >>> levels.rate(2), round(levels.bound(2), 5), levels.level(0.01), levels.level(0.0001)
    (0.0005, 0.00105, 2, None)
    """

    least: int
    most: int | None
    unrelated: Sequence[int]
    related: Sequence[int]
    independent: Sequence[int]
    excerpts: bool = False
    cllr: float | None = None
    _levels: dict[float, int | None] = field(default_factory=dict, init=False, compare=False)

    def __repr__(self) -> str:
        return f"<scores with {self.sizes} terms: {counted(self.pairs, 'unrelated pair')}>"

    @property
    def sizes(self) -> str:
        """The sizes in words, such as 8 to 31."""
        return f"{self.least} or more" if self.most is None else f"{self.least} to {self.most}"

    @property
    def pairs(self) -> int:
        """The number of unrelated pairs."""
        return self._reaching[0]

    @cached_property
    def _reaching(self) -> Sequence[int]:
        return [*accumulate(reversed(self.unrelated))][::-1]

    def reached(self, score: int) -> int:
        """How many unrelated pairs have that score or more."""
        return self._reaching[score]

    def rate(self, score: int) -> float:
        """The share of unrelated pairs with that score or more."""
        return self.reached(score) / self.pairs if self.pairs else 1.0

    def bound(self, score: int) -> float:
        """The upper limit of that share: the share itself is below it with 95 % confidence."""
        independent = self.independent_at(score)
        return upper_limit(math.ceil(self.rate(score) * independent), independent)

    @property
    def is_sampled(self) -> bool:
        """Whether there are enough pairs to bound the rate of the highest score by 10 %."""
        return self.pairs > 0 and self.bound(SCORES - 1) <= _HIGHEST_BOUND

    def independent_at(self, score: int) -> int:
        """The number of independent pairs for that score, at most that of all pairs."""
        return min(self.independent[score], self.pairs)

    def is_estimated(self, score: int) -> bool:
        """Whether enough unrelated pairs have that score to state their share."""
        return self.rate(score) * self.independent_at(score) >= _FEW

    def level(self, rate: float) -> int | None:
        """The least score from which on all bounds are at most `rate`.

        None where the sample is too small.
        """
        if rate not in self._levels:
            above = next((s for s in range(SCORES - 1, 0, -1) if self.bound(s) > rate), 0)
            self._levels[rate] = above + 1 if above < SCORES - 1 else None
        return self._levels[rate]

    def recall(self, score: int) -> float | None:
        """The share of edited copies with that score or more; None without any."""
        total = sum(self.related)
        return sum(self.related[score:]) / total if total else None


@dataclass(frozen=True)
class Calibration:
    """The scores of a matcher over a dictionary, by size classes in ascending order.

    `documents` is the number of sampled documents, `left_out` that of documents which share text
    with one of these and were therefore left out. `edits` are the manglers that made the copies. A
    `bundled` calibration comes with sdtext: nobody knows how far it holds for other documents.
    """

    matcher: str
    created: str
    documents: int
    left_out: int
    edits: Sequence[str]
    classes: Sequence[SizeClass]
    unknown: Sequence[str] = ()
    bundled: bool = False

    def __repr__(self) -> str:
        kind = "bundled calibration" if self.bundled else "calibration"
        return f"<{kind} of {self.matcher} on {counted(self.documents, 'document')}>"

    def as_record(self) -> dict[str, Any]:
        """What it was made from, and its levels, as JSON values."""
        levels = [
            {"minimum": item.least, "maximum": item.most, "rate": rate, "score": level}
            for item in self.classes
            for rate in RATES
            if (level := item.level(rate)) is not None
        ]
        return {
            "matcher": self.matcher,
            "created": self.created or None,
            "bundled": self.bundled,
            "documents": self.documents,
            "edits": list(self.edits),
            "levels": levels,
        }

    def described(self) -> str:
        """The matcher, its recommended scores, and the sample that they are from.

        >>> scores = (9_900, 95, 5, *[0] * 97)
        >>> sizes = [SizeClass(8, None, scores, (0,) * 100, (10_000,) * 100)]
        >>> print(Calibration("cosine", "", 150, 0, ("truncate",), sizes).described())
        cosine, 3 or more with 8 or more terms; calibrated on 150 documents for at most 0.1 % of \
unrelated pairs of such documents
        """
        number, rate = counted(self.documents, "document"), self.recommended_rate
        if rate is None:
            return f"{self.matcher}; calibrated on {number}, too few for a recommended score"
        source = f" (bundled calibration: {BUNDLED_SAMPLE})" if self.bundled else ""
        return (
            f"{self.matcher}, {self.levels_described()}; calibrated on {number} for at most "
            f"{as_percent(rate)} of unrelated pairs of such documents{source}"
        )

    def levels_described(self) -> str:
        """The recommended scores, each with the sizes that it is for."""
        known = {item.least for item, _ in self.recommended}
        levels = [f"{level} or more with {item.sizes} terms" for item, level in self.recommended]
        runs = groupby(self.classes, key=lambda item: item.least in known)
        missing = [[*run] for has_level, run in runs if not has_level]
        if levels and missing:
            sizes = (replace(run[0], most=run[-1].most).sizes for run in missing)
            levels.append(f"none with {' or '.join(sizes)} terms (no level is measured there)")
        return ", ".join(levels)

    def class_of(self, left: int, right: int) -> SizeClass | None:
        """The class of a pair of vectors with so many bits; None where too few were sampled."""
        smaller = min(left, right)
        for item in self.classes:
            if item.least <= smaller <= (item.most or smaller) and item.is_sampled:
                return item
        return None

    def likelihood(self, score: int, sizes: tuple[int, int]) -> LikelihoodRatio | None:
        """How much more often copies have a score than unrelated pairs of such sizes.

        None where the sample supports no ratio, or one that says nothing.
        """
        item = self.class_of(*sizes)
        if item is None or item.cllr is None or item.cllr >= 1:
            return None
        return LikelihoodRatio(self._ratios[item.least][score], item.cllr, self.documents)

    @cached_property
    def _ratios(self) -> Mapping[int, Sequence[float]]:
        """The ratio of each score, for each class by its least number of bits."""
        # One document has a copy by each mangler, and raises the scores of many pairs.
        copies = max(1, len(self.edits))
        return {
            item.least: fitted_ratios(
                item.related,
                item.unrelated,
                (copies, item.pairs / max(1, item.independent_at(SCORES - 1))),
            )
            for item in self.classes
            if item.is_sampled and item.cllr is not None
        }

    def chance(
        self, score: int, sizes: tuple[int, int], compared: Mapping[int, int], unit: str = DOCUMENTS
    ) -> Chance | None:
        """What a score means for a pair of such sizes; None where too few such were sampled.

        `compared` has the number of comparisons for each size class, by its least number of bits:
        each has a rate of its own.
        """
        item = self.class_of(*sizes)
        if item is None:
            return None
        rate = item.rate(score) if item.is_estimated(score) else None
        numbers: Counter[int] = Counter()
        for bits, number in compared.items():
            fitting = self.class_of(bits, bits)
            numbers[-1 if fitting is None else self.classes.index(fitting)] += number
        left_out = numbers.pop(-1, 0)
        parts = [(self.classes[place], number) for place, number in numbers.items() if number]
        expected = None
        if all(each.is_estimated(score) for each, _ in parts):
            expected = sum(each.rate(score) * number for each, number in parts)
        at_most = sum(each.bound(score) * number for each, number in parts)
        counts = numbers.total(), left_out
        likelihood = self.likelihood(score, sizes)
        has_others = any(each is not item for each, _ in parts)
        values = (score, rate, item.bound(score), expected, at_most, *counts, unit, likelihood)
        return Chance(*values, self.bundled, has_others)

    def level(self, left: int, right: int, rate: float = RECOMMENDED_RATES[0]) -> int | None:
        """The least score that at most `rate` of unrelated pairs of such sizes reach.

        None where the sample of that size is too small: a level holds for no other size.
        """
        item = self.class_of(left, right)
        return item.level(rate) if item else None

    @cached_property
    def recommended_rate(self) -> float | None:
        """0.1 % if all sizes with a level of 1 % have one of it, else 1 %; None without a level."""
        sizes = [item for item in self.classes if item.level(CHECKED_RATE) is not None]
        rates = (r for r in RECOMMENDED_RATES if all(item.level(r) is not None for item in sizes))
        return next(rates) if sizes else None

    @cached_property
    def recommended(self) -> list[tuple[SizeClass, int]]:
        """The size classes with a level of the recommended rate, and these levels."""
        if (rate := self.recommended_rate) is None:
            return []
        levels = ((item, item.level(rate)) for item in self.classes)
        return [(item, level) for item, level in levels if level is not None]

    def recommended_level(self, left: int, right: int) -> int:
        """The level of the recommended rate for a pair of such sizes; 100 where there is none."""
        level = self.level(left, right, self.recommended_rate or 0.0)
        return SCORES if level is None else level

    @cached_property
    def lowest_level(self) -> int:
        """The lowest level of 1 %, whatever the size; 100 where there is none."""
        levels = (item.level(CHECKED_RATE) for item in self.classes)
        return min((level for level in levels if level is not None), default=SCORES)

    def with_level(self, compared: Mapping[int, int]) -> int:
        """How many comparisons have a recommended level; they are given for each least size."""
        sizes = compared.items()
        return sum(number for bits, number in sizes if self.recommended_level(bits, bits) < SCORES)

    def explains(self, reached: int, compared: int) -> bool:
        """Whether so many of the scores compared may reach the levels of 1 %.

        Chance and some related documents explain fewer than ten, or than ten times that rate; of a
        bundled calibration, which may be of other documents, than five times.
        """
        times = _MANY_TIMES_BUNDLED if self.bundled else _MANY_TIMES
        return reached < max(_MANY, times * CHECKED_RATE * compared)

    def recall(self, rate: float = RECOMMENDED_RATES[0]) -> float:
        """The share of edited copies at or above the level of `rate` for their size.

        Those of a size without a level are not found.
        """
        levels = [(item, item.level(rate)) for item in self.classes]
        found = sum(sum(item.related[level:]) for item, level in levels if level is not None)
        return found / (sum(sum(item.related) for item in self.classes) or 1)


@dataclass(frozen=True, repr=False)
class Chance(ShortFields):
    """How often chance gives a score: the `rate` among unrelated pairs, and its upper limit.

    `rate` is None where too few unrelated pairs have the score to state more than the limit.
    `compared` is the number of documents, or of other things (`unit`), that were compared, and
    `expected` the number of these that have the score by chance, with its upper limit
    (`expected_at_most`); None where only that is known. `left_out` are further ones, of sizes that
    were not sampled. `likelihood` says how much more often copies have the score. All this is of a
    `bundled` calibration, or of one with documents of the user's own. `has_others` tells that some
    of those compared have other sizes, and rates, than this score.

    >>> print(Chance(31, 0.001, 0.0014, 48.1, 67.4, 48_112))
    31 or more: 0.1 % of unrelated pairs; among the 48,112 documents compared, 48 are expected by \
chance
    >>> print(Chance(99, None, 0.0016, None, 0.21, 166, has_others=True))
    99 or more: less than 0.16 % of unrelated pairs of this size; among the 166 documents \
compared, at the rates of their sizes, fewer than 0.21 are expected by chance
    >>> print(Chance(70, None, 0.00004, None, 0.00004, 1))
    70 or more: less than 0.004 % of unrelated pairs
    >>> print(Chance(31, 0.001, 0.0014, 0.001, 0.0014, 1, bundled=True))
    31 or more: 0.1 % of unrelated pairs (bundled calibration: documentation and messages of \
programs, of different sources; more among documents of one form or subject)
    """

    score: int
    rate: float | None
    at_most: float
    expected: float | None
    expected_at_most: float
    compared: int
    left_out: int = 0
    unit: str = DOCUMENTS
    likelihood: LikelihoodRatio | None = None
    bundled: bool = False
    has_others: bool = False

    def as_record(self) -> dict[str, Any]:
        """The numbers as JSON values."""
        return {
            "rate": self.rate,
            "at_most": self.at_most,
            "compared": self.compared,
            "expected": self.expected,
            "expected_at_most": self.expected_at_most,
            "likelihood_ratio": self.likelihood.value if self.likelihood else None,
            "cllr": self.likelihood.cllr if self.likelihood else None,
            "bundled": self.bundled,
        }

    @property
    def brief(self) -> str:
        """The numbers alone, for a table: the share, how many of what was compared, and the ratio.

        A bundled calibration is named.

        >>> print(Chance(31, 0.001, 0.0014, 48.1, 67.4, 48_112).brief)
        0.1 %, 48 of 48,112
        >>> print(Chance(70, None, 0.00004, None, 0.0012, 30).brief)
        < 0.004 %, < 0.0012 of 30
        """
        share, number = self._with_limits("< ", "< ")
        ratio = self.likelihood
        described = f", LR {ratio.rounded} (Cllr {ratio.cllr:.2g})" if ratio else ""
        source = ", bundled" if self.bundled else ""
        return f"{share}, {number} of {self.compared:,}{described}{source}"

    def _with_limits(self, less: str, fewer: str) -> tuple[str, str]:
        """The share, and the number expected; these words precede what is only a limit."""
        share = f"{less}{as_percent(self.at_most)}" if self.rate is None else as_percent(self.rate)
        limit = f"{fewer}{two_digits(self.expected_at_most)}"
        return share, limit if self.expected is None else two_digits(self.expected)

    def __str__(self) -> str:
        share, number = self._with_limits("less than ", "fewer than ")
        source = f" (bundled calibration: {BUNDLED_SAMPLE})" if self.bundled else ""
        size = " of this size" if self.has_others else ""
        stated = f"{self.score} or more: {share} of unrelated pairs{size}{source}"
        likelihood = f"; {self.likelihood}" if self.likelihood else ""
        if self.compared + self.left_out == 1:
            return f"{stated}{likelihood}"
        among = f"the {self.compared:,} {self.unit} compared"
        if self.left_out:
            total = f"{self.compared + self.left_out:,} {self.unit}"
            among = f"{self.compared:,} of the {total} compared (those of sampled sizes)"
        if self.has_others:
            among += ", at the rates of their sizes"
        verb = "is" if number == "1" else "are"
        return f"{stated}; among {among}, {number} {verb} expected by chance{likelihood}"


def size_classes() -> list[tuple[int, int | None]]:
    """The least and the greatest number of bits of each size class.

    >>> size_classes()[-2:]
    [(128, 511), (512, None)]
    """
    return [*((least, after - 1) for least, after in pairwise(BORDERS)), (BORDERS[-1], None)]


def most_sensitive(calibrations: Iterable[Calibration]) -> Calibration | None:
    """The calibration whose matcher finds most edited copies, all compared at one rate.

    That is the lowest rate that one of them recommends. Those with documents of the user's own come
    before bundled ones; None where none recommends a score.
    """
    supported = [(rate, item) for item in calibrations if (rate := item.recommended_rate)]
    own = [pair for pair in supported if not pair[1].bundled] or supported
    least = min((rate for rate, _ in own), default=0.0)
    lowest = (item for rate, item in own if rate == least)
    return max(lowest, key=lambda item: item.recall(least), default=None)


class LikelihoodRatio(NamedTuple):
    """How much more often edited copies have a score than unrelated pairs.

    `cllr` is the log-likelihood-ratio cost on documents that the ratios were not fitted on: 0 is
    perfect, 1 is what says nothing. Both come from so many `documents`.

    >>> print(LikelihoodRatio(2431.7, 0.0812, 500))
    likelihood ratio 2,400 for an edited copy (Cllr 0.081, 500 documents)
    """

    value: float
    cllr: float
    documents: int

    @property
    def rounded(self) -> str:
        """The ratio with two significant digits."""
        value = float(f"{self.value:.2g}")
        return f"{value:,.0f}" if value >= 10 else f"{value:g}"

    def __str__(self) -> str:
        return (
            f"likelihood ratio {self.rounded} for an edited copy (Cllr {self.cllr:.2g}, "
            f"{self.documents:,} documents)"
        )


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
    blocks: list[tuple[float, float, int, int]] = []  # of both, from a first to a last score
    for score, (copied, other) in enumerate(zip(copies, others, strict=True)):
        if copied or other:
            blocks.append((copied, other, score, score))
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            (left, below, first, _), (right, above, _, last) = blocks[-2:]
            blocks[-2:] = [(left + right, below + above, first, last)]
    scale = sum(others) / sum(copies)
    ratios: list[float] = []
    for copied, other, first, last in blocks:
        ratio = scale * copied / other
        gap = min(ratios[-1], ratio, key=lambda value: abs(math.log(value))) if ratios else ratio
        ratios += [gap] * (first - len(ratios))
        ratios += [ratio] * (last + 1 - len(ratios))
    return tuple(ratios)


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


def legend_of(chances: Sequence[Chance]) -> list[str]:
    """A line that says what brief chances mean; none without chances."""
    words = "chance: the share of unrelated pairs with that score or more, and how many of what "
    words += "was compared are expected to have it"
    if ratios := [chance.likelihood for chance in chances if chance.likelihood]:
        words += "; LR: the likelihood ratio of an edited copy, with its cost, calibrated on "
        words += counted(ratios[0].documents, "document")
    if any(chance.bundled for chance in chances):
        words += f"; bundled: measured on {BUNDLED_SAMPLE}: Calibrate measures it on yours"
    return [words] if chances else []
