"""Bit-sliced columns: which of many bit vectors have enough in common with a query, exactly.

Beside the rows of packed vectors stands one column for each term: a bit for each vector.
`csrc/bit_columns.c` adds the columns of a query's terms and describes how.

- Vectors are in the order of their sizes (number of bits, or sum of weights), so that the 512 of a
  lane are of nearly one size. From the least and the greatest size in a lane follows the least sum
  that a vector in it needs in common with the query (BitBound).
- Weights are rounded up to whole units. The rounded sum is never below the exact one, so that no
  vector is missed; some of the candidates have too little in common, which exact weights show
  afterwards. Where every weight is 1, nothing is rounded.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.c_library import KERNELS

Rows = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
LeastCommon = Callable[[Floats, Floats], Floats]
"""The least sum in common that a query and a vector of these sizes, or a greater one, need.

It is given arrays that broadcast: the sizes of queries and of vectors. A vector of a greater size
must not need less, as long as it is not smaller than what is in common.
"""

LANE = 512
"""Vectors that are added up at once."""
_ROWS = 1 << 13  # transposed between two calls of progress
_UNITS = 31  # of the heaviest term
_SLACK = 1e-9  # relative; sums in floats of 64 bits are far more exact
_NEVER = 1 << 40  # more than any sum of units


def columns_of(
    packed: NDArray[np.uint8],
    order: Rows | None = None,
    progress: Callable[[int], None] | None = None,
) -> Words:
    """The columns of packed vectors, taken in an `order`, of shape (8 * bytes, words).

    Bit p % 64 of word p // 64 is that of vector p; the words are those of whole lanes. `progress`
    is called with the number of vectors that were added since its last call.

    >>> columns_of(np.array([[0b01], [0b11]], np.uint8))[:3, 0].tolist()
    [3, 2, 0]
    """
    order = np.arange(len(packed)) if order is None else order
    columns = np.zeros((8 * packed.shape[1], -(-len(order) // LANE) * LANE // 64), np.uint64)
    for start in range(0, len(order), _ROWS):
        number = min(_ROWS, len(order) - start)
        if "bit_columns" in KERNELS:
            KERNELS["bit_columns"](packed, order, start, number, columns)
        else:
            bits = np.unpackbits(packed[order[start : start + number]], axis=1, bitorder="little")
            columns.view(np.uint8)[:, start // 8 : (start + number + 7) // 8] = np.packbits(
                bits.T, axis=1, bitorder="little"
            )
        if progress:
            progress(number)
    return columns


@dataclass(frozen=True, eq=False)
class ColumnMatches:
    """Pairs of a query and a vector: the place of either, and the sum in common in `unit`s.

    The sum is exact in units, so where weights are rounded up, it is an upper bound.
    """

    queries: Rows
    places: Rows
    sums: Rows


@dataclass(frozen=True, eq=False)
class BitColumns:
    """Vectors as columns, in an order of rising sizes or near it.

    `columns` are those of `columns_of`, `frequencies` the number of vectors that have each term,
    `sizes` the size of each vector, and `weights` that of each term, 1 where it is None. With
    `wanted`, which vectors, the others are left out.
    """

    columns: Words
    frequencies: Rows
    sizes: Floats
    weights: Floats | None = None
    wanted: NDArray[np.bool_] | None = None

    @cached_property
    def low(self) -> Floats:
        """The least size in each lane."""
        return self._by_lane(np.minimum)

    @cached_property
    def high(self) -> Floats:
        """The greatest size in each lane."""
        return self._by_lane(np.maximum)

    def _by_lane(self, reduce: Any) -> Floats:
        starts = np.arange(0, len(self.sizes), LANE)
        return np.asarray(reduce.reduceat(self.sizes, starts) if len(starts) else self.sizes)

    @cached_property
    def unit(self) -> float:
        """The weight that is counted as 1."""
        heaviest = 0.0 if self.weights is None else float(self.weights.max(initial=0.0))
        return heaviest / _UNITS if heaviest else 1.0

    @cached_property
    def units(self) -> Rows:
        """The weight of each term in units, rounded up."""
        if self.weights is None:
            return np.ones(len(self.columns), np.int64)
        return np.ceil(self.weights / self.unit * (1 + _SLACK)).astype(np.int64)

    @cached_property
    def terms(self) -> Rows:
        """The terms that have a weight, in the order in which their columns are added."""
        order = np.lexsort((self.frequencies, -self.units))
        return order[: int((self.units > 0).sum())]

    @cached_property
    def ranks(self) -> Rows:
        """The place of each term in `terms`, -1 where it has no weight."""
        ranks = np.full(len(self.columns), -1)
        ranks[self.terms] = np.arange(len(self.terms))
        return ranks

    @cached_property
    def _searched(self) -> Words:
        """A bit for each vector that has a size and is wanted."""
        searched = np.zeros(self.columns.shape[1] * 64, bool)
        searched[: len(self.sizes)] = self.sizes > 0
        if self.wanted is not None:
            searched[: len(self.sizes)] &= self.wanted
        return np.packbits(searched, bitorder="little").view("<u8").astype(np.uint64)

    def needed(self, sizes: Floats, least: LeastCommon) -> Rows:
        """The units that a vector in each lane needs at least, for queries of these sizes."""
        common = least(sizes[:, None], self.low) * (1 - _SLACK)
        most = np.minimum(sizes[:, None], self.high)
        needed = np.where(common <= most, np.ceil(common / self.unit - _SLACK), _NEVER)
        return np.minimum(needed, _NEVER).astype(np.int64)

    def candidates(
        self,
        queries: NDArray[np.uint8],
        sizes: Floats,
        least: LeastCommon,
        after: Rows | None = None,
    ) -> ColumnMatches:
        """The vectors that may have enough in common with packed queries of these sizes.

        None that has enough is missing. With `after`, only places above that of each query count.
        Best for queries of nearly one size.
        """
        needed = self.needed(sizes, least)
        after = np.full(len(queries), -1) if after is None else after
        if "bit_candidates" not in KERNELS:
            return self._candidates_plain(queries, needed, after)
        given = self.columns, self._searched, self.ranks, self.terms, self.units
        queries = np.ascontiguousarray(queries)
        _, rows = KERNELS["bit_candidates"](*given, queries, needed, after)
        return ColumnMatches(*rows.T.copy())

    def best(
        self,
        query: NDArray[np.uint8],
        size: Floats,
        leasts: tuple[LeastCommon, LeastCommon],
        number: int,
    ) -> tuple[ColumnMatches, Rows]:
        """The vectors that may have as much in common with a packed query as the best of them.

        `leasts` are for the least similarity, and for that of equal vectors. Beside the matches,
        with exact sums of units, stands the least sum in each lane, which all that have it reach:
        that for the least similarity, risen to the share of `number` vectors in what equal ones
        need.
        """
        needed = self.needed(size, leasts[0])[0]
        most = np.minimum(size, self.high)
        whole = [leasts[1](size, self.low), leasts[1](size, self.high), most]
        bounds = np.minimum(np.array(whole) / self.unit, _NEVER)
        if self.weights is not None:
            bounds[2] = _NEVER  # sums are rounded up
        if "bit_best" not in KERNELS:
            return self._best_plain(query, needed, bounds, number)
        given = self.columns, self._searched, self.ranks, self.terms, self.units
        _, rows = KERNELS["bit_best"](*given, query, needed, bounds, number)
        places, sums = rows.T.copy()
        return ColumnMatches(np.zeros_like(places), places, sums), needed

    def _best_plain(
        self, query: NDArray[np.uint8], needed: Rows, bounds: Floats, number: int
    ) -> tuple[ColumnMatches, Rows]:
        """`best` by the sums of all vectors."""
        every = self._candidates_plain(query[None], needed[None], np.full(1, -1))
        lanes = every.places // LANE
        whole = bounds[1][lanes]
        shares = np.sort(np.divide(every.sums, whole, out=np.zeros(len(lanes)), where=whole > 0))
        share = shares[-number] if number <= len(shares) else 0.0
        needed = np.maximum(needed, np.ceil(share * bounds[0] * (1 - 1e-6)).astype(np.int64))
        kept = every.sums >= needed[lanes]
        return ColumnMatches(every.queries[kept], every.places[kept], every.sums[kept]), needed

    def _candidates_plain(
        self, queries: NDArray[np.uint8], needed: Rows, after: Rows
    ) -> ColumnMatches:
        """`candidates` by the sums of all vectors."""
        bits = np.unpackbits(self.columns.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        terms = np.unpackbits(queries, axis=1, bitorder="little")
        sums = (terms * self.units) @ bits.astype(np.int64)
        searched = np.unpackbits(self._searched.view(np.uint8), bitorder="little").view(bool)
        is_enough = searched & (sums >= np.maximum(np.repeat(needed, LANE, axis=1), 1))
        rows, places = np.nonzero(is_enough & (np.arange(len(searched)) > after[:, None]))
        return ColumnMatches(rows, places, sums[rows, places])
