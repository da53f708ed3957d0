"""Bit-sliced columns: which of many bit vectors have enough in common with a query, exactly.

Beside the rows of packed vectors stands one column for each term: a bit for each vector, 64 of them
in a word. A query reads the columns of its own terms alone, some per cent of all bits.

- Vectors are in the order of their sizes (number of bits, or sum of weights), so that those of one
  word are of nearly one size. From the least and the greatest size of a word follows the least
  sum that a vector in it needs in common with the query. A word in which no vector can have so much
  is left out (BitBound).
- Columns are added by full adders on whole words (carry-save adders in a tree): the sum of a vector
  is spread over words, one for each binary digit, and 64 vectors are added up at once.
- A single query reads columns of groups of eight vectors first, which are an eighth as long: a bit
  of these is set where one of the eight vectors has its bit. Few groups have enough in common by
  chance. Where they are few, their vectors are the candidates.
- Columns are added from the heaviest and rarest term on. What is still to be added is an upper
  bound of what a sum can gain, so most words are given up long before the last column. How many
  columns come first is estimated from the document frequencies; a bad estimate costs time alone.
- Weights are rounded up to whole units. The rounded sum is never below the exact one, so that no
  vector is missed; some of the candidates have too little in common, which exact weights show
  afterwards. Where every weight is 1, nothing is rounded.

D. Rinfret, P. O'Neil, E. O'Neil: Bit-sliced index arithmetic, SIGMOD 2001. O. Kaser, D. Lemire:
Compressed bitmap indexes: beyond unions and intersections, 2014 (threshold queries). S. J.
Swamidass, P. Baldi: Bounds and algorithms for fast exact searches of chemical fingerprints in
linear and sublinear time, 2007. The tree of adders is that of R. M. Harley and D. Seal: W. Muła, N.
Kurz, D. Lemire: Faster population counts using AVX2 instructions, 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]
LeastCommon = Callable[[Floats, Floats], Floats]
"""The least sum in common that a query and a vector of these sizes, or a greater one, need.

