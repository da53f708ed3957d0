"""Search by token sequences: the texts that shingles select, or all texts where they are few."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sdtext.collections.schema import TOKENS, WORDS
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.model import Problem, Similarity
from sdtext.parts.matchers import SequenceMatcher
from sdtext.reading.parallel_run import VERIFYING
from sdtext.search.candidates.buckets import Rows, Sides
from sdtext.search.derived_columns import WORDLESS, Columns
from sdtext.search.results import Curve, Links, QueryMatches
from sdtext.search.scoring import Scores
from sdtext.search.search_explanations import how_all_texts
from sdtext.search.search_plan import SearchPlan
from sdtext.search.searchable import Table
from sdtext.search.set_search import BySets, Shingles
from sdtext.text.document import Document

MOST_WORK = 4 * 10**10
"""The most work, in cells of edit tables, for comparing all texts: some 5 seconds.

rapidfuzz fills 5 to 20 cells in a nanosecond (measured, without a bound for the score).
"""
_PAIR = 40_000  # cells: the rest of the work for a pair, some 5 microseconds
_TOKEN = 1000  # cells: decoding a stored token
_NONE = Similarity(0, 1)


@dataclass(eq=False)
class BySequences:
    """Search by token sequences: of all texts where these are few, else of similar sets."""

    table: Table
    plan: SearchPlan
    exhaustive: bool = False
    _all_texts: bool = True

    def pairs(self) -> Links:
        """The similar pairs."""
        problems: tuple[Problem, ...] = ()
        how = how_all_texts(self.plan)
        curve: Curve = ()
        incomplete = np.empty(0, np.int64)
        pair = self._sequences.all_pairs()
        if pair is None:
            of_sets = self._sets.scored_pairs()
            pair = of_sets.left, of_sets.right
            problems, how, curve = of_sets.problems, of_sets.how, of_sets.curve
            incomplete = of_sets.incomplete
        ids = self.table.ids[pair[0]], self.table.ids[pair[1]]
        compared = self._sequences.pairs(*pair, self.plan.minimum)
        kept = compared.scores.score >= self.plan.minimum
        ordered = self.plan.symmetric and not self.table.two_sided
        links = Links.of((ids[0][kept], ids[1][kept]), compared.scores.taken(kept), ordered=ordered)
        refused = {
            (int(ids[0][place]), int(ids[1][place])): reason
            for place, reason in compared.refused.items()
        }
        links = replace(links, refused=refused, incomplete=self.table.ids[incomplete])
        return links.described(problems, how, curve)

    def encoded(self, documents: Sequence[Document]) -> Sequence[tuple[list[str], Shingles]]:
        """The terms and the shingles of each document."""
        shingles = self._sets.encoded(documents)
        return [*zip(self._sets.terms(documents), shingles, strict=True)]

    def reset(self) -> None:
        """Drop caches, which may be half written."""
        self._sets.reset()

    def query(self, document: Document, encoded: tuple[list[str], Shingles]) -> QueryMatches:
        """The documents that are similar to `document`, which has these terms and shingles."""
        terms, shingles = encoded
        rows = self._sequences.all_with(terms)
        if rows is None or not terms:
            self._all_texts &= rows is not None
            rows, _ = self._sets.rows_like(document, shingles)
        compared = self._sequences.with_query(terms, rows, self.plan.minimum)
        kept = compared.scores.score >= self.plan.minimum
        ids = self.table.ids[rows]
        refused = {int(ids[place]): reason for place, reason in compared.refused.items()}
        return QueryMatches(ids[kept], compared.scores.taken(kept), refused)

    @property
    def how(self) -> str:
        """How queries were searched for, in a sentence: the weaker way if in both."""
        return how_all_texts(self.plan) if self._all_texts else self._sets.how

    @property
    def curve(self) -> Curve:
        """The curve of the bands, where these selected the texts."""
        return () if self._all_texts else self._sets.curve

    @property
    def problems(self) -> list[Problem]:
        """Warnings about queries."""
        return self._sets.problems

    @cached_property
    def _sets(self) -> BySets:
        return BySets(self.table, self.plan, self.exhaustive)

    @cached_property
    def _sequences(self) -> Sequences:
        return Sequences(self.plan.part, self.table)


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """The scores of pairs. `refused` has the places of those not compared, and the reasons.

    A pair that was not compared has the score 0.
    """

    scores: Scores
    refused: Mapping[int, str]


@dataclass(frozen=True, eq=False)
class Sequences:
    """The texts of a table's rows as sequences of tokens, scored by the matcher `part`."""

    part: SequenceMatcher
    table: Table

    def pairs(self, left: Rows, right: Rows, minimum: int = 0) -> ComparedPairs:
        """The scores of pairs of rows; a score below `minimum` may be any other below it."""
        cached: dict[int, list[str]] = {}

        def terms(row: int) -> list[str]:
            if row not in cached:
                cached[row] = self.terms(row)
            return cached[row]

        def pairs() -> Iterator[tuple[list[str], list[str]]]:
            for first, second in zip(left.tolist(), right.tolist(), strict=True):
                yield terms(first), terms(second)
                self.table.run.step(1, len(left), VERIFYING)

        return self._compared(pairs(), minimum)

    def with_query(self, query: list[str], rows: Rows, minimum: int = 0) -> ComparedPairs:
        """The scores of a document, given as its terms, with those in rows."""
        return self._compared(((query, self.terms(row)) for row in rows.tolist()), minimum)

    def all_pairs(self) -> Sides | None:
        """All pairs of searched rows; None where comparing them is too much work."""
        rows = np.flatnonzero(self.table.wanted)
        two = self.table.two_sided
        ours, theirs = (rows[self.table.sides[rows] == side] if two else rows for side in (0, 1))
        work = self._work(ours) * self._work(theirs) + _PAIR * len(ours) * len(theirs)
        if work > (1 if two else 2) * MOST_WORK:
            return None
        if two:
            return np.repeat(ours, len(theirs)), np.tile(theirs, len(ours))
        first, second = np.triu_indices(len(rows), 1)
        return rows[first], rows[second]

    def all_with(self, query: Sequence[str]) -> Rows | None:
        """All searched rows; None where comparing them with `query` is too much work."""
        rows = np.flatnonzero(self.table.wanted)
        length = len(" ".join(query)) if self._by_character else len(query)
        work = (length + _TOKEN) * self._work(rows) + _PAIR * len(rows)
        return rows if work <= MOST_WORK else None

    def _work(self, rows: Rows) -> float:
        """The total length of the texts in some rows, or a little more."""
        return float(self._lengths[rows].sum())

    @cached_property
    def _lengths(self) -> Rows:
        lengths = [
            _characters(block, view.segment) if self._by_character else block.tokens.lengths
            for block, view in zip(self._blocks, self.table.views, strict=True)
        ]
        return np.concatenate([np.empty(0, np.int64), *lengths])

    @property
    def _by_character(self) -> bool:
        return getattr(self.part, "of", "") == "characters"

    @cached_property
    def _blocks(self) -> list[TokenBlock]:
        return [_block(view.segment) for view in self.table.views]

    def terms(self, row: int) -> list[str]:
        """The terms of the document in a row, in their order."""
        view, place = self.table.located(row)
        try:
            return self._blocks[view].terms_of(place)
        except (IndexError, UnicodeDecodeError) as error:
            raise FormatError(WORDLESS, file=self.table.views[view].segment.name) from error

    def _compared(
        self, pairs: Iterable[tuple[list[str], list[str]]], minimum: int
    ) -> ComparedPairs:
        answers = [self._similarity(*pair, minimum) for pair in pairs]
        refused = {place: reason for place, reason in enumerate(answers) if isinstance(reason, str)}
        similarities = [_NONE if isinstance(answer, str) else answer for answer in answers]
        score = np.array([similarity.score for similarity in similarities], np.int64)
        scores = Scores(score, np.array([float(similarity) for similarity in similarities]))
        return ComparedPairs(scores, refused)

    def _similarity(self, left: list[str], right: list[str], minimum: int) -> Similarity | str:
        """The similarity of two texts, or the reason why they are not compared."""
        try:
            return self.part.of_sequences(left, right, minimum)
        except MismatchError as error:
            return str(error)


def _characters(block: TokenBlock, segment: Columns) -> Rows:
    """The number of bytes of the terms of each document, with a blank after each."""
    sizes = np.append(0, block.words.lengths + 1)
    try:
        ends = np.append(0, np.cumsum(sizes[block.tokens.values]))
    except IndexError as error:
        raise FormatError(WORDLESS, file=segment.name) from error
    return np.asarray(np.diff(ends[block.tokens.offsets]))


def _block(segment: Columns) -> TokenBlock:
    try:
        return TokenBlock(segment.ragged(TOKENS), segment.ragged(WORDS))
    except KeyError:
        raise MismatchError(
            "the collection stores no tokens, which the matcher compares; use another matcher"
        ) from None
