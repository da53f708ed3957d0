"""Search by shingles weighted by their rarity, among pairs that are similar without weights, too.

What many documents have in common, such as a template, says little about a pair; what only a few
have says much. A pair is similar if its plain Jaccard similarity reaches the minimum, and the
weighted one does, too.
"""

from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.parts.indexes import Bands
from sdtext.reading.parallel_run import VERIFYING
from sdtext.search.candidates.buckets import Rows, all_pairs, runs
from sdtext.search.candidates.identical_set_groups import duplicates_in
from sdtext.search.candidates.lsh import Candidates
from sdtext.search.results import QueryMatches
from sdtext.search.scoring import Scorer, Scores
from sdtext.search.set_search import BySets, Shingles

_NEAR = 1e-6  # of a similarity: floats are far more exact
_CHUNK = 1 << 14  # pairs at once
_BLOCK = 1 << 20  # shingles at once
MOST_PAIRS = 1 << 24
"""The most pairs that share a shingle of their prefixes: half a minute."""


class ByWeights(BySets):
    """Search by weighted shingles among the pairs that plain shingles give.

    Of N different sets, a shingle that df of them have weighs ln((N + 1) / df)**power, as a
    multiple of 2**-20, so that scores are the same on every machine. Equal sets count once: copies
    of a document do not make its shingles frequent.

    Pairs come from an exact join with a weighted prefix filter: a pair of similarity s or more
    shares weight of at least s·a, where a is that of all shingles of one side. So if shingles are
    in the order of their weights, the two share one of those before which less than (1 - s)·a has
    come. Shingles of a template come last. Where that is too much work, pairs come as of plain
    shingles.
    """

    rescores: ClassVar[bool] = True

    def query(self, shingles: Shingles) -> QueryMatches:
        """The documents that are similar to one that has these shingles."""
        rows = np.sort(self.rows_like(shingles)[0])
        sets, weights = self.of_rows(rows)
        common = self.totals(sets, _common(sets.values, weights, np.sort(shingles)))
        own = np.full(len(rows), self._weights_of(shingles).sum())
        scores = self._scores(common, own, self.totals(sets, weights))
        kept = scores.score >= self.plan.minimum
        return QueryMatches(self.table.ids[rows[kept]], scores.take(kept))

    def scores(self, left: Rows, right: Rows, minimum: int = 0) -> Scores:  # noqa: ARG002 (for sequences)
        """The scores of pairs of rows."""
        sums = np.zeros((3, len(left)), np.int64)
        for start in range(0, len(left), _CHUNK):
            some = slice(start, start + _CHUNK)
            sums[:, some] = self._sums(left[some], right[some])
            self.table.run.step(len(left[some]), len(left), VERIFYING)
        return self._scores(*sums)

    def candidates(self, searched: NDArray[np.bool_]) -> tuple[Candidates, Bands | None]:
        """The candidate pairs, and the bands that gave them; None where all were compared."""
        share, wanted = self.plan.minimum / 100 - _NEAR, np.flatnonzero(searched)
        prefixes, owners = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
        ends = np.cumsum(self.table.sizes[wanted])
        for some in np.split(wanted, np.flatnonzero(np.diff(ends // _BLOCK)) + 1):
            sets, weights = self.of_rows(some)
            order = np.lexsort((sets.values, -weights, sets.owners))
            place, weights = sets.owners[order], weights[order]
            before = np.cumsum(weights) - weights
            totals = self.totals(sets, weights)
            before -= np.append(0, np.cumsum(totals))[place]
            kept = before <= (1 - share) * totals[place]
            prefixes.append(sets.values[order][kept])  # a pair must share one of them
            owners.append(some[place[kept]])
        values, rows = np.concatenate(prefixes), np.concatenate(owners)
        order = np.lexsort((rows, values))
        begins, lengths = runs(values[order]) if len(values) else (rows, rows)
        if int((lengths * (lengths - 1) // 2).sum()) > MOST_PAIRS:
            return super().candidates(searched)
        total, codes = max(1, len(searched)), np.empty(0, np.int64)
        for left, right in all_pairs(rows[order], begins, lengths):
            pair = self.table.oriented(left, right)
            codes = distinct(np.concatenate([codes, pair[0] * total + pair[1]]))
        return Candidates(*np.divmod(codes, total)), None

    def _sums(self, left: Rows, right: Rows) -> tuple[Rows, Rows, Rows]:
        """The sums of the weights of common shingles, and of those of either side."""
        rows, places = np.unique(np.concatenate([left, right]), return_inverse=True)
        sets, weights = self.of_rows(rows)
        totals = self.totals(sets, weights)
        ones, others = places[: len(left)], places[len(left) :]
        bounds = [*zip(sets.offsets[:-1].tolist(), sets.offsets[1:].tolist(), strict=True)]
        common = np.zeros(len(left), np.int64)
        for place, pair in enumerate(zip(ones.tolist(), others.tolist(), strict=True)):
            here, there = (slice(*bounds[side]) for side in pair)
            common[place] = _common(sets.values[here], weights[here], sets.values[there]).sum()
        return common, totals[ones], totals[others]

    def of_rows(self, rows: Rows) -> tuple[Ragged, NDArray[np.int64]]:
        """The shingles of rows, which are in rising order, and their weights."""
        sets = self.table.shingles(rows)
        sets = Ragged(np.asarray(sets.values), np.asarray(sets.offsets))
        return sets, self._weights_of(sets.values)

    def _weights_of(self, shingles: NDArray[np.uint64]) -> NDArray[np.int64]:
        known, counts = self._frequent
        most, power = np.log(len(self._first_rows) + 1), float(getattr(self.plan.part, "power", 1))
        if not len(known):
            return np.full(len(shingles), _as_whole(most**power))
        places = np.minimum(known.searchsorted(shingles), len(known) - 1)
        frequency = np.where(known[places] == shingles, counts[places], 1)
        return _as_whole((most - np.log(frequency)) ** power)

    @staticmethod
    def totals(sets: Ragged, weights: NDArray[np.int64]) -> Rows:
        """The sum of the weights of each row."""
        sums = np.append(0, np.cumsum(weights))
        return np.asarray(sums[sets.offsets[1:]] - sums[sets.offsets[:-1]])

    def _scores(self, common: Rows, left: Rows, right: Rows) -> Scores:
        return Scorer(self.plan.matcher)(common, np.maximum(left, 1), np.maximum(right, 1))

    @cached_property
    def _first_rows(self) -> Rows:
        return np.flatnonzero(duplicates_in(self.table).are_first & (self.table.sizes > 0))

    @cached_property
    def _frequent(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The shingles that more than one of the sets have, in order, and how many have them."""
        values = np.sort(np.asarray(self.table.shingles(self._first_rows).values))
        begins = np.flatnonzero(np.append(len(values) > 0, values[1:] != values[:-1]))
        counts = np.diff(np.append(begins, len(values)))
        often = counts > 1
        return values[begins[often]], counts[often]


def _common(
    shingles: NDArray[np.uint64], weights: NDArray[np.int64], others: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """The weights of the shingles that are among `others`, which are in order; 0 for the rest."""
    if not len(others):
        return np.zeros_like(weights)
    places = np.minimum(others.searchsorted(shingles), len(others) - 1)
    return np.asarray(np.where(others[places] == shingles, weights, 0))


def _as_whole(weight: NDArray[np.float64] | float) -> NDArray[np.int64]:
    return np.asarray(np.maximum(np.rint(np.asarray(weight) * 2**20), 1), np.int64)