It is given arrays that broadcast: the sizes of queries and of vectors. A vector of a greater size
must not need less, as long as it is not smaller than what is in common.
"""

_ROWS = 1 << 10  # transposed at once: 1 MB of vectors of 8,192 bits, which stays in the cache
_GATHERED = 1 << 17  # words of columns that are added at once: 1 MB, which stays in the cache
_LEAST_PIECE = 32  # words of a column at once
_FEW = 32  # vectors for each query, which are sooner compared than added up further
_UNITS = 31  # of the heaviest term
_DEVIATIONS = 3  # above the expected sum of a random vector, so that few of them go on
_GROUP = 8  # vectors: a byte of a column
_MOST_GROUPS = 1 / 32  # of all groups, from which on columns of vectors are faster
_GROUP_WORDS = 1 << 10  # words of which the groups are searched at once
_SLACK = 1e-9  # relative; sums in floats of 64 bits are far more exact
_HALVES = (32, 16, 8, 4, 2, 1)  # of matrices of 64 by 64 bits, and of their quarters, and so on
_ONE = np.uint64(1)
_NEVER = 1 << 40  # more than any sum of units


def columns_of(
    packed: NDArray[np.uint8],
    order: Rows | None = None,
    progress: Callable[[int], None] | None = None,
) -> Words:
    """The columns of packed vectors, taken in an `order`, of shape (8 * bytes + 1, words).

    Bit p % 64 of word p // 64 is that of vector p. The last column is empty. `progress` is called
    with the number of vectors that were added since its last call.

    >>> columns_of(np.array([[0b01], [0b11]], np.uint8))[:3].tolist()
    [[3], [2], [0]]
    """
    number = len(packed) if order is None else len(order)
    width = packed.shape[1]
    columns = np.zeros((8 * width + 1, (number + 63) // 64), np.uint64)
    for start in range(0, number, _ROWS):
        here = slice(start, start + _ROWS)
        rows = packed[here] if order is None else packed[order[here]]
        words = slice(start // 64, (start + _ROWS) // 64)
        columns[:-1, words] = _transposed(rows)[: 8 * width]
        if progress:
            progress(len(rows))
    return columns


def _transposed(rows: NDArray[np.uint8]) -> Words:
    """The columns of packed rows: matrices of 64 by 64 bits, of which quarters change places.

    H. S. Warren: Hacker's Delight, 2nd edition, 2012, section 7-3.
    """
    number, width = rows.shape
    matrices = np.zeros(((number + 63) // 64, 64, (width + 7) // 8), "<u8")
    matrices.view(np.uint8).reshape(-1, 8 * matrices.shape[2])[:number, :width] = rows
    for half in _HALVES:
        halves = matrices.reshape(len(matrices), -1, 2, half, matrices.shape[2])
        upper, lower = halves[:, :, 0], halves[:, :, 1]
        shift, mask = np.uint64(half), np.uint64((2**64 - 1) // (2**half + 1))
        swapped = upper >> shift
        swapped ^= lower
        swapped &= mask
        lower ^= swapped
        swapped <<= shift
        upper ^= swapped
    return np.ascontiguousarray(matrices.transpose(2, 1, 0)).reshape(-1, len(matrices))


def groups_of(columns: Words) -> NDArray[np.uint8]:
    """The columns of groups of eight vectors: a byte for each word, a bit for each of its bytes.

    >>> groups_of(np.array([[0x8001], [0x100]], np.uint64)).tolist()
    [[3], [2]]
    """
    groups = np.empty(columns.shape, np.uint8)
    step = max(1, _GATHERED // max(1, columns.shape[1]))
    for start in range(0, len(columns), step):
        here = slice(start, start + step)
        is_set = columns[here].astype("<u8", copy=False).view(np.uint8) != 0
        groups[here] = np.packbits(is_set, axis=1, bitorder="little")
    return groups


@dataclass(frozen=True, eq=False)
class ColumnMatches:
    """Pairs of a query and a vector: the place of either, and the sum in common in `unit`s.

    The sum is an upper bound.
    """

    queries: Rows
    places: Rows
    sums: Rows

    @classmethod
    def joined(cls, parts: Sequence[ColumnMatches]) -> ColumnMatches:
        """All of them."""
        if len(parts) == 1:
            return parts[0]
        none = np.empty(0, np.int64)
        columns = ([none, *(getattr(part, name) for part in parts)] for name in cls.__match_args__)
        return cls(*map(np.concatenate, columns))


@dataclass(frozen=True, eq=False)
class BitColumns:
    """Vectors as columns, in an order of rising sizes or near it.

    `columns` are those of `columns_of`, `frequencies` the number of vectors that have each term,
    `sizes` the size of each vector, and `weights` that of each term, 1 where it is None. With
    `wanted`, a bit for each vector as in a column, the others are left out. `stored_groups` are
    those of `groups_of`, made when they are needed where it is None.
    """

    columns: Words
    frequencies: Rows
    sizes: Floats
    weights: Floats | None = None
    wanted: Words | None = None
    stored_groups: NDArray[np.uint8] | None = None

    @cached_property
    def groups(self) -> NDArray[np.uint8]:
        """The columns of groups."""
        return groups_of(self.columns) if self.stored_groups is None else self.stored_groups

    @cached_property
    def low(self) -> Floats:
        """The least size in each word."""
        return self._by_word(np.minimum)

    @cached_property
    def high(self) -> Floats:
        """The greatest size in each word."""
        return self._by_word(np.maximum)

    def _by_word(self, reduce: Any) -> Floats:
        starts = np.arange(0, len(self.sizes), 64)
        return np.asarray(reduce.reduceat(self.sizes, starts) if len(starts) else self.sizes)

    @cached_property
    def padded_sizes(self) -> Floats:
        """The size of each vector, and 0 for the bits behind them in the last word."""
        return np.append(self.sizes, np.zeros(-len(self.sizes) % 64))

    @cached_property
    def unit(self) -> float:
        """The weight that is counted as 1."""
        heaviest = 0.0 if self.weights is None else float(self.weights.max(initial=0.0))
        return heaviest / _UNITS if heaviest else 1.0

    @cached_property
    def terms(self) -> Rows:
        """The terms that have a weight, in the order in which their columns are added."""
        if self.weights is None:
            return np.argsort(self.frequencies, kind="stable")
        order = np.lexsort((self.frequencies, -self.weights))
        return order[: int((self.weights > 0).sum())]

    @cached_property
    def ranks(self) -> Rows:
        """The place of each term in `terms`, -1 where it has no weight."""
        ranks = np.full(len(self.columns) - 1, -1)
        ranks[self.terms] = np.arange(len(self.terms))
        return ranks

    @cached_property
    def added(self) -> Floats:
        """Of each column: its weight in units, the same rounded up, its mean and its variance."""
        exact = np.zeros(len(self.columns))
        exact[:-1] = 1 if self.weights is None else self.weights / self.unit
        units = exact if self.weights is None else np.ceil(exact * (1 + _SLACK))
        share = np.append(self.frequencies, 0) / max(1, len(self.sizes))
        return np.stack([exact, units, units * share, units * units * share * (1 - share)])

    @cached_property
    def group_shares(self) -> Floats:
        """The share of groups in each column, if terms are independent of each other."""
        return 1 - (1 - np.append(self.frequencies, 0) / max(1, len(self.sizes))) ** _GROUP

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
        bounds = self._least(sizes, least, after)
        alive = (bounds[0] if len(bounds) == 1 else bounds.min(axis=0, initial=_NEVER)) < _NEVER
        if not alive.any():
            return ColumnMatches.joined([])
        spans = [(int(alive.argmax()), len(alive) - int(alive[::-1].argmax()))]
        parts: list[ColumnMatches] = []
        if len(queries) == 1:
            parts, spans = _by_groups(self, queries[0], bounds[0], spans[0])
        if spans:
            batch = _QueryTerms.of(self, queries)
            live = [cells for span in spans for cells in _first_sums(self, batch, bounds, span)]
            parts += [part for cells in live for part in _all_sums(self, batch, bounds, cells)]
        result = ColumnMatches.joined(parts)
        if after is None:
            return result
        kept = result.places > after[result.queries]
        return ColumnMatches(result.queries[kept], result.places[kept], result.sums[kept])

    def searched(self, matches: ColumnMatches) -> ColumnMatches:
        """Those of wanted vectors that have a bit, and something in common."""
        places = matches.places
        kept = (matches.sums > 0) & (self.padded_sizes[places] > 0)
        if self.wanted is not None:
            bits = self.wanted[places >> 6] >> (places & 63).astype(np.uint64)
            kept &= (bits & _ONE).astype(bool)
        return ColumnMatches(matches.queries[kept], places[kept], matches.sums[kept])

    def _least(self, sizes: Floats, least: LeastCommon, after: Rows | None) -> Floats:
        """The least sum, in units, for each query and word; `_NEVER` where none can have it."""
        common = least(sizes[:, None], self.low) * (1 - _SLACK)
        most = np.minimum(sizes[:, None], self.high)
        bounds = np.where(common <= most, common / self.unit, _NEVER)
        if self.wanted is not None:
            bounds[:, self.wanted == 0] = _NEVER
        if after is not None:
            bounds[np.arange(len(self.low)) < (after // 64)[:, None]] = _NEVER
        return np.asarray(bounds, np.float64)


def _by_groups(
    index: BitColumns, query: NDArray[np.uint8], bounds: Floats, span: tuple[int, int]
) -> tuple[list[ColumnMatches], list[tuple[int, int]]]:
    """The candidates for one query by columns of groups, and the spans where these are too many."""
    terms = _SingleQuery.of(index, query)
    parts: list[ColumnMatches] = []
    left: list[tuple[int, int]] = []
    for start in range(*span, _GROUP_WORDS) if len(terms.terms) else ():
        stop = min(start + _GROUP_WORDS, span[1])
        reaching = terms.reaching(index, slice(start, stop), bounds[start:stop])
        if reaching is None:
            begin = left.pop()[0] if left and left[-1][1] == start else start
            left.append((begin, stop))
        elif len(reaching[0]):
            groups, most = reaching
            places = np.add.outer(_GROUP * (groups + _GROUP * start), np.arange(_GROUP)).ravel()
            sums = np.repeat(most, _GROUP)
            parts.append(index.searched(ColumnMatches(np.zeros_like(places), places, sums)))
    return parts, left


@dataclass(frozen=True, eq=False)
class _SingleQuery:
    """A query by itself: its terms in the order in which their columns of groups are added.

    `units` are the rounded weights, None where all are 1. Behind each term, `rest` is the exact
    weight of all further ones, `mean` that of the sum of a random group so far, and `seldom` what
    such a sum seldom reaches if all further ones are common.
    """

    terms: Rows
    units: Rows | None
    rest: Floats
    mean: Floats
    seldom: Floats

    @classmethod
    def of(cls, index: BitColumns, query: NDArray[np.uint8]) -> _SingleQuery:
        has_term = np.unpackbits(query, bitorder="little").view(bool)
        terms = index.terms[has_term[index.terms]]
        share = index.group_shares[terms]
        if index.weights is None:
            units, rest = None, np.arange(len(terms) - 1, -1.0, -1)
            mean = variance = np.cumsum(share)  # a little more than it is
        else:
            exact, units = index.added[0][terms], index.added[1][terms].astype(np.int64)
            rest = np.append(np.cumsum(exact[:0:-1])[::-1], 0)
            mean, variance = np.cumsum(units * share), np.cumsum(units**2 * share * (1 - share))
        seldom = mean + _DEVIATIONS * np.sqrt(variance) + 1 + rest
        return cls(terms, units, rest, mean, seldom)

    def reaching(self, index: BitColumns, words: slice, needed: Floats) -> tuple[Rows, Rows] | None:
        """The groups of some words that may have what each word needs, and their greatest sums.

        None where these are too many, or are expected to be.
        """
        middle = len(needed) // 2
        size = index.low[words][middle] / (index.low[len(index.low) // 2] or 1)
        if needed[middle] < size * self.mean[-1]:
            return None
        enough = self.seldom <= needed.min()
        number = int(enough.argmax()) + 1 if enough.any() else len(self.terms)
        rest = float(self.rest[number - 1]) * (1 + _SLACK)
        rows = index.groups[:, words][self.terms[:number]]
        sums = _sums_of_bits(rows, None if self.units is None else self.units[:number])
        groups = np.flatnonzero(sums >= np.repeat(needed - (rest + _SLACK), _GROUP))
        if len(groups) > max(_FEW, _MOST_GROUPS * len(sums)):
            return None
        return groups, sums[groups].astype(np.int64) + ceil(rest)


def _sums_of_bits(rows: NDArray[np.uint8], units: Rows | None) -> NDArray[Any]:
    """The sum of the units of the packed rows, 1 where there are none, that have each bit.

    Rows are overwritten.
    """
    most = len(rows) if units is None else int(units.sum())
    kind: Any = np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32
    if units is not None:
        bits = np.unpackbits(rows, axis=1, bitorder="little")
        return np.asarray(np.einsum("t,tg->g", units.astype(kind), bits, dtype=kind))
    third = len(rows) // 3  # of three rows, a full adder leaves two to be unpacked
    first, second, last = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
    carries = first & second
    first ^= second
    carries |= first & last
    last ^= first
    ones, twos = (
        np.add.reduce(np.unpackbits(part, axis=1, bitorder="little"), axis=0, dtype=kind)
        for part in (rows[2 * third :], carries)
    )
    return np.asarray(ones + 2 * twos)


@dataclass(frozen=True, eq=False)
class _QueryTerms:
    """Terms of queries, a column each, in the order of their addition, of these `columns`.

    Behind its last term a query has the empty column, -1, in one row at least. `units` are the
    rounded weights, None where all are 1; `rest` the exact weights of the terms from each row on;
    `seldom` is what the sum of a random vector seldom reaches, if all from that row on is common.
    """

    columns: Words
    terms: Rows
    units: Rows | None
    rest: Floats
    seldom: Floats

    @classmethod
    def of(cls, index: BitColumns, queries: NDArray[np.uint8]) -> _QueryTerms:
        bits = np.unpackbits(queries, bitorder="little").view(bool)
        owners, places = np.divmod(np.flatnonzero(bits), len(index.ranks))
        marks = np.zeros((len(queries), len(index.terms) + 1), bool)  # the last is of no weight
        marks[owners, index.ranks[places]] = True
        owners, ranks = np.nonzero(marks[:, :-1])
        counts = np.bincount(owners, minlength=len(queries))
        depth = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        terms = np.full((len(queries), int(counts.max(initial=0)) + 1), -1)
        terms[owners, depth] = index.terms[ranks]
        mean = _sums_before(index.added[2][terms])
        if index.weights is None:
            units, variance = None, mean  # a little more than it is
            rest = np.maximum(counts[:, None] - np.arange(terms.shape[1]), 0.0)
        else:
            exact, units = index.added[0][terms], index.added[1][terms].astype(np.int64).T
            variance = _sums_before(index.added[3][terms])
            rest = exact.sum(axis=1, keepdims=True) - _sums_before(exact)
        seldom = mean + _DEVIATIONS * np.sqrt(variance) + 1 + rest
        return cls(index.columns, terms.T, units, rest.T, seldom.T)

    @property
    def whole(self) -> Rows:
        """The number of rows for each query."""
        return np.full(self.terms.shape[1], len(self.terms) - 1)

    def first(self, least: Floats) -> Rows:
        """How many columns of each query, of which so much is needed, are added first."""
        enough = self.seldom <= least
        return np.where(enough.any(axis=0), enough.argmax(axis=0), self.whole)

    def digits(self, starts: Rows, stops: Rows) -> list[Rows]:
        """The terms of a range of each query, by the binary digits of their units.

        The last row of each digit has the empty column.
        """
        length = int((stops - starts).max(initial=0)) + 1
        rows = starts + np.arange(length)[:, None]
        np.putmask(rows, rows >= stops, -1)
        queries = np.arange(len(starts))
        terms = self.terms[rows, queries]
        if self.units is None:
            return [terms]
        units = np.where(rows < 0, 0, self.units[rows, queries])
        most = int(units.max(initial=0))
        return [_moved_up(terms, (units >> digit) & 1) for digit in range(most.bit_length())]


def _sums_before(rows: Floats) -> Floats:
    """The sum of what stands before each place of a row."""
    return np.cumsum(rows, axis=1) - rows


def _moved_up(terms: Rows, chosen: Rows) -> Rows:
    """The chosen terms of each query, moved up, with the empty column behind them."""
    depth = np.cumsum(chosen, axis=0) - 1
    rows, queries = np.nonzero(chosen)
    moved = np.full((int(depth[-1:].max(initial=-1)) + 2, chosen.shape[1]), -1)
    moved[depth[rows, queries], queries] = terms[rows, queries]
    return moved


@dataclass(frozen=True, eq=False)
class _LiveWords:
    """Words of vectors of which some, the bits of `alive`, may have enough in common with a query.

    `sums` has a word for each binary digit and cell, in which a sum is greater by the `excess` of
    its cell; `first` is how many columns each query added.
    """

    queries: Rows
    words: Rows
    alive: Words
    sums: Sequence[Words]
    excess: Rows
    first: Rows

    @property
    def vectors(self) -> ColumnMatches:
        """Each vector alive, with its sum."""
        bits = self.alive.astype("<u8").view(np.uint8).reshape(-1, 8)
        cells, shifts = np.nonzero(np.unpackbits(bits, axis=1, bitorder="little"))
        total = -self.excess[cells]
        for digit, row in enumerate(self.sums):
            bit = (row[cells] >> shifts.astype(np.uint64)) & _ONE
            total += bit.astype(np.int64) << digit
        return ColumnMatches(self.queries[cells], self.words[cells] * 64 + shifts, total)


def _first_sums(
    index: BitColumns, batch: _QueryTerms, bounds: Floats, span: tuple[int, int]
) -> Iterator[_LiveWords]:
    """The cells that are still alive after the first columns of each query."""
    start, end = span
    least = np.minimum.accumulate(bounds[:, end - 1 :: -1], axis=1)[:, ::-1]  # from each word on
    while start < end:
        widest = batch.first(least[:, start])
        size = max(1, len(bounds) * int(widest.max(initial=0)))
        stop = min(end, start + max(_LEAST_PIECE, _GATHERED // size))
        here = bounds[:, start:stop]
        first = widest if stop == end else batch.first(here.min(axis=1))
        digits = batch.digits(np.zeros_like(first), first)
        view = batch.columns[:, start:stop]
        rest = batch.rest[first, np.arange(len(first))][:, None] * (1 + _SLACK)
        sums, excess, alive = _reaching([view[terms] for terms in digits], here - rest)
        if index.wanted is not None:
            alive &= index.wanted[start:stop]
        live = np.nonzero(alive)
        if len(live[0]):
            kept = [digit[live] for digit in sums]
            yield _LiveWords(live[0], live[1] + start, alive[live], kept, excess[live], first)
        start = stop


def _all_sums(
    index: BitColumns, batch: _QueryTerms, bounds: Floats, cells: _LiveWords
) -> Iterator[ColumnMatches]:
    """The vectors in some cells that have enough in common by all columns.

    Of few vectors no further columns are added: all that is left may be in common.
    """
    if np.bitwise_count(cells.alive).sum() <= _FEW * len(batch.whole):
        few = cells.vectors
        rest = np.ceil(batch.rest[cells.first, np.arange(len(cells.first))] * (1 + _SLACK))
        most = few.sums + rest[few.queries].astype(np.int64)
        yield index.searched(ColumnMatches(few.queries, few.places, most))
        return
    digits = batch.digits(cells.first, batch.whole)
    step = max(_LEAST_PIECE, _GATHERED // max(1, sum(map(len, digits))))
    for start in range(0, len(cells.queries), step):
        here = slice(start, start + step)
        queries, words, excess = cells.queries[here], cells.words[here], cells.excess[here]
        before = [digit[here][None] for digit in cells.sums]
        more = [batch.columns[terms[:, queries], words] for terms in digits]
        needed = np.maximum(bounds[queries, words], 1) + excess
        spare = np.empty((1, len(queries)), np.uint64)
        together = [
            np.concatenate([*(side[digit] for side in (before, more) if digit < len(side)), spare])
            for digit in range(max(len(before), len(more)))
        ]
        sums, added_on, alive = _reaching(together, needed)
        alive &= cells.alive[here]
        yield _LiveWords(queries, words, alive, sums, excess + added_on, cells.first).vectors


def added(digits: Sequence[Words]) -> list[Words]:
    """The sums of columns, digit by digit, by a tree of carry-save adders.

    `digits[i]` has columns along its first axis whose bits count 2**i; it is overwritten. The
    result has one word, in place of the column, for each digit.

    >>> three = np.array([[0b011], [0b010], [0b110]], np.uint64)
    >>> [int(digit[0]) for digit in added([three])]
    [7, 2]
    """
    sums: list[Words] = []
    rows = digits[0] if digits else np.empty(0, np.uint64)
    while len(sums) < len(digits) or len(rows):
        sums.append(rows[0] if len(rows) else np.zeros(rows.shape[1:], np.uint64))
        rows = _carried(rows, digits[len(sums)] if len(sums) < len(digits) else rows[:0])
    return sums


def _carried(rows: Words, above: Words) -> Words:
    """The rows of the next digit: the carries of the sum of rows, and those `above`.

    The first row becomes the sum without carries. The carries, half as many as the rows, overwrite
    others of these: memory that is in the cache already. A single row is a sum without carries.
    """
    number, start, stop = len(rows), 0, 0
    if number < 2:
        return above
    common = np.empty((max(1, number // 3), *rows.shape[1:]), np.uint64)
    while number > 1:
        third, left = divmod(number, 3) if number > 2 else (1, 0)
        middle = left + third  # rows before `left` wait for the next turn
        first, second = rows[left:middle], rows[middle : middle + third]
        last = rows[middle + third : number]
        start, stop = (start, stop) if stop else (middle, middle)
        np.bitwise_and(first, second, out=common[:third])
        np.bitwise_xor(first, second, out=first)
        if len(last):  # a full adder
            np.bitwise_and(first, last, out=second)
            np.bitwise_xor(first, last, out=first)
            np.bitwise_or(common[:third], second, out=rows[stop : stop + third])
        else:
            rows[stop : stop + third] = common[:third]
        number, stop = middle, stop + third
    if stop + len(above) > len(rows):
        return np.concatenate([rows[start:stop], above])
    rows[stop : stop + len(above)] = above
    return rows[start : stop + len(above)]


def _reaching(rows: list[Words], needed: NDArray[Any]) -> tuple[list[Words], Rows, Words]:
    """The sums of rows with what they exceed the sums by, and the bits that reach what is needed.

    The last row of each digit is overwritten. To a sum is added what makes it reach a power of two
    if it is enough: the digit of that power then shows which vectors have enough.
    """
    top = sum((len(row) - 1) << digit for digit, row in enumerate(rows)).bit_length()
    most = 1 << top
    excess = most - np.minimum(np.maximum(np.ceil(needed - _SLACK), 0), most).astype(np.int64)
    shifts = np.arange(top + 1).reshape(-1, *[1] * excess.ndim)
    ones = np.negative((excess >> shifts) & 1).view(np.uint64)
    for digit, row in enumerate(rows):
        row[-1] = ones[digit]
    sums = added([*rows, *ones[len(rows) :, None]])
    return sums, excess, sums[top]
