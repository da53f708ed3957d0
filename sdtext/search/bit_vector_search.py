"""Search by bit vectors: an exhaustive scan, scored as `Comparer` scores fingerprints.

Common bits are counted by products of matrices of 0 and 1. In floats of 32 bits these counts are
exact below 2**24; sums of weights are floats of 64 bits, and where these leave a score uncertain,
the matcher's whole numbers decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.collections.schema import bits_column
from sdtext.errors import FormatError, MismatchError, counted, shown
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.kernels.arrays.packed_bits import Weights, both
from sdtext.model import Problem, Similarity, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.matchers import VectorComparison, VectorMatcher
from sdtext.reading.parallel_run import COMPARING, Run
from sdtext.reading.read_document import BEGINNING
from sdtext.search.candidates.buckets import Rows
from sdtext.search.derived_columns import Columns
from sdtext.search.results import Curve, Links, MatchChances, QueryMatches
from sdtext.search.scoring import Scorer, Scores, exact_scores
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import SegmentView, Table
from sdtext.text.document import Document

_CELLS = 1 << 22  # of a matrix
_ONE = Similarity(1, 1)


@dataclass(frozen=True, eq=False)
class ByVectors:
    """Search by bit vectors: an exhaustive scan."""

    table: Table
    plan: SearchPlan
    exhaustive: bool = True

    def pairs(self) -> Links:
        """The similar pairs."""
        table, plan, weighting = self.table, self.plan, self._weighting
        sides = ([view for view in table.views if view.side == side] for side in (0, 1))
        left, right = (VectorColumn.of(views, plan, weighting) for views in sides)
        right = right if table.two_sided else left
        none: Any = np.empty((4, 0), np.int64)
        blocks = [tuple(none), *_similar_blocks(left, right, plan, weighting, table.run)]
        rows, others, score, similarity = (
            np.concatenate(column) for column in zip(*blocks, strict=True)
        )
        ordered = plan.symmetric and right is left
        pair = left.ids[rows], right.ids[others]
        links = Links.of(pair, Scores(score, similarity), ordered=ordered)
        columns = [left.vectors] if right is left else [left.vectors, right.vectors]
        return links.described(few_terms(columns), self.how)

    def encoded(self, documents: Sequence[Document]) -> Sequence[Vector]:
        """The bit vector of each document."""
        assert self.plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        dictionary = self.plan.dictionary
        return [fingerprint(document, dictionary).vectors[0] for document in documents]

    def reset(self) -> None:
        """Nothing: no caches are kept."""

    def query(self, document: Document, vector: Vector) -> QueryMatches:
        """The documents that are similar to `document`, which has this bit vector."""
        matches = self.query_vector(vector, document.source)
        self._check_language(document)
        return matches

    def query_vector(self, vector: Vector, name: str) -> QueryMatches:
        """The documents that are similar to a vector by the dictionary of the plan."""
        if vector.count < MIN_TERMS:
            message = (
                f"{shown(name)}: has only {counted(vector.count, 'term')} of the "
                f"dictionary; at least {MIN_TERMS} are needed"
            )
            self.problems.append(Problem("warning", "too-few-terms", message, name))
        query = Vectors.of(np.frombuffer(vector.packed, np.uint8)[None], self._weighting)
        column = self._column
        _, places, scores = similar_vectors(
            query, column.vectors, self._weighting, self.plan.minimum
        )
        chances = self._chances(vector.count, column.vectors.counts[places])
        return QueryMatches(column.ids[places], scores, chances=chances)

    def _chances(self, bits: int, others: Rows) -> MatchChances | None:
        """How often chance gives the scores of matches; None without a calibration."""
        assert self.plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        calibration = self.plan.dictionary.calibration(str(self.plan.matcher))
        compared = int((self._column.vectors.counts >= MIN_TERMS).sum())
        return MatchChances(calibration, bits, others, compared) if calibration else None

    def _check_language(self, document: Document) -> None:
        """Warn of a query in another language than the dictionary, once for each language."""
        if what := self._fit.foreign(document.clean[:BEGINNING]):
            known = {problem.what for problem in self.problems}
            misfits = in_other_languages([(Path(document.source), what)])
            self.problems.extend(problem for problem in misfits if problem.what not in known)

    @cached_property
    def _fit(self) -> LanguageFit:
        assert self.plan.dictionary is not None  # noqa: S101 (as in `query`)
        return LanguageFit(self.plan.dictionary)

    @property
    def how(self) -> str:
        """How vectors are compared, in a sentence."""
        return how_vectors(self.plan)

    @property
    def curve(self) -> Curve:
        """None: all vectors are compared."""
        return ()

    @cached_property
    def problems(self) -> list[Problem]:
        """Warnings about the searched documents and the queries."""
        return list(few_terms([self._column.vectors]))

    @cached_property
    def _weighting(self) -> Weighting:
        return Weighting.of(self.plan)

    @cached_property
    def _column(self) -> VectorColumn:
        return VectorColumn.of(self.table.views, self.plan, self._weighting)


def _similar_blocks(
    left: VectorColumn, right: VectorColumn, plan: SearchPlan, weighting: Weighting, run: Run
) -> Iterator[tuple[NDArray[Any], ...]]:
    """The similar pairs by blocks of vectors, as columns."""
    step = rows_at_once(left.vectors.packed)
    for start in range(0, len(left.vectors), step):
        lefts = left.vectors.cut(start, start + step)
        first = start if plan.symmetric and right is left else 0
        for begin in range(first, len(right.vectors), step):
            rights = right.vectors.cut(begin, begin + step)
            rows, columns, scores = similar_vectors(lefts, rights, weighting, plan.minimum)
            rows, columns = rows + start, columns + begin
            kept = rows != columns if right is left else rows >= 0
            if plan.symmetric and right is left:
                kept = rows < columns
            yield rows[kept], columns[kept], scores.score[kept], scores.similarity[kept]
        run.step(len(lefts), len(left.vectors), COMPARING)


@dataclass(frozen=True, eq=False)
class VectorColumn:
    """The numbers and vectors of the searched documents of a collection."""

    ids: Rows
    vectors: Vectors

    @classmethod
    def of(
        cls, views: Sequence[SegmentView], plan: SearchPlan, weighting: Weighting
    ) -> VectorColumn:
        assert plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        ids = [np.empty(0, np.int64)]
        packed = [np.empty((0, _width(plan.dictionary)), np.uint8)]
        for view in views:
            ids.append(np.asarray(view.segment.ids)[view.wanted])
            packed.append(_packed_in(view.segment, plan.dictionary)[view.wanted])
        return cls(np.concatenate(ids), Vectors.of(np.concatenate(packed), weighting))


def _packed_in(segment: Columns, dictionary: Dictionary) -> NDArray[np.uint8]:
    """The packed vectors of a segment by a dictionary; MismatchError where it has none."""
    name = bits_column(dictionary).name
    label = shown(dictionary.name) or dictionary.guid
    if name not in segment.arrays:
        raise MismatchError(
            f"the collection has no bit vectors made with dictionary {label}; add documents with it"
        )
    packed = np.asarray(segment.arrays[name])
    if packed.dtype != np.uint8 or packed.shape[1:] != (_width(dictionary),):
        raise FormatError(
            f"array {name} of the collection does not fit dictionary {label}", file=segment.name
        )
    return packed


def _width(dictionary: Dictionary) -> int:
    return (len(dictionary.terms) + 7) // 8


def few_terms(columns: Sequence[Vectors]) -> tuple[Problem, ...]:
    """A warning where documents have too few terms to be compared."""
    number = sum(int((vectors.counts < MIN_TERMS).sum()) for vectors in columns)
    if not number:
        return ()
    message = (
        f"{counted(number, 'document')} with fewer than {MIN_TERMS} terms of the dictionary: only "
        "equal documents are found"
    )
    return (Problem("warning", "too-few-terms", message),)


def how_vectors(plan: SearchPlan) -> str:
    """How bit vectors are compared, in a sentence."""
    assert plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
    name = plan.dictionary.name or plan.dictionary.guid
    return (
        f"bit vectors over the {counted(len(plan.dictionary.terms), 'term')} of dictionary {name}: "
        f"all compared by {plan.matcher}"
    )


@dataclass(frozen=True)
class Weighting:
    """A scorer of bit vectors with the weight of each bit: 1 where `numbers` is None."""

    scorer: Scorer
    numbers: tuple[int, ...] | None
    over: VectorComparison | None = None
    """What compares vectors, where the matcher is not one of sets."""

    @classmethod
    def of(cls, plan: SearchPlan) -> Weighting:
        """The weighting by the plan's matcher and dictionary."""
        numbers = plan.scorer.part.weights(plan.dictionary)
        over = plan.part.over(plan.dictionary) if isinstance(plan.part, VectorMatcher) else None
        return cls(plan.scorer, None if numbers is None else tuple(numbers), over)

    @cached_property
    def exact(self) -> Weights | None:
        """The weights as whole numbers."""
        return None if self.numbers is None else Weights.of(self.numbers)

    @cached_property
    def floats(self) -> NDArray[np.float64] | None:
        """The weights as floats."""
        return None if self.numbers is None else np.array(self.numbers, np.float64)

    def sums(self, packed: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sum of the weights of each row."""
        if self.floats is None:
            return _counts(packed).astype(np.float64)
        parts = [unpacked(block, len(self.floats)) @ self.floats for block in _blocks(packed)]
        return np.concatenate(parts or [np.empty(0)])

    def similarities(
        self, common: NDArray[Any], sides: tuple[Vectors, Vectors], pairs: tuple[Rows, Rows]
    ) -> NDArray[np.float64]:
        """The similarities of the pairs at some rows and columns of `common`, by floats."""
        left, right = sides
        if self.over:
            return self.over.similarities(common, left.packed, right.packed)[pairs]
        rows, columns = pairs
        return self.scorer.similarity(common[pairs], left.sums[rows], right.sums[columns])

    def similarity(self, first: NDArray[np.uint8], second: NDArray[np.uint8]) -> Similarity:
        """The similarity of two packed vectors by whole numbers."""
        left, right = first.tobytes(), second.tobytes()
        if self.exact is None:
            counts = (int.from_bytes(side, "little").bit_count() for side in (left, right))
            common = int.from_bytes(both(left, right), "little").bit_count()
            return self.scorer.exact(common, *counts)
        total = self.exact.total
        if self.over:
            return self.over.similarity(total(both(left, right)), left, right)
        return self.scorer.exact(total(both(left, right)), total(left), total(right))


@dataclass(frozen=True, eq=False)
class Vectors:
    """Packed bit vectors, a row each, with the number of their bits and the sum of weights."""

    packed: NDArray[np.uint8]
    counts: NDArray[np.int64]
    sums: NDArray[np.float64]

    @classmethod
    def of(cls, packed: NDArray[np.uint8], weighting: Weighting) -> Vectors:
        """The vectors with their sums of weights."""
        return cls(packed, _counts(packed), weighting.sums(packed))

    def __len__(self) -> int:
        return len(self.packed)

    def cut(self, start: int, stop: int) -> Vectors:
        """The rows of the half-open range from `start` to `stop`."""
        here = slice(start, stop)
        return Vectors(self.packed[here], self.counts[here], self.sums[here])


def similar_vectors(
    left: Vectors, right: Vectors, weighting: Weighting, minimum: int
) -> tuple[Rows, Rows, Scores]:
    """The pairs of a left and a right vector that score `minimum`, by their places.

    The rules are those of `Comparer`: equal vectors with a bit set have the similarity 1 under a
    symmetric matcher; other vectors need 8 bits, and a weight above 0.
    """
    common, equal, enough = _compared(left, right, weighting)
    rows, columns = np.nonzero(equal | (enough & (common > 0)))
    same = equal[rows, columns]
    similarity = np.ones(len(rows))
    pairs = rows[~same], columns[~same]
    similarity[~same] = weighting.similarities(common, (left, right), pairs)
    near = np.flatnonzero(100 * similarity >= minimum - 1e-6)
    rows, columns, same = rows[near], columns[near], same[near]

    def exact(place: int) -> Similarity:
        pair = left.packed[rows[place]], right.packed[columns[place]]
        return _ONE if same[place] else weighting.similarity(*pair)

    scores = exact_scores(similarity[near], exact)
    kept = scores.score >= minimum
    return rows[kept], columns[kept], scores.taken(kept)


def _compared(left: Vectors, right: Vectors, weighting: Weighting) -> tuple[NDArray[Any], ...]:
    """The common weight of each pair, which pairs are equal, and which have enough bits."""
    common = _products(left.packed, right.packed, None)
    equal = (common == left.counts[:, None]) & (common == right.counts) & (common > 0)
    equal &= weighting.scorer.part.symmetric
    enough = (left.counts >= MIN_TERMS)[:, None] & (right.counts >= MIN_TERMS)
    if weighting.floats is not None:
        common = _products(left.packed, right.packed, weighting.floats)
    return common, equal, enough


def unpacked(packed: NDArray[np.uint8], terms: int) -> NDArray[np.uint8]:
    """A byte of 0 or 1 for each bit."""
    return np.unpackbits(packed, axis=1, count=terms, bitorder="little")


def _products(
    left: NDArray[np.uint8], right: NDArray[np.uint8], weights: NDArray[np.float64] | None
) -> NDArray[Any]:
    """The number of common bits, or their weights, of each left vector with each right one."""
    kind: Any = np.float32 if weights is None else np.float64
    used = np.unpackbits(np.bitwise_or.reduce(left, axis=0, initial=0), bitorder="little")
    places = np.flatnonzero(used[: len(weights)] if weights is not None else used)
    ones: Any = _bits_at(left, places).astype(kind)
    if weights is not None:
        ones = ones * weights[places]
    products = np.empty((len(left), len(right)), kind)
    step = rows_at_once(right[:, : len(places) // 8 + 1])
    for start in range(0, len(right), step):
        block = _bits_at(right[start : start + step], places)
        products[:, start : start + step] = ones @ block.astype(kind).T
    return products


def _bits_at(packed: NDArray[np.uint8], places: NDArray[Any]) -> NDArray[np.uint8]:
    """The bits at some places, as bytes of 0 or 1."""
    if 4 * len(places) > 8 * packed.shape[1]:
        return np.unpackbits(packed, axis=1, bitorder="little")[:, places]
    return np.asarray((packed[:, places >> 3] >> (places & 7).astype(np.uint8)) & 1, np.uint8)


def _counts(packed: NDArray[np.uint8]) -> NDArray[np.int64]:
    return np.asarray(np.bitwise_count(packed).sum(axis=1, dtype=np.int64))


def _blocks(packed: NDArray[np.uint8]) -> Iterator[NDArray[np.uint8]]:
    step = rows_at_once(packed)
    return (packed[start : start + step] for start in range(0, len(packed), step))


def rows_at_once(packed: NDArray[np.uint8]) -> int:
    """The number of rows for a matrix of a good size."""
    return max(1, _CELLS // max(1, 8 * int(packed.shape[1])))
