"""Search by sets of shingles: exact join or LSH bands for pairs, a scan or bands for a query."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.kernels.arrays.equal_rows import distinct, sorted_hashes
from sdtext.kernels.arrays.ragged import Ragged, offsets_of
from sdtext.model import Problem
from sdtext.parts.indexes import Bands
from sdtext.reading.parallel_run import Run
from sdtext.search.candidates.buckets import Rows
from sdtext.search.candidates.exact_join import exact_join, quick_join
from sdtext.search.candidates.identical_set_groups import duplicates_in
from sdtext.search.candidates.intersections import (
    AllIntersections,
    PostingLists,
    common,
    common_counts,
)
from sdtext.search.candidates.lsh import Candidates, ScoreBound, lsh_candidates
from sdtext.search.results import Curve, Links, Oversized, QueryMatches
from sdtext.search.scoring import Scores, least_equal_slots
from sdtext.search.search_explanations import describe_oversized, how_sets
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import SegmentView, Table
from sdtext.text.document import Document

_MOST_INDEXED = 1 << 20  # shingles in posting lists, which take 40 MB at most
_RARE = 0.011  # the least Jaccard similarity, times the square of the mean weight
_ASSUMED = 10  # shingles of weight 1 that this mean counts besides, as it is of few otherwise
_SHORT = 0.5  # of the shingles of the smaller document: so many in common are enough
_ALIKE = 0.25  # of the shingles of both, likewise
_VERSIONS, _MOST = 0.1, 0.8  # a tenth is, where it is shared by so many of the similar ones
_SAME = 0.7  # of what the query shares with any, which is a template if each shares more
_COUNTED = 1 << 20  # shingles in which frequencies are counted, about: 2,000 documents
Shingles = NDArray[np.uint64]
"""The shingles of a document: sorted, each once."""
MOST_SCANNED = 1 << 23
"""The most stored shingles that are all compared with a query, which takes some 30 ms."""


@dataclass(eq=False)
class BySets:
    """Search by shingles; with `exhaustive` a query is compared with all documents.

    A subclass that `rescores` scores the pairs that shingles select by something else.
    """

    table: Table
    plan: SearchPlan
    exhaustive: bool = False
    total: int = 0
    """The shingles of all documents, if the table has a part of these."""
    is_asked_again: bool = False
    """Whether there was a query before, so that an index of the shingles is worth its time."""
    rescores: ClassVar[bool] = False

    def pairs(self) -> Links:
        """The similar pairs."""
        found = self.pairs_of_rows()
        if self.rescores:
            left, right = found.left, found.right
            scores = self.scores(left, right, self.plan.minimum)
            refused = {
                (int(left[place]), int(right[place])): reason
                for place, reason in scores.refused.items()
            }
            found = replace(
                found, score=scores.score, similarity=scores.similarity, refused=refused
            ).take(scores.score >= self.plan.minimum)
        ordered = self.plan.symmetric and not self.table.two_sided
        return found.numbered(self.table.ids, ordered=ordered)

    def pairs_of_rows(self) -> Links:
        """The pairs of rows that score enough by their shingles.

        Of documents with the same shingles, the search compares the first alone.
        """
        table, plan, estimate = self.table, self.plan, self.plan.question.estimate
        duplicates = duplicates_in(table)
        candidates, bands = self.candidates(table.wanted & duplicates.are_first)
        expanded = duplicates.expanded(candidates.left, candidates.right)
        shared = self._shared(candidates)[expanded.source]
        columns: list[tuple[Rows, Rows, NDArray[Any]]] = [(expanded.left, expanded.right, shared)]
        for ones, others in () if table.two_sided else duplicates.within():
            same = np.ones(len(ones)) if estimate else table.sizes[ones]
            columns.append((ones, others, same))
            if not plan.symmetric:
                columns.append((others, ones, same))
        left, right, shared = (np.concatenate(column) for column in zip(*columns, strict=True))
        if estimate:
            scores = plan.scorer.of_estimates(shared)
        else:
            scores = plan.scorer(shared, table.sizes[left], table.sizes[right])
        short = (candidates.incomplete, expanded.short, duplicates.oversized)
        incomplete = np.zeros(len(table.wanted), bool)
        incomplete[np.concatenate(short)] = True
        groups = expanded.short if table.two_sided else duplicates.oversized
        found = Links(
            left,
            right,
            scores.score,
            scores.similarity,
            how_sets(plan, bands, table.slots) + describe_oversized(candidates),
            tuple(bands.curve(table.slots)) if bands else (),
            incomplete=np.flatnonzero(incomplete[duplicates.first]),
            oversized=Oversized(candidates.split, candidates.reduced, len(groups)),
        )
        return found.take(scores.score >= plan.least_of_sets)

    def candidates(self, searched: NDArray[np.bool_]) -> tuple[Candidates, Bands | None]:
        """The candidate pairs, and the bands that gave them; None where all were compared."""
        table, plan = self.table, self.plan
        bands = plan.bands_for(table.slots)
        if bands is None:
            return exact_join(table, plan, searched), None
        if plan.allows_join and (candidates := quick_join(table, plan, searched)):
            return candidates, None
        bound = ScoreBound(
            plan.scorer, plan.least_of_sets, bands.similarity, plan.question.estimate
        )
        return lsh_candidates(table, bands, bound, searched), bands

    def _shared(self, candidates: Candidates) -> NDArray[Any]:
        left, right = candidates.left, candidates.right
        if self.plan.question.estimate:
            return self.table.estimates(left, right)
        if candidates.common is None:
            return self.table.common(left, right)
        counts, rest = candidates.common.copy(), np.flatnonzero(candidates.common < 0)
        counts[rest] = self.table.common(left[rest], right[rest])
        return counts

    def rows(self, ids: Sequence[int] | Rows) -> Rows:
        """The rows of documents, by their numbers."""
        order = np.argsort(self.table.ids)
        return np.asarray(order[np.searchsorted(self.table.ids, ids, sorter=order)])

    def scores(self, left: Rows, right: Rows, minimum: int = 0) -> Scores:  # noqa: ARG002 (for sequences)
        """The scores of pairs of rows; a score below `minimum` may be any other below it."""
        sizes = self.table.sizes
        return self.plan.scorer(self.table.common(left, right), sizes[left], sizes[right])

    def first_equals(self) -> Rows:
        """For each row the first one that is equal to it: itself where there is none before it."""
        return duplicates_in(self.table).first

    def all_scores(self, rows: Rows) -> Iterator[tuple[int, Callable[[], tuple[Rows, Scores]]]]:
        """Each of the rows, by its place there, with a function that compares it with those behind.

        It gives the places of those that reach the plan's minimum, with their scores. A matcher
        that is not symmetric is given the row behind first.
        """
        order = np.argsort(rows)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        sets = self.table.shingles(rows[order]).take(back)
        for start, shared in AllIntersections(sets).blocks():
            for place, counts in enumerate(shared, start):
                yield place, partial(self._behind, rows, place, counts[place - start + 1 :])

    def _behind(self, rows: Rows, place: int, common: NDArray[Any]) -> tuple[Rows, Scores]:
        sizes, others = self.table.sizes, rows[place + 1 :]
        own = np.broadcast_to(sizes[rows[place]], len(others))
        least, sides = self.plan.least_of_sets, (common, sizes[others], own)
        near, scores = self.plan.scorer.at_least(least, sides)
        if self.rescores:
            same = np.full(len(near), rows[place])
            scores = self.scores(same, others[near], self.plan.minimum)
            kept = scores.score >= self.plan.minimum
            near, scores = near[kept], scores.take(kept)
        return near + place + 1, scores

    def encoded(self, documents: Sequence[Document]) -> Sequence[Any]:
        """The sorted distinct shingles of each document."""
        return [*self._encoder.shingle_sets([document.clean for document in documents])]

    def query(self, shingles: Any) -> QueryMatches:
        """The documents that are similar to one that has these shingles."""
        question = self.plan.question
        rare = question.rare and not question.estimate
        rows, scores = self.rows_like(shingles, None if rare else question.top)
        matches = QueryMatches(self.table.ids[rows], scores)
        if not rare or not len(rows):
            return matches
        kept = self.share_rare_text(np.sort(shingles), rows)
        return replace(matches.take(kept), nothing_rare=int((~kept).sum()))

    def share_rare_text(self, shingles: Shingles, rows: Rows) -> NDArray[np.bool_]:
        """Whether each row shares more with these shingles than what many documents have.

        A shingle weighs 1, 1/2 or 1/4 if one, two or three texts have it, and nothing if more have;
        one that equals the query does not count. Rows share rare text if the Jaccard similarity
        times the square of the common shingles' mean weight is 1.1 %. A similarity of a quarter is
        enough, or half of the shingles of the smaller one: then both are versions of one text, or
        one is in the other. A tenth is enough if four fifths of the rows share so much with the
        query, but not all the same: many versions of one text have nothing rare.
        """
        order = np.argsort(rows, kind="stable")
        sets = self.table.shingles(rows[order])
        values = np.asarray(sets.values)
        places = np.minimum(np.searchsorted(shingles, values), max(0, len(shingles) - 1))
        hits = np.flatnonzero(shingles[places] == values) if len(values) else places
        owners = np.searchsorted(sets.offsets[1:], hits, "right")
        common = np.bincount(owners, minlength=len(rows))
        sizes = self.table.sizes[rows[order]]
        both = len(shingles) + sizes - common
        shares = common >= np.minimum(_ALIKE * both, _SHORT * np.minimum(len(shingles), sizes))
        versions = common >= _VERSIONS * both
        if versions.mean() >= _MOST:
            shared = np.bincount(places[hits[(common < both)[owners]]])
            shares |= versions & (common <= _SAME * np.count_nonzero(shared))
        if not shares.all():
            known, counts = self._frequencies
            often = np.ones(len(hits))
            if len(known):
                at = np.minimum(np.searchsorted(known, values[hits]), len(known) - 1)
                others = np.maximum(1, counts[at] - (common == both).any())
                often = np.where(known[at] == values[hits], others, 1)
            weight = np.bincount(owners, (often < 4) * 0.5 ** (often - 1), minlength=len(rows))
            mean = (weight + _ASSUMED) / (common + _ASSUMED)
            shares |= mean**2 * common >= _RARE * both
        share_rare = np.empty(len(rows), bool)
        share_rare[order] = shares
        return share_rare

    @cached_property
    def _frequencies(self) -> tuple[Shingles, Rows]:
        """The shingles of several documents of a sample, sorted, and how many texts have them.

        Versions of a text count once: documents that share a quarter with the first of them.
        """
        wanted = np.flatnonzero(self.table.wanted)
        ends = np.cumsum(self.table.sizes[wanted])
        sets = self.table.shingles(wanted[: int(np.searchsorted(ends, _COUNTED)) + 1])
        order, ordered = sorted_hashes(sets.values)
        equal = ordered[1:] == ordered[:-1]
        several = np.append(equal, False) | np.append(False, equal)
        begins = several & ~np.append(False, equal)
        places, owners = np.cumsum(begins)[several] - 1, sets.owners[order[several]]
        by_owner, number = np.argsort(owners, kind="stable"), len(sets)
        repeated = Ragged(places[by_owner], offsets_of(np.bincount(owners, minlength=number)))
        first, sizes = np.arange(number), sets.lengths.astype(np.float32)
        for start, shared in AllIntersections(repeated).blocks():
            both = sizes[start : start + len(shared), None] + sizes[start:] - shared
            alike = np.triu(shared >= _ALIKE * both, 1)
            for place in np.flatnonzero(alike.any(axis=1)).tolist():
                others = start + np.flatnonzero(alike[place])
                if first[start + place] == start + place:
                    first[others[first[others] == others]] = start + place
        texts = distinct(places * number + first[owners]) // number
        return ordered[begins], np.bincount(texts, minlength=int(begins.sum()))

    def note_searched(self, run: Run) -> None:
        """Nothing: what has no shingles is similar to nothing."""

    def problems_of(self, name: str, shingles: Any) -> Iterator[Problem]:
        """Why a query of that name finds less than others: it has next to no shingles."""
        if len(shingles) == 1:
            what = "has a single shingle; only equal ones are similar"
            yield Problem.at("warning", "too-few-terms", name, what)
        elif not len(shingles):
            what = "has no shingles, so nothing is similar to it"
            yield Problem.at("warning", "no-shingles", name, what)

    def reset(self) -> None:
        """Drop caches, which may be half written."""
        self.__dict__.pop("_encoder", None)

    @property
    def how(self) -> str:
        """How a query is searched for, in a sentence."""
        return how_sets(self.plan, self._bands, self.table.slots)

    @property
    def curve(self) -> Curve:
        """The probability of finding a document by its bands; empty where all are compared."""
        return tuple(self._bands.curve(self.table.slots)) if self._bands else ()

    def rows_like(self, shingles: Shingles, top: int | None = None) -> tuple[Rows, Scores]:
        """The rows whose shingles score enough with these, and the scores.

        With `top` there may be just the best of them, and at least one more than so many.
        """
        least, none = self.plan.least_of_sets, np.empty(0, np.int64)
        if not len(shingles):
            return none, Scores(none, np.empty(0))
        if self.plan.question.estimate:
            estimates = self.table.estimates_with(_one_row(shingles))
            rows = np.flatnonzero((estimates > 0) & self.table.wanted)
            scores = self.plan.scorer.of_estimates(estimates[rows])
            enough = scores.score >= least
            return rows[enough], scores.take(enough)
        parts = [(none, none)]
        if self._bands:
            parts += self._in_bands(self._bands, shingles)
        else:
            by_lists = self.is_asked_again and self.table.sizes.sum() <= _MOST_INDEXED
            self.is_asked_again = True
            for place, view in enumerate(self.table.views):
                start, stop = self.table.starts[place : place + 2].tolist()
                counts = (
                    self._posting_lists[place].common_counts(shingles)
                    if by_lists
                    else common_counts(shingles, view.shingles)
                )
                rows = np.flatnonzero((counts > 0) & self.table.wanted[start:stop])
                parts.append((rows + start, counts[rows]))
        rows, shared = (np.concatenate(column) for column in zip(*parts, strict=True))
        sizes = shared, np.full(len(rows), len(shingles)), self.table.sizes[rows]
        places, scores = self.plan.scorer.at_least(least, sizes, top)
        return rows[places], scores

    @cached_property
    def _posting_lists(self) -> list[PostingLists]:
        return [PostingLists.of(view.shingles) for view in self.table.views]

    def _in_bands(self, bands: Bands, shingles: Shingles) -> Iterator[tuple[Rows, Rows]]:
        """The rows that have a band in common with the query, and the shingles that they share."""
        query = _one_row(shingles)
        sketch = self.plan.derivation.sketcher(query)
        least = least_equal_slots(self.table.slots, bands.similarity)
        for start, view, rows in self._with_equal_band(bands, sketch):
            near = rows[np.count_nonzero(view.sketches[rows] == sketch, axis=1) >= least]
            yield near + start, common(query, view.shingles, (np.zeros_like(near), near))

    def _with_equal_band(
        self, bands: Bands, sketch: NDArray[np.uint32]
    ) -> Iterator[tuple[int, SegmentView, Rows]]:
        """The first row of each view, and the places in it of searched rows with an equal band."""
        keys = bands.keys(sketch)[0]
        for start, view in zip(self.table.starts.tolist(), self.table.views, strict=False):
            equal = [np.empty(0, np.uint64)]
            for (ordered, places), key in zip(view.keys(bands), keys, strict=True):
                begin, end = (ordered.searchsorted(key, side) for side in ("left", "right"))
                equal.append(places[begin:end])
            rows = view.rows_at(distinct(np.concatenate(equal)))
            yield start, view, rows[self.table.wanted[rows + start]]

    def candidates_in(self, bands: Bands | None, shingles: Shingles) -> Rows:
        """The searched rows that have a band in common with a query; without bands all."""
        if bands is None:
            return np.flatnonzero(self.table.wanted)
        if bands.bands * bands.rows > self.table.slots:
            return np.empty(0, np.int64)
        sketch = self.plan.derivation.sketcher(_one_row(shingles))
        parts = self._with_equal_band(bands, sketch)
        return np.concatenate([rows + start for start, _, rows in parts])

    def common_with(self, shingles: Shingles) -> Rows:
        """The number of shingles that each row shares with a query."""
        return np.concatenate([lists.common_counts(shingles) for lists in self._posting_lists])

    @cached_property
    def _bands(self) -> Bands | None:
        """The bands for a query; None where all documents are compared."""
        few = (self.total or self.table.sizes.sum()) <= MOST_SCANNED
        if few or self.exhaustive or self.plan.question.estimate:
            return None
        bands = self.plan.bands_for(self.table.slots)
        # Bands of one row match nearly all documents, which costs more than comparing all.
        return bands if bands and bands.layout(self.table.slots)[1] > 1 else None

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self.plan.recipe)


def _one_row(shingles: Shingles) -> Ragged:
    return Ragged(shingles, np.array([0, len(shingles)]))
