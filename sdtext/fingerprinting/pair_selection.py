"""The pairs of queries and documents that may be listed; all other pairs are only counted.

Documents with a single vector are gathered in blocks. Arrays bound the similarity of a query with
each of a block. A pair is left to `Comparer`, which scores it exactly, if by these bounds it may
reach the minimum score and be among the best of its query. Where the minimum is high, columns of
bits select the pairs that may reach it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import MismatchError, OptionError
from sdtext.fingerprinting.compare_fingerprints import SCAN, Comparer
from sdtext.fingerprinting.most_similar_vectors import PackedVectors
from sdtext.kernels.arrays.packed_bits import Weights
from sdtext.kernels.bit_columns import sums_in_common
from sdtext.model import Fingerprint
from sdtext.model.calibration import BORDERS, Calibration
from sdtext.parts.matchers import SetMatcher

_ROWS, _BYTES = 1 << 13, 1 << 24  # of a block at most
_HIGH = 20  # the minimum score from which on columns select pairs
_QUERIES = 8  # from which on they do so sooner than all pairs are scored by arrays
_UNITS = (1 << 16) - 1  # of the heaviest term
_NEAR = 1e-8  # of a similarity; floats are exact to more digits
_MOST = 0.995  # similarities from here on score 99
_TERMS = re.compile(r"(?<=^only )[\d,]+ terms?")
Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True)
class Wanted:
    """The pairs that become rows: those that score the minimum, the best `top` of each query.

    With `every`, all do, also those without a score.
    """

    minimum: int | Calibration = 1
    top: int | None = None
    every: bool = True


class QueryPair(NamedTuple):
    """A query and a document, by their names; `order` is the number of the document and of it."""

    order: tuple[int, int]
    name: str
    query: Fingerprint
    path: str
    candidate: Fingerprint


@dataclass
class Tally:
    """How many pairs were compared, by the name of the query, and what came of it.

    `comparisons` counts pairs of vectors by size class. `reasons` has, by what keeps pairs from a
    score, their number, the path and name of the first of them, and the message about it.
    """

    scored: Counter[str] = field(default_factory=Counter)
    reaching: int = 0
    comparisons: dict[str, Counter[int]] = field(default_factory=dict)
    reasons: dict[str, tuple[int, tuple[str, str], str]] = field(default_factory=dict)

    def add_scored(self, name: str, number: int, reaching: int) -> None:
        """Count pairs of a query that have a score, some of which reach the minimum."""
        self.scored[name] += number
        self.reaching += reaching

    def add_unscored(self, reason: str, number: int, first: tuple[str, str]) -> None:
        """Count pairs without a score for one reason; `first` has the path and name of one."""
        kind = _TERMS.sub("few terms", reason)
        before, earliest, message = self.reasons.get(kind, (0, first, reason))
        if first < earliest:
            earliest, message = first, reason
        self.reasons[kind] = before + number, earliest, message

    def add_comparisons(self, name: str, comparisons: Counter[int]) -> None:
        """Count pairs of vectors by size class."""
        self.comparisons.setdefault(name, Counter()).update(comparisons)

    @property
    def by_reason(self) -> list[tuple[str, int]]:
        """The reasons, without numbers of terms, with the number of pairs; common ones first."""
        rows = sorted(self.reasons.items(), key=lambda item: (-item[1][0], item[1][1]))
        return [(reason, number) for reason, (number, *_) in rows]

    @property
    def first_reason(self) -> str | None:
        """Why the first pair without a score has none; few terms only if all have few."""
        firsts = [
            (bool(_TERMS.search(message)), first, message)
            for _, first, message in self.reasons.values()
        ]
        return min(firsts)[2] if firsts else None


@dataclass(eq=False)
class PairSelection:
    """The pairs of queries and documents that may be wanted; the others go to the tally.

    `floors` has the similarity that the best of a query, by its name, reach: less is not wanted.
    `own_queries` gives the numbers of the queries that are the document at a path itself; such
    pairs are left out, and counted. `documents` counts the documents that were looked at.
    """

    comparer: Comparer
    queries: Sequence[tuple[str, Fingerprint]]
    wanted: Wanted
    own_queries: Callable[[str], Sequence[int]]
    tally: Tally = field(default_factory=Tally)
    floors: dict[str, float] = field(default_factory=dict)
    left_out: int = 0
    documents: int = 0

    def pairs(self, candidates: Iterable[tuple[str, Fingerprint]]) -> Iterator[QueryPair]:
        """The pairs that have to be scored exactly."""
        blocks: dict[Any, _DocumentBlock] = {}
        for number, (path, candidate) in enumerate(candidates):
            self.documents += 1
            skipped = self.own_queries(path)
            self.left_out += len(skipped)
            entry = _NumberedDocument(number, path, candidate, skipped)
            if not self._is_for_blocks or len(candidate.vectors) != 1:
                yield from self._all_pairs([entry], range(len(self.queries)))
                continue
            kind = _kind_of(candidate)
            block = blocks.setdefault(kind, _DocumentBlock([]))
            block.entries.append(entry)
            if block.is_full:
                yield from self._compared(blocks.pop(kind))
        for block in blocks.values():
            yield from self._compared(block)

    @cached_property
    def _is_for_blocks(self) -> bool:
        is_wanted = not self.wanted.every and self.comparer.index != SCAN
        return is_wanted and isinstance(self.comparer.part, SetMatcher)

    def _all_pairs(
        self, entries: Iterable[_NumberedDocument], numbers: Iterable[int]
    ) -> Iterator[QueryPair]:
        """The pairs of some documents with the queries of these numbers."""
        return (
            QueryPair((entry.number, number), *self.queries[number], entry.path, entry.fingerprint)
            for entry in entries
            for number in numbers
            if number not in entry.skipped
        )

    def _compared(self, block: _DocumentBlock) -> Iterator[QueryPair]:
        """The pairs of a block that may be wanted."""
        first = block.entries[0].fingerprint
        same: list[int] = []
        for number, (_, query) in enumerate(self.queries):
            if len(query.vectors) != 1:
                yield from self._all_pairs(block.entries, [number])
            elif _comparable_kind(query) == _comparable_kind(first):
                same.append(number)
            elif _digest(query) == _digest(first) and query.kind == first.kind:  # damaged
                yield from self._all_pairs(block.entries, [number])
            else:
                self._drop_unscored(number, block, block.others(number))
        if same:
            yield from self._compared_by_arrays(same, block)

    def _compared_by_arrays(
        self, numbers: Sequence[int], block: _DocumentBlock
    ) -> Iterator[QueryPair]:
        """The pairs of queries over the dictionary of a block that may be wanted."""
        try:
            weights = self.comparer.weights_of(_digest(block.entries[0].fingerprint))
            has_weights = True
        except (MismatchError, OptionError):  # which the first pair with a weight raises, too
            weights, has_weights = None, False
        vectors = [self.queries[number][1].vectors[0] for number in numbers]
        least_terms = max(self.comparer.min_terms, getattr(self._part, "least_terms", 0))
        left, right = (
            PackedVectors.of(side, weights, least_terms) for side in (vectors, block.vectors)
        )
        rest = np.array([block.others(number) for number in numbers])
        for place, number in enumerate(numbers):
            if self.comparer.part.symmetric:
                equal = block.equal.get(vectors[place].packed, [])
                entries = (block.entries[other] for other in equal)
                yield from self._all_pairs(entries, [number])
                rest[place, equal] = False
            few = rest[place] & ~(right.comparable & left.comparable[place])
            self._drop_unscored(number, block, few)
            weightless = np.full(len(right), not has_weights)
            if has_weights:
                weightless |= (right.sums == 0) | (left.sums[place] == 0)
            self._drop_unscored(number, block, weightless & rest[place] & ~few)
            rest[place] &= ~(few | weightless)
        if has_weights:
            bounds = _Bounds(left, right, self._part, weights)
            for place, bound in bounds.of(rest, int(self._levels.min())):
                yield from self._chosen(numbers[place], block, bound, rest[place])

    @property
    def _part(self) -> SetMatcher:
        assert isinstance(self.comparer.part, SetMatcher)  # noqa: S101 (as `_is_for_blocks` says)
        return self.comparer.part

    @cached_property
    def _levels(self) -> Places:
        """The minimum score in each size class."""
        minimum = self.wanted.minimum
        borders = (0, *BORDERS)
        if isinstance(minimum, int):
            return np.full(len(borders), minimum)
        return np.array([minimum.recommended_level(least, least) for least in borders])

    def _chosen(
        self, number: int, block: _DocumentBlock, bound: _Bound, compared: Marks
    ) -> Iterator[QueryPair]:
        """Those of the compared pairs of a query that may be wanted by their bounds."""
        name, query = self.queries[number]
        bits = np.minimum(block.counts[bound.places], query.vectors[0].count)
        least = self._levels[np.searchsorted(BORDERS, bits, "right")] / 100
        low, high = np.minimum(bound.low, _MOST), np.minimum(bound.high, _MOST)
        may, surely = high >= least - _NEAR, low >= least + _NEAR
        top, chosen = self.wanted.top, may
        if top is not None:
            floor, known = self.floors.get(name, 0.0), bound.low[surely]
            if len(known) > top > 0:
                floor = max(floor, float(np.partition(known, -top)[-top]))
            chosen = may & ((bound.high >= floor - _NEAR) | ~surely)
        places = bound.places[chosen]
        dropped = compared.copy()
        dropped[places] = False
        self.tally.add_scored(name, int(dropped.sum()), int((surely & ~chosen).sum()))
        self._count_comparisons(number, block, dropped)
        yield from self._all_pairs((block.entries[place] for place in places), [number])

    def _drop_unscored(self, number: int, block: _DocumentBlock, dropped: Marks) -> None:
        """Count pairs of a query that have no score, all for one reason."""
        places = np.flatnonzero(dropped).tolist()
        if not places:
            return
        name, query = self.queries[number]
        first = block.entries[min(places, key=lambda place: block.entries[place].path)]
        problem = self.comparer.best(query, first.fingerprint).problem
        assert problem is not None  # noqa: S101 (the pair has no score)
        self.tally.add_unscored(problem.message, len(places), (first.path, name))
        self._count_comparisons(number, block, dropped)

    def _count_comparisons(self, number: int, block: _DocumentBlock, dropped: Marks) -> None:
        """Count the pairs by size class, for statements of chance."""
        name, query = self.queries[number]
        first = block.entries[0].fingerprint
        if not self.comparer.calibrations or _digest(query) != _digest(first):
            return
        bits = np.minimum(block.counts[dropped], query.vectors[0].count)
        classes = np.searchsorted(BORDERS, bits[bits >= self.comparer.min_terms], "right")
        numbers = np.bincount(classes, minlength=len(BORDERS) + 1).tolist()
        self.tally.add_comparisons(name, +Counter(dict(zip((0, *BORDERS), numbers, strict=True))))


class _NumberedDocument(NamedTuple):
    """A document with its number; `skipped` has the numbers of the queries that it is itself."""

    number: int
    path: str
    fingerprint: Fingerprint
    skipped: Sequence[int]


def _digest(fingerprint: Fingerprint) -> str:
    """The dictionary of the only vector of a fingerprint."""
    return fingerprint.reference(fingerprint.vectors[0]).digest


def _comparable_kind(fingerprint: Fingerprint) -> tuple[str, str, int]:
    """What two fingerprints of one vector have in common that are compared by arrays."""
    return fingerprint.kind, _digest(fingerprint), len(fingerprint.vectors[0].packed)


def _kind_of(fingerprint: Fingerprint) -> Any:
    """What fingerprints of one vector have in common whose mismatches have one message."""
    [vector] = fingerprint.vectors
    return fingerprint.kind, fingerprint.reference(vector), len(vector.packed)


@dataclass(eq=False)
class _DocumentBlock:
    """Documents of one vector each, made in one way over one dictionary."""

    entries: list[_NumberedDocument]

    @property
    def is_full(self) -> bool:
        """Whether it is to be compared."""
        width = len(self.entries[0].fingerprint.vectors[0].packed)
        return len(self.entries) >= max(1, min(_ROWS, _BYTES // max(1, width)))

    def others(self, number: int) -> Marks:
        """Which documents are not the query of that number itself."""
        marks = np.ones(len(self.entries), bool)
        marks[self._skipped.get(number, [])] = False
        return marks

    @cached_property
    def _skipped(self) -> dict[int, list[int]]:
        """The places of the documents that are a query itself, by the number of the query."""
        skipped: dict[int, list[int]] = {}
        for place, entry in enumerate(self.entries):
            for number in entry.skipped:
                skipped.setdefault(number, []).append(place)
        return skipped

    @cached_property
    def vectors(self) -> list[Any]:
        """Their vectors."""
        return [entry.fingerprint.vectors[0] for entry in self.entries]

    @cached_property
    def counts(self) -> Places:
        """The number of bits of each."""
        return PackedVectors.of(self.vectors, None, 0).sums.astype(np.int64)

    @cached_property
    def equal(self) -> dict[bytes, list[int]]:
        """The places of each vector."""
        places: dict[bytes, list[int]] = {}
        for place, vector in enumerate(self.vectors):
            places.setdefault(vector.packed, []).append(place)
        return places


class _Bound(NamedTuple):
    """Bounds of the similarities of a query with the vectors at some places; others have less."""

    places: Places
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Bounds of the similarities of queries with the vectors of a block."""

    left: PackedVectors
    right: PackedVectors
    part: SetMatcher
    weights: Weights | None

    def of(self, compared: NDArray[np.bool_], least: int) -> Iterator[tuple[int, _Bound]]:
        """The bounds for each query, where those that score less than `least` may be missing.

        `compared` marks the pairs that have a score.
        """
        if least >= _HIGH and len(self.left) >= _QUERIES and self._has_bound:
            return self._by_columns(compared, least)
        return self._of_all(compared)

    @property
    def _has_bound(self) -> bool:
        return bool(self.part.least_common(0.5, np.ones(1), np.ones(1))[0] > 0)

    def _of_all(self, compared: NDArray[np.bool_]) -> Iterator[tuple[int, _Bound]]:
        for place, packed in enumerate(self.left.packed):
            places = np.flatnonzero(compared[place])
            left, right = self.left.sums[place], self.right.sums[places]
            most = np.minimum(left, right)
            low, high = (
                self.part.similarities(np.minimum(common[places], most), left, right)
                for common in self._in_common(np.unpackbits(packed, bitorder="little").view(bool))
            )
            yield place, _Bound(places, low, high)

    def _in_common(self, bits: Marks) -> tuple[Floats, Floats]:
        """Bounds of what a query of these bits has in common with each vector."""
        terms = np.flatnonzero(bits)
        exact, units = self._units[:, terms]
        whole = units.astype(np.int64)
        number = int(whole.max(initial=0)).bit_length()
        digits = [terms[(whole >> digit) & 1 == 1] for digit in range(number)]
        common = np.zeros(len(self.right))
        common[self.right.order] = sums_in_common(self.right.index.columns, digits, len(common))
        low = np.maximum(common - (units - exact).sum(), 0) * (1 - _NEAR)
        return low * self._unit, common * self._unit

    @cached_property
    def _unit(self) -> float:
        """The weight that counts as 1."""
        weights = self.right.weight_of_each
        return 1.0 if weights is None else float(weights.max(initial=0)) / _UNITS or 1.0

    @cached_property
    def _units(self) -> Floats:
        """The weight of each term in units, and the same rounded up."""
        weights = self.right.weight_of_each
        if weights is None:
            return np.ones((2, 8 * self.right.packed.shape[1]))
        return np.stack([weights / self._unit, np.ceil(weights / self._unit * (1 + _NEAR))])

    def _by_columns(self, compared: NDArray[np.bool_], least: int) -> Iterator[tuple[int, _Bound]]:
        floor = least / 100 - _NEAR
        candidates = self.right.index.candidates(
            self.left.packed,
            self.left.sums,
            lambda left, right: self.part.least_common(floor, left, right),
        )
        order = np.argsort(candidates.queries, kind="stable")
        numbers = np.arange(len(self.left) + 1)
        starts = np.searchsorted(candidates.queries[order], numbers)
        for place in range(len(self.left)):
            places = self.right.order[candidates.places[order[starts[place] : starts[place + 1]]]]
            places = np.sort(places[compared[place, places]])
            common = self.left.sums_of(self.left.packed[place] & self.right.packed[places])
            left, right = self.left.sums[place], self.right.sums[places]
            similarity = self.part.similarities(common, left, right)
            yield place, _Bound(places, similarity, similarity)
