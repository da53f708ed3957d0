"""Search by bit vectors, exactly: by bit-sliced columns where that pays, else by a scan.

Columns give candidates; these are then scored as a scan scores them. Weighted sums of columns are
rounded up, so that a candidate may score too little, but none is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.schema import PLACED, vectors_column
from sdtext.errors import FormatError, MismatchError
from sdtext.fingerprinting.fingerprint_documents import fingerprints_of_documents
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.kernels.bit_columns import LANE, BitColumns, ColumnMatches, LeastCommon, columns_of
from sdtext.model import DictionaryReference, Problem, Vector
from sdtext.model.calibration import BORDERS, CHECKED_RATE, SCORES
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.indexes import ColumnIndex, Scan
from sdtext.reading.parallel_run import COMPARING, INDEXING, Run
from sdtext.search.bit_vector_scoring import (
    Vectors,
    Weighting,
    bit_counts,
    rows_at_once,
    scored_pairs,
    similar_vectors,
)
from sdtext.search.candidates.buckets import Rows
from sdtext.search.results import Curve, Links, MatchChances, QueryMatches, best_places
from sdtext.search.scoring import Scores
from sdtext.search.search_explanations import minimum_in_words
from sdtext.search.search_plan import SearchPlan, in_words
from sdtext.search.searchable import Columns, SegmentView, Table
from sdtext.text.document import Document
from sdtext.wording import counted, shown

_QUERY, _ROW = 150, 15  # comparisons of a scan that take as long as a query, or as indexing a row
_LEAST_ROWS = 1 << 10  # of a segment whose columns are cached
_LEAST_SHARE = 1 / 16  # of these rows that are searched
_BATCH = 128  # queries at once, of so many places at most:
_PLACES = 1 << 23
_HIGH = 15  # the minimum score from which on columns pay where all that reach it are wanted
_FEW = 1 << 6  # candidates that are sooner compared than bounded
_ALONE = Run()
_NEAR = 1e-8  # of a similarity; sums are exact to more digits
_HELD = 1 << 16  # pairs from which on those that are not among the best are dropped


@dataclass(frozen=True, eq=False)
class IndexedVectors:
    """Vectors with their columns: `order` has the row of each place, `index` the columns."""

    vectors: Vectors
    order: Rows
    index: BitColumns
    weighting: Weighting

    @classmethod
    def of(cls, vectors: Vectors, weighting: Weighting, run: Run = _ALONE) -> IndexedVectors:
        """The index of vectors in memory, in the order of their sums of weights."""
        order = np.argsort(vectors.sums, kind="stable")
        total = len(vectors)
        columns = columns_of(vectors.packed, order, lambda done: run.step(done, total, INDEXING))
        weights = weights_of(weighting, vectors.packed.shape[1])
        index = BitColumns(columns, frequencies_of(columns), vectors.sums[order], weights)
        return cls(vectors, order, index, weighting)

    def similar(
        self, queries: Vectors, minimum: int, after: Rows | None = None
    ) -> tuple[Rows, Rows, Scores]:
        """The rows of queries and vectors that score `minimum`.

        With `after`, only those behind that place of each query.
        """
        floor = minimum / 100
        return self._scored(queries, self._candidates(queries, floor, after), floor, minimum)

    def best(self, query: Vectors, minimum: int, number: int) -> tuple[Rows, Scores]:
        """The vectors that score `minimum`: at least the best `number` of them.

        What is left out by units has less than these only if no weights are rounded and the
        matcher's bounds are exact; else all are looked for once more, by what the best have.
        """
        leasts = self._least(minimum / 100), self._least(1.0)
        candidates, risen = self.index.best(query.packed[0], query.sums, leasts, number)
        floor = max(self._floor_of_best(query, candidates, number), minimum / 100)
        if (self.index.needed(query.sums, self._least(floor)) < risen).any():
            candidates = self._candidates(query, floor)
        return self._scored(query, candidates, floor, minimum)[1:]

    def _scored(
        self, queries: Vectors, candidates: ColumnMatches, floor: float, minimum: int
    ) -> tuple[Rows, Rows, Scores]:
        """The candidates that score `minimum`, if their similarity may reach `floor`."""
        rows, places = candidates.queries, candidates.places
        if len(places) > _FEW:
            above = np.flatnonzero(self._most(queries, candidates) >= floor - _NEAR)
            rows, places = rows[above], places[above]
        pairs = rows, self.order[places]
        return scored_pairs((queries, self.vectors), pairs, self.weighting, minimum)

    def _candidates(
        self, queries: Vectors, floor: float, after: Rows | None = None
    ) -> ColumnMatches:
        return self.index.candidates(queries.packed, queries.sums, self._least(floor), after)

    def _least(self, floor: float) -> LeastCommon:
        """The least sum in common for a similarity."""
        return partial(self.weighting.scorer.part.least_common, floor - _NEAR)

    def _most(self, queries: Vectors, candidates: ColumnMatches) -> NDArray[np.float64]:
        """The greatest similarity that each candidate can have."""
        left = queries.sums[candidates.queries]
        right = self.index.sizes[candidates.places]
        common = np.minimum(candidates.sums * self.index.unit, np.minimum(left, right))
        return self.weighting.scorer.similarity(common, left, right)

    def _floor_of_best(self, query: Vectors, candidates: ColumnMatches, number: int) -> float:
        """A similarity that so many of the candidates have; 0 where there are too few."""
        rows, similarity = self.order[candidates.places], self._most(query, candidates)
        is_enough = self.vectors.counts[rows] >= self.weighting.least
        rows, similarity = rows[is_enough], similarity[is_enough]
        if self.index.weights is not None:  # the sums are rounded up
            if len(rows) > 2 * number:
                rows = rows[np.argpartition(-similarity, 2 * number)[: 2 * number]]
            pairs = np.zeros_like(rows), rows
            sides = query, self.vectors
            similarity = scored_pairs(sides, pairs, self.weighting, 0)[2].similarity
        enough = len(similarity) >= number
        return float(np.partition(similarity, -number)[-number]) if enough else 0.0


def weights_of(weighting: Weighting, width: int) -> NDArray[np.float64] | None:
    """The weight of each bit of vectors of so many bytes; None where all are 1."""
    if weighting.floats is None:
        return None
    return np.pad(weighting.floats, (0, 8 * width - len(weighting.floats)))


def frequencies_of(columns: NDArray[np.uint64]) -> Rows:
    """The number of bits in each column."""
    return np.asarray(np.bitwise_count(columns).sum(axis=1, dtype=np.int64))


def similar_by_columns(
    left: Vectors, right: Vectors, weighting: Weighting, minimum: Callable[[], int], run: Run
) -> Iterator[tuple[NDArray[Any], ...]]:
    """The pairs that score `minimum`, in blocks: rows, others, score, similarity.

    The minimum may rise from block to block.

    Where both are the same vectors, pairs of a vector with itself are left out, and those that
    differ in direction alone, if the matcher is symmetric.
    """
    indexed = IndexedVectors.of(right, weighting, run)
    is_same, order = left is right, indexed.order
    queries = order if is_same else np.argsort(left.sums, kind="stable")
    each_once = is_same and weighting.symmetric
    step = max(1, min(_BATCH, _PLACES // max(1, len(right))))

    def block(start: int) -> tuple[Rows, Rows, Rows, Scores]:
        """Some queries, and which of them are similar to which vectors."""
        here = queries[start : start + step]
        after = np.arange(start, start + len(here)) if each_once else None
        return here, *indexed.similar(left.take(here), minimum(), after)

    starts = range(0, len(queries), step)
    from concurrent.futures import ThreadPoolExecutor  # slow to import

    pool = ThreadPoolExecutor(run.jobs)
    try:
        for here, rows, others, scores in (pool.map if run.jobs > 1 else map)(block, starts):
            kept = here[rows] != others if is_same else rows >= 0
            yield here[rows][kept], others[kept], scores.score[kept], scores.similarity[kept]
            run.step(len(here), len(queries), COMPARING)
    finally:
        pool.shutdown(cancel_futures=True)
    # Equal vectors whose terms have no weight have no columns in common.
    lefts, rights = (np.flatnonzero((side.sums == 0) & (side.counts > 0)) for side in (left, right))
    if len(lefts) and len(rights):
        sides = left.take(lefts), right.take(rights)
        rows, others, scores = similar_vectors(*sides, weighting, minimum())
        rows, others = lefts[rows], rights[others]
        kept = rows >= 0
        if is_same:
            kept = rows < others if weighting.symmetric else rows != others
        yield rows[kept], others[kept], scores.score[kept], scores.similarity[kept]


def indexed_segment(
    segment: Columns,
    packed: NDArray[np.uint8],
    wanted: NDArray[np.bool_],
    key: str,
    weighting: Weighting,
    run: Run = _ALONE,
) -> IndexedVectors:
    """The columns of a segment, derived from its packed vectors once and cached beside it.

    Places are in the order of the numbers of bits, whatever the weights. `key` names the
    dictionary, `wanted` the rows that are searched.
    """
    rows, width = packed.shape

    def derived(name: str, make: Any, dtype: str, *shape: int) -> NDArray[Any]:
        return np.asarray(segment.derived(f"bits-{key}-{name}", make, (dtype, shape or (rows,))))

    counts = derived("counts", lambda: bit_counts(packed), "<i8")
    sums = counts.astype(np.float64)
    if weighting.numbers is not None:
        mark = blake2b(repr(weighting.scorer.matcher).encode(), digest_size=6).hexdigest()
        sums = derived(f"sums-{mark}", lambda: weighting.sums(packed), "<f8")
    order = derived("order", lambda: np.argsort(counts, kind="stable"), "<i8")
    shape = 8 * width, -(-rows // LANE) * LANE // 64

    def made() -> NDArray[np.uint64]:
        return columns_of(packed, order, lambda done: run.step(done, rows, INDEXING))

    columns = derived("columns", made, "<u8", *shape)
    frequencies = derived("frequencies", lambda: frequencies_of(columns), "<i8", 8 * width)
    weights = weights_of(weighting, width)
    index = BitColumns(columns, frequencies, sums[order], weights, wanted[order])
    return IndexedVectors(
        Vectors(packed, counts, sums, segment.arrays.get(PLACED)), order, index, weighting
    )


@dataclass(frozen=True, eq=False)
class ByVectors:
    """Search by bit vectors: by columns where that pays, else by a scan, which finds the same."""

    table: Table
    plan: SearchPlan
    exhaustive: bool = True
    curve: ClassVar[Curve] = ()
    """None: all vectors are compared."""

    def pairs(self) -> Links:
        """The similar pairs."""
        table, plan = self.table, self.plan
        sides = ([view for view in table.views if view.side == side] for side in (0, 1))
        left, right = (VectorColumn.of(views, plan, self.weighting) for views in sides)
        right = right if table.two_sided else left
        best = _BestPairs(plan.minimum, plan.question.top)
        sizes = len(left.vectors), len(right.vectors)
        pays = sizes[0] * sizes[1] > _QUERY * sizes[0] + _ROW * sizes[1]
        by_columns = self._has_bound and (pays or isinstance(plan.stated_index, ColumnIndex))
        search = similar_by_columns if by_columns else _similar_blocks
        sides_and_weights = left.vectors, right.vectors, self.weighting
        for block in search(*sides_and_weights, lambda: best.minimum, table.run):
            best.add(block)
        rows, others, score, similarity = best.columns
        ordered = plan.symmetric and right is left
        pair = left.ids[rows], right.ids[others]
        links = Links.of(pair, Scores(score, similarity), ordered=ordered)
        note_few_terms([left] if right is left else [left, right], table.run)
        return replace(links, how=self.how)

    def encoded(self, documents: Sequence[Document]) -> Sequence[Sequence[Vector]]:
        """The bit vector of each document; a fingerprint may have several."""
        assert self.plan.dictionary is not None  # noqa: S101 (documents come with a dictionary)
        made = fingerprints_of_documents(documents, [self.plan.dictionary])
        return [fingerprint.vectors[:1] for fingerprint in made]

    def reset(self) -> None:
        """Nothing: no caches are kept."""

    def note_searched(self, run: Run) -> None:
        """Report documents of too few terms."""
        note_few_terms(self._parts, run)

    def problems_of(self, name: str, vectors: Sequence[Vector]) -> Iterator[Problem]:
        """Why a query of that name finds less than others: it has few terms of the dictionary."""
        bits, least = max(vector.count for vector in vectors), self.weighting.least
        if bits < least:
            what = (
                f"has only {counted(bits, 'term')} of the dictionary; at least {least} are needed"
            )
            yield Problem.at("warning", "too-few-terms", name, what)

    def query(self, vectors: Sequence[Vector]) -> QueryMatches:
        """The documents that are similar to one of the vectors, each with its best score."""
        question = self.plan.question
        top = None if question.recommended or len(vectors) > 1 else question.top
        bits = max(vector.count for vector in vectors)
        whole = np.empty(0, np.int64)
        found: tuple[NDArray[Any], ...] = (whole, whole, np.empty(0), whole)
        for vector in vectors:
            query = Vectors.of_fingerprint([vector], self.weighting)
            for part in self._parts:
                rows, scores = part.similar(query, self.plan.minimum, top)
                counts = part.vectors.counts[rows]
                columns = part.ids[rows], scores.score, scores.similarity, counts
                found = tuple(map(np.concatenate, zip(found, columns, strict=True)))
            has_segments = any(PLACED in view.segment.arrays for view in self.table.views)
            if len(vectors) > 1 or has_segments:
                order = np.argsort(-found[2], kind="stable")
                first = order[np.unique(found[0][order], return_index=True)[1]]
                found = tuple(column[first] for column in found)
        ids, score, similarity, counts = found
        chances = None
        if self.plan.calibrations:
            [calibration] = self.plan.calibrations
            if len(vectors) == 1:
                reached = int((score >= self._levels(bits, counts, CHECKED_RATE)).sum())
                if top is not None and reached >= top:
                    reached = self._reached(query, bits)
                chances = self._chances(bits, counts, reached)
            if question.recommended:
                high = score >= self._levels(bits, counts, calibration.recommended_rate or 0.0)
                ids, score, similarity, counts = (column[high] for column in found)
                chances = replace(chances, others=counts) if chances else None
        return QueryMatches(ids, Scores(score, similarity), chances=chances)

    def comparable(self, vectors: Sequence[Vector]) -> Rows:
        """The documents that vectors may be similar to: both have enough bits, and a weight."""
        sides = Vectors.of_fingerprint([*vectors], self.weighting)
        if not self.weighting.comparable(sides.counts, sides.sums).any():
            return np.empty(0, np.int64)
        return distinct(np.concatenate([part.comparable for part in self._parts]))

    def _levels(self, bits: int, others: Rows, rate: float) -> Rows:
        [calibration] = self.plan.calibrations
        levels = [calibration.level(bits, border, rate) for border in (0, *BORDERS)]
        known = [SCORES if level is None else level for level in levels]
        return np.array(known, np.int64)[np.searchsorted(BORDERS, others, "right")]

    def _reached(self, query: Vectors, bits: int) -> int:
        """How many documents reach the level of their size, where the best ones all do."""
        [calibration] = self.plan.calibrations
        least, number = max(calibration.lowest_level, self.plan.minimum), 0
        for part in self._parts:
            rows, scores = part.similar(query, least, None)
            levels = self._levels(bits, part.vectors.counts[rows], CHECKED_RATE)
            number += int((scores.score >= levels).sum())
        return number

    def _chances(self, bits: int, others: Rows, reached: int) -> MatchChances:
        """How often chance gives the scores of matches, of which so many reach their level."""
        at_least = [
            sum(int((part.searched_counts >= border).sum()) for part in self._parts)
            if bits >= border >= MIN_TERMS
            else 0
            for border in BORDERS
        ]
        compared = {
            border: number - more
            for border, number, more in zip(BORDERS, at_least, [*at_least[1:], 0], strict=True)
        }
        return MatchChances(self.plan.calibrations[0], bits, others, compared, reached)

    @property
    def how(self) -> str:
        """How vectors are compared, in a sentence."""
        reference = self.plan.reference
        dictionaries = [self.plan.dictionary] if self.plan.dictionary else []
        matcher = in_words(str(self.plan.matcher), dictionaries)
        return (
            f"bit vectors over the {counted(reference.terms, 'term')} of dictionary "
            f"{reference.name or reference.guid}: all compared by {matcher}; "
            f"{minimum_in_words(self.plan)}"
        )

    @cached_property
    def weighting(self) -> Weighting:
        """The weights of terms by the matcher."""
        plan = self.plan
        return Weighting.of(plan.matcher, plan.dictionary, plan.question.min_terms)

    @property
    def _has_bound(self) -> bool:
        if self.weighting.over or isinstance(self.plan.stated_index, Scan):
            return False
        part, one = self.weighting.scorer.part, np.ones(1)
        return bool(part.least_common(self.plan.minimum / 100, one, one)[0] > 0)

    @cached_property
    def _parts(self) -> Sequence[VectorColumn]:
        """The vectors that a query is compared with: segments by columns, the others scanned."""
        stated = isinstance(self.plan.stated_index, ColumnIndex)
        pays = stated or self.plan.minimum >= _HIGH or self.plan.question.top is not None
        indexed = []
        for view in self.table.views if self._has_bound and pays else ():
            rows, searched = len(view.wanted), view.wanted.sum()
            if rows > 0 if stated else rows >= _LEAST_ROWS and searched >= _LEAST_SHARE * rows:
                indexed.append(view)
        scanned = [view for view in self.table.views if view not in indexed]
        parts = [VectorColumn.of(scanned, self.plan, self.weighting)]
        for view in indexed:
            packed, key = packed_vectors(view.segment, self.plan), self.plan.reference.digest
            index = indexed_segment(
                view.segment, packed, view.wanted, key, self.weighting, self.table.run
            )
            ids = np.asarray(view.segment.ids)
            parts.append(VectorColumn(ids, index.vectors, view.wanted, self.weighting, index))
        return parts


@dataclass
class _BestPairs:
    """Similar pairs as columns; with `top`, the best of them and all equal to the last of these.

    `minimum` is the score that pairs need: it rises to that of the worst pair that is kept.
    """

    minimum: int
    top: int | None
    blocks: list[tuple[NDArray[Any], ...]] = field(default_factory=list)
    held: int = 0

    def add(self, block: tuple[NDArray[Any], ...]) -> None:
        """Add the pairs of a block: rows, others, score, similarity."""
        self.blocks.append(block)
        self.held += len(block[0])
        if self.top is not None and self.held > max(_HELD, 2 * self.top):
            rows, others, score, similarity = self.columns
            kept = best_places(similarity, self.top)
            self.blocks = [(rows[kept], others[kept], score[kept], similarity[kept])]
            self.held = len(kept)
            # Floats may be equal where exact scores differ by one.
            self.minimum = max(self.minimum, int(score[kept].min(initial=100)) - 1)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """All pairs that are kept."""
        none: Any = np.empty((4, 0), np.int64)
        return tuple(map(np.concatenate, zip(tuple(none), *self.blocks, strict=True)))


def _similar_blocks(
    left: Vectors, right: Vectors, weighting: Weighting, minimum: Callable[[], int], run: Run
) -> Iterator[tuple[NDArray[Any], ...]]:
    """The similar pairs by blocks of vectors, all compared with all, as columns."""
    each_once = right is left and weighting.symmetric
    step = rows_at_once(left.packed)
    for start in range(0, len(left), step):
        lefts = left.take(slice(start, start + step))
        first = start if each_once else 0
        for begin in range(first, len(right), step):
            rights = right.take(slice(begin, begin + step))
            rows, columns, scores = similar_vectors(lefts, rights, weighting, minimum())
            rows, columns = rows + start, columns + begin
            kept = rows != columns if right is left else rows >= 0
            if each_once:
                kept = rows < columns
            yield rows[kept], columns[kept], scores.score[kept], scores.similarity[kept]
        run.step(len(lefts), len(left), COMPARING)


@dataclass(frozen=True, eq=False)
class VectorColumn:
    """The numbers and vectors of documents, which are scanned if there is no `index`.

    `wanted` says which of them are searched.
    """

    ids: Rows
    vectors: Vectors
    wanted: NDArray[np.bool_]
    weighting: Weighting
    index: IndexedVectors | None = None

    @classmethod
    def of(
        cls, views: Sequence[SegmentView], plan: SearchPlan, weighting: Weighting
    ) -> VectorColumn:
        """The searched documents of some segments."""
        ids, placed = [np.empty(0, np.int64)], [np.empty(0, bool)]
        packed = [np.empty((0, _width(plan.reference)), np.uint8)]
        for view in views:
            ids.append(np.asarray(view.segment.ids)[view.wanted])
            packed.append(packed_vectors(view.segment, plan)[view.wanted])
            marks = view.segment.arrays.get(PLACED)
            placed.append(np.zeros(len(ids[-1]), bool) if marks is None else marks[view.wanted])
        vectors = Vectors.of(np.concatenate(packed), weighting, np.concatenate(placed))
        wanted = np.ones(len(vectors), bool)
        return cls(np.concatenate(ids), vectors, wanted, weighting)

    @cached_property
    def searched_counts(self) -> Rows:
        """The number of bits of each vector that is searched."""
        return self.vectors.counts[self.wanted]

    @cached_property
    def comparable(self) -> Rows:
        """The documents of the searched vectors that have enough bits and a weight."""
        vectors = self.vectors
        return self.ids[self.wanted & self.weighting.comparable(vectors.counts, vectors.sums)]

    def similar(self, query: Vectors, minimum: int, top: int | None) -> tuple[Rows, Scores]:
        """The places of the vectors that score `minimum`.

        With `top` and an index, at least the best of them and one more.
        """
        vectors, weighting = self.vectors, self.weighting
        if self.index is None:
            return similar_vectors(query, vectors, weighting, minimum)[1:]
        if not query.sums[0]:  # equal ones, without weight
            like = self.wanted & (vectors.sums == 0) & (vectors.counts == query.counts[0])
            rows = np.flatnonzero(like)
            places, scores = similar_vectors(query, vectors.take(rows), weighting, minimum)[1:]
            return rows[places], scores
        if top is None:
            _, rows, scores = self.index.similar(query, minimum)
        else:
            rows, scores = self.index.best(query, minimum, top + 1)
        order = np.argsort(rows)
        return rows[order], scores.take(order)


def packed_vectors(segment: Columns, plan: SearchPlan) -> NDArray[np.uint8]:
    """The packed vectors of a segment over the dictionary of a plan.

    Raises MismatchError where it has none, FormatError where they do not fit the dictionary.
    """
    reference, name = plan.reference, vectors_column(plan.reference.digest)
    label = shown(reference.name) or reference.guid
    if name not in segment.arrays:
        raise MismatchError(
            f"the collection has no bit vectors made with dictionary {label}; add documents with it"
        )
    packed = np.asarray(segment.arrays[name])
    if packed.dtype != np.uint8 or packed.shape[1:] != (_width(reference),):
        what = f"array {name} of the collection does not fit dictionary {label}"
        raise FormatError(what, file=segment.name)
    return packed


def _width(reference: DictionaryReference) -> int:
    return (reference.terms + 7) // 8


def note_few_terms(columns: Sequence[VectorColumn], run: Run) -> None:
    """Report documents that have too few terms to be compared."""
    number = sum(int((column.searched_counts < MIN_TERMS).sum()) for column in columns)
    if number:
        message = (
            f"{counted(number, 'document')} with fewer than {MIN_TERMS} terms of the dictionary: "
            "only equal documents are found"
        )
        run.note(Problem("warning", "too-few-terms", message))
