"""Search by bottom-k sketches: two are compared by what both have below the lower cut.

A position that df of N sketches have weighs max(1, b(N) + 1 - b(df)), where b counts the binary
digits of a number: whole numbers, near the logarithm, that are the same on every machine. Matchers
without weights count positions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import FormatError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.bottom_k import END, Row
from sdtext.model import Match, Problem
from sdtext.parts.registry import build
from sdtext.reading.parallel_run import COMPARING
from sdtext.search.candidates.buckets import Rows
from sdtext.search.results import Curve, Links, QueryMatches
from sdtext.search.scoring import Scorer, Scores
from sdtext.search.search_explanations import minimum_in_words
from sdtext.search.set_search import BySets
from sdtext.text.document import Document

LEAST = 3
"""Below the lower cut both sketches have so many positions, or are equal."""
FEW = Problem(
    "warning", "too-few-terms", f"fewer than {LEAST} positions below the lower cut on one side"
)


class _Below(NamedTuple):
    """What a sketch and each of many others have below the lower one of their cuts.

    The numbers of positions and the sums of weights: in both, in the sketch, in the others.
    """

    numbers: tuple[Rows, Rows, Rows]
    sums: tuple[Rows, Rows, Rows]
    is_comparable: NDArray[np.bool_]


@dataclass(eq=False)
class BySketches(BySets):
    """Search by sketches, each with each; weights are by those that are searched."""

    _last: tuple[Row, _Below] | None = None

    def pairs(self) -> Links:
        """The similar pairs."""
        table, rows = self.table, np.flatnonzero(self.table.wanted)
        found: list[Links] = []
        for row in rows.tolist():
            if table.two_sided:
                others = rows[table.sides[rows] > table.sides[row]]
            else:
                others = rows[rows > row] if self.plan.symmetric else rows[rows != row]
            others, scores = self._reaching(self._sets[row], others)
            left = np.full(len(others), row)
            found.append(Links(left, others, scores.score, scores.similarity))
            table.run.step(1, len(rows), COMPARING)
        links = replace(Links.joined(found), how=self.how)
        return links.numbered(table.ids, ordered=self.plan.symmetric and not table.two_sided)

    def encoded(self, documents: Sequence[Document]) -> Sequence[Row]:
        """The sketch of each document."""
        spec = self.plan.recipe.fingerprint
        assert spec is not None  # noqa: S101 (by it sketches are compared)
        return [*build("fingerprints", spec)(Ragged.of(super().encoded(documents)))]

    def query(self, shingles: Any) -> QueryMatches:
        """The documents that are similar to one with this sketch."""
        rows, scores = self._reaching(shingles, np.flatnonzero(self.table.wanted))
        return QueryMatches(self.table.ids[rows], scores)

    def comparable(self, sketch: Row) -> Rows:
        """The rows that have a score with a sketch, even 0."""
        return np.flatnonzero(self._below(sketch).is_comparable)

    def match(self, sketch: Row, row: int) -> Match:
        """The exact match of a sketch and a row."""
        below = self._below(sketch)
        common, left, right = (int(column[row]) for column in below.numbers)
        if not below.is_comparable[row]:
            return Match(None, common, left, right, FEW)
        similarity = self.plan.part(*(int(column[row]) for column in below.sums))
        return Match(similarity, common, left, right)

    def problems_of(self, name: str, shingles: Any) -> Iterator[Problem]:
        """Why a query of that name finds less than others."""
        if len(shingles) <= LEAST:
            yield Problem.at("warning", FEW.category, name, "is too short for its sketch")

    @property
    def how(self) -> str:
        """How sketches are compared, in a sentence."""
        return f"all sketches compared by {self.plan.matcher}; {minimum_in_words(self.plan)}"

    @property
    def curve(self) -> Curve:
        """Nothing: all are compared."""
        return ()

    def _reaching(self, sketch: Row, rows: Rows) -> tuple[Rows, Scores]:
        """Those of some rows that reach the minimum with a sketch, and their scores."""
        below = self._below(sketch)
        rows = rows[below.is_comparable[rows]]
        scores = Scorer(self.plan.matcher)(*(column[rows] for column in below.sums))
        near = np.flatnonzero(scores.score >= self.plan.minimum)
        return rows[near], scores.take(near)

    def _below(self, sketch: Row) -> _Below:
        """What a sketch and every row have below the lower cut; the last one is remembered."""
        if self._last is None or self._last[0] is not sketch:
            self._last = sketch, self._compared(sketch)
        return self._last[1]

    def _compared(self, sketch: Row) -> _Below:
        own_cut = int(sketch[-1]) - END
        cuts = np.minimum(self._cuts, own_cut)
        own = sketch[:-1].astype(np.int64)
        rows = self._by_position.take(own)
        weights = np.repeat(self._weights[own], rows.lengths)
        common = np.bincount(rows.values, minlength=len(cuts))
        shared = np.bincount(rows.values, weights, len(cuts)).astype(np.int64)
        left = own.searchsorted(cuts)
        starts, stops = self._positions.offsets[:-1], self._positions.offsets[1:].copy()
        longer = np.flatnonzero(self._cuts > own_cut)
        stops[longer] = self._keys.searchsorted(longer * END + own_cut)
        right = stops - starts
        sums = np.append(0, np.cumsum(self._weights[own]))[left]
        comparable = np.minimum(left, right) >= LEAST
        is_equal = (common == len(own)) & (self._sets.lengths == len(sketch)) & (common > 0)
        return _Below(
            (common, left, right),
            (shared, sums, self._totals[stops] - self._totals[starts]),
            comparable | is_equal,
        )

    @cached_property
    def _sets(self) -> Ragged:
        """All rows. Raises FormatError for damaged ones."""
        sets = self.table.shingles(np.arange(len(self.table.wanted)))
        is_last = np.zeros(len(sets.values), bool)
        is_last[sets.offsets[1:] - 1] = True
        whole = is_last.sum() == len(sets) and ((sets.values > END) == is_last).all()
        if len(sets) and not (whole and sets.values.max() <= 2 * END):
            file = self.table.views[0].segment.name
            raise FormatError("holds damaged sketches; run Doctor to find the damage", file=file)
        return sets

    @cached_property
    def _cuts(self) -> Rows:
        """The cut of each row."""
        return self._sets.values[self._sets.offsets[1:] - 1].astype(np.int64) - END

    @cached_property
    def _positions(self) -> Ragged:
        """The positions of each row, without its cut."""
        values = np.delete(self._sets.values, self._sets.offsets[1:] - 1).astype(np.uint32)
        return Ragged(values, self._sets.offsets - np.arange(len(self._sets) + 1))

    @cached_property
    def _keys(self) -> Rows:
        """The positions of all rows, with 2**20 more for each row before."""
        return self._positions.values + END * self._positions.owners

    @cached_property
    def _by_position(self) -> Ragged:
        """The rows that have each position."""
        return self._positions.inverted(END)

    @cached_property
    def _weights(self) -> Rows:
        """The weight of each position."""
        part = self.plan.part
        power = part.power * (1 + part.of_squares) if part.needs_dictionary else 0
        searched = self._positions.values[self.table.wanted[self._positions.owners]]
        frequency = np.bincount(searched, minlength=END)
        most = int(self.table.wanted.sum()).bit_length() + 1
        digits = np.arange(most)  # the number of digits of a frequency, which is N at most
        by_digits = np.rint(np.maximum(1, most - np.maximum(1, digits)) ** float(power))
        return np.asarray(by_digits.astype(np.int64)[np.frexp(frequency)[1]])

    @cached_property
    def _totals(self) -> Rows:
        return np.append(0, np.cumsum(self._weights[self._positions.values]))
