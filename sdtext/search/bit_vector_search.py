"""Search by bit vectors, exactly: by bit-sliced columns where that pays, else by a scan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.collections.schema import bits_column
from sdtext.collections.storage.arrays import RowsWithChecksums
from sdtext.errors import FormatError, MismatchError, counted, shown
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.model import Problem, Vector
from sdtext.model.calibration import BORDERS
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.reading.parallel_run import COMPARING, Run
from sdtext.reading.read_document import BEGINNING
from sdtext.search.bit_vector_scoring import Vectors, Weighting, rows_at_once, similar_pairs
from sdtext.search.candidates.buckets import Rows
from sdtext.search.column_search import (
    IndexedSegment,
    is_for_columns,
    pays_for_pairs,
    pays_for_queries,
    similar_by_columns,
)
from sdtext.search.derived_columns import Columns
from sdtext.search.results import Curve, Links, MatchChances, QueryMatches, best_places
from sdtext.search.scoring import Scores
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import SegmentView, Table
from sdtext.text.document import Document

_HELD = 1 << 16  # pairs from which on those that are not among the best are dropped


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
        best = _BestPairs(plan.minimum, plan.question.top)
        for block in self._similar(left.vectors, right.vectors, best):
            best.add(block)
        rows, others, score, similarity = best.columns
        ordered = plan.symmetric and right is left
        pair = left.ids[rows], right.ids[others]
        links = Links.of(pair, Scores(score, similarity), ordered=ordered)
        columns = [left.searched_counts]
        columns += [] if right is left else [right.searched_counts]
        return links.described(few_terms(columns), self.how)

    def _similar(
        self, left: Vectors, right: Vectors, best: _BestPairs
    ) -> Iterator[tuple[NDArray[Any], ...]]:
        """The similar pairs by blocks of vectors, as columns: left, right, score, similarity.

        Those that are not among the best so far may be missing.
        """
        plan, weighting = self.plan, self._weighting
        by_columns = is_for_columns(plan, weighting)
        by_columns = by_columns and pays_for_pairs(plan, len(left), len(right))
        search = similar_by_columns if by_columns else _similar_blocks
        return search(left, right, weighting, lambda: best.minimum, self.table.run)

    def encoded(self, documents: Sequence[Document]) -> Sequence[Vector]:
        """The bit vector of each document."""
        assert self.plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        dictionary = self.plan.dictionary
        return [fingerprint(document, dictionary).vectors[0] for document in documents]

    def reset(self) -> None:
        """Nothing: no caches are kept."""

    def query(self, document: Document, vector: Vector) -> QueryMatches:
        """The documents that are similar to `document`, which has this bit vector.

        A calibration says nothing of a document in another language than the dictionary.
        """
        matches = self.query_vector(vector, document.source)
        return replace(matches, chances=None) if self._is_foreign(document) else matches

    def query_vector(self, vector: Vector, name: str) -> QueryMatches:
        """The documents that are similar to a vector by the dictionary of the plan."""
        if vector.count < MIN_TERMS:
            message = (
                f"{shown(name)}: has only {counted(vector.count, 'term')} of the "
                f"dictionary; at least {MIN_TERMS} are needed"
            )
            self.problems.append(Problem("warning", "too-few-terms", message, name))
        query = Vectors.of(np.frombuffer(vector.packed, np.uint8)[None], self._weighting)
        question = self.plan.question
        minimum, top = self.plan.minimum, None if question.recommended else question.top
        matches = [(part, *part.similar(query, minimum, top)) for part in self._parts]
        scores = Scores(
            np.concatenate([scores.score for _, _, scores in matches]),
            np.concatenate([scores.similarity for _, _, scores in matches]),
        )
        counts = np.concatenate([part.counts[places] for part, places, _ in matches])
        ids = np.concatenate([part.ids[places] for part, places, _ in matches])
        if question.recommended:
            kept = scores.score >= self._levels(vector.count, counts)
            ids, scores, counts = ids[kept], scores.taken(kept), counts[kept]
        return QueryMatches(ids, scores, chances=self._chances(vector.count, counts))

    def _levels(self, bits: int, others: Rows) -> Rows:
        """The recommended score of a query of so many bits with each of the others."""
        [calibration] = self.plan.calibrations
        levels = [calibration.recommended_level(bits, border) for border in (0, *BORDERS)]
        return np.array(levels, np.int64)[np.searchsorted(BORDERS, others, "right")]

    def _chances(self, bits: int, others: Rows) -> MatchChances | None:
        """How often chance gives the scores of matches; None without a calibration."""
        assert self.plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        calibration = self.plan.dictionary.calibration(str(self.plan.matcher))
        if calibration is None:
            return None
        reached = [
            sum(int((part.searched_counts >= border).sum()) for part in self._parts)
            if bits >= border >= MIN_TERMS
            else 0
            for border in BORDERS
        ]
        compared = {
            border: number - more
            for border, number, more in zip(BORDERS, reached, [*reached[1:], 0], strict=True)
        }
        return MatchChances(calibration, bits, others, compared)

    def _is_foreign(self, document: Document) -> bool:
        """Whether a query is in another language than the dictionary; warns once for each one."""
        what = self._fit.foreign(document.clean[:BEGINNING])
        if what:
            known = {problem.what for problem in self.problems}
            misfits = in_other_languages([(Path(document.source), what)])
            self.problems.extend(problem for problem in misfits if problem.what not in known)
        return bool(what)

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
        return list(few_terms([part.searched_counts for part in self._parts]))

    @cached_property
    def _weighting(self) -> Weighting:
        return Weighting.of(self.plan)

    @cached_property
    def _parts(self) -> Sequence[VectorColumn | IndexedSegment]:
        """The vectors that a query is compared with: segments by columns, the others scanned."""
        indexed = [view for view in self.table.views if self._has_columns(view)]
        scanned = [view for view in self.table.views if view not in indexed]
        assert self.plan.dictionary is not None  # noqa: S101 (as in `encoded`)
        dictionary, weighting = self.plan.dictionary, self._weighting
        column = VectorColumn.of(scanned, self.plan, weighting)
        return column, *(
            IndexedSegment(
                view.segment,
                _rows_in(view.segment, dictionary),
                view.wanted,
                dictionary.digest,
                weighting,
                self.table.run,
            )
            for view in indexed
        )

    def _has_columns(self, view: SegmentView) -> bool:
        is_for = is_for_columns(self.plan, self._weighting)
        return is_for and pays_for_queries(self.plan, len(view.wanted), int(view.wanted.sum()))


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
    left: Vectors,
    right: Vectors,
    weighting: Weighting,
    minimum: Callable[[], int],
    run: Run,
) -> Iterator[tuple[NDArray[Any], ...]]:
    """The similar pairs by blocks of vectors, all compared with all, as columns."""
    each_once = right is left and weighting.symmetric
    step = rows_at_once(left.packed)
    for start in range(0, len(left), step):
        lefts = left.cut(start, start + step)
        first = start if each_once else 0
        for begin in range(first, len(right), step):
            rights = right.cut(begin, begin + step)
            rows, columns, scores = similar_pairs(lefts, rights, weighting, minimum())
            rows, columns = rows + start, columns + begin
            kept = rows != columns if right is left else rows >= 0
            if each_once:
                kept = rows < columns
            yield rows[kept], columns[kept], scores.score[kept], scores.similarity[kept]
        run.step(len(lefts), len(left), COMPARING)


@dataclass(frozen=True, eq=False)
class VectorColumn:
    """The numbers and vectors of the searched documents of a collection, to be scanned."""

    ids: Rows
    vectors: Vectors
    weighting: Weighting

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
        vectors = Vectors.of(np.concatenate(packed), weighting)
        return cls(np.concatenate(ids), vectors, weighting)

    @property
    def counts(self) -> Rows:
        """The number of bits of each vector."""
        return self.vectors.counts

    @property
    def searched_counts(self) -> Rows:
        """The same: all are searched."""
        return self.counts

    def similar(self, query: Vectors, minimum: int, top: int | None) -> tuple[Rows, Scores]:  # noqa: ARG002 (as in columns)
        """The places of the vectors that score `minimum`."""
        return similar_pairs(query, self.vectors, self.weighting, minimum)[1:]


def _packed_in(segment: Columns, dictionary: Dictionary) -> NDArray[np.uint8]:
    """The packed vectors of a segment by a dictionary; MismatchError where it has none."""
    packed = np.asarray(segment.arrays[_column_of(segment, dictionary)])
    return _checked(packed, segment, dictionary)


def _rows_in(segment: Columns, dictionary: Dictionary) -> RowsWithChecksums:
    """The same, verified row by row."""
    rows = segment.rows_of(_column_of(segment, dictionary))
    _checked(rows.array, segment, dictionary)
    return rows


def _column_of(segment: Columns, dictionary: Dictionary) -> str:
    """The name of the column of vectors. Raises MismatchError."""
    name = bits_column(dictionary).name
    if name not in segment.arrays:
        label = shown(dictionary.name) or dictionary.guid
        raise MismatchError(
            f"the collection has no bit vectors made with dictionary {label}; add documents with it"
        )
    return name


def _checked(packed: NDArray[Any], segment: Columns, dictionary: Dictionary) -> NDArray[np.uint8]:
    """The packed vectors, if they fit the dictionary. Raises FormatError."""
    if packed.dtype != np.uint8 or packed.shape[1:] != (_width(dictionary),):
        name, label = bits_column(dictionary).name, shown(dictionary.name) or dictionary.guid
        raise FormatError(
            f"array {name} of the collection does not fit dictionary {label}", file=segment.name
        )
    return packed


def _width(dictionary: Dictionary) -> int:
    return (len(dictionary.terms) + 7) // 8


def few_terms(columns: Sequence[Rows]) -> tuple[Problem, ...]:
    """A warning where documents, given by their numbers of terms, have too few to be compared."""
    number = sum(int((counts < MIN_TERMS).sum()) for counts in columns)
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
