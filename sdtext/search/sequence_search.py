"""Search by token sequences: the texts that shingles select, or all texts where they are few."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from sdtext.collections.schema import TOKENS, WORDS
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.terms.token_blocks import TokenBlock
from sdtext.model import Problem, Similarity
from sdtext.reading.parallel_run import VERIFYING
from sdtext.search.candidates.buckets import Rows, Sides
from sdtext.search.results import Curve, Links, QueryMatches
from sdtext.search.scoring import Scores
from sdtext.search.search_explanations import how_all_texts
from sdtext.search.searchable import WORDLESS, Columns
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
class BySequences(BySets):
    """Search by token sequences: of all texts where these are few, else of similar sets."""

    all_texts: bool = True
    """Whether all queries so far were compared with all texts."""
    rescores: ClassVar[bool] = True

    def pairs_of_rows(self) -> Links:
        """The pairs of rows that are compared."""
        pair = self._all_pairs()
        if pair is None:
            return super().pairs_of_rows()
        none = np.zeros(len(pair[0]), np.int64)
        return Links(*pair, none, none.astype(float), how=how_all_texts(self.plan))

    def encoded(self, documents: Sequence[Document]) -> Sequence[tuple[list[str], Shingles]]:
        """The terms and the shingles of each document."""
        terms = self._encoder.terms([document.clean for document in documents])
        return [*zip(terms, super().encoded(documents), strict=True)]

    def query(self, encoded: tuple[list[str], Shingles]) -> QueryMatches:
        """The documents that are similar to one that has these terms and shingles."""
        terms, shingles = encoded
        rows = np.flatnonzero(self.table.wanted)
        length = len(" ".join(terms)) if self._by_character else len(terms)
        is_work = (length + _TOKEN) * self._work(rows) + _PAIR * len(rows) > MOST_WORK
        if is_work or not terms:
            self.all_texts &= not is_work
            rows, _ = self.rows_like(shingles)
        minimum = self.plan.minimum
        scores = self._compared(((terms, self._terms_in(row)) for row in rows.tolist()), minimum)
        kept, ids = scores.score >= minimum, self.table.ids[rows]
        refused = {int(ids[place]): reason for place, reason in scores.refused.items()}
        return QueryMatches(ids[kept], scores.take(kept), refused)

    def problems_of(self, name: str, encoded: tuple[list[str], Shingles]) -> Iterator[Problem]:
        """Why a query of that name finds less than others, unless all texts are compared."""
        if not (encoded[0] and self.all_texts):
            yield from super().problems_of(name, encoded[1])

    @property
    def how(self) -> str:
        """How queries were searched for, in a sentence: the weaker way if in both."""
        return how_all_texts(self.plan) if self.all_texts else super().how

    @property
    def curve(self) -> Curve:
        """The curve of the bands, where these selected the texts."""
        return () if self.all_texts else super().curve

    def first_equals(self) -> Rows:
        """For each row the first one with the same terms."""
        first = super().first_equals()
        seen: dict[tuple[int, str], int] = {}
        exact = np.arange(len(first))
        for row in np.flatnonzero(np.bincount(first, minlength=len(first))[first] > 1).tolist():
            text = "\n".join(self._terms_in(row))  # no term has a line end
            exact[row] = seen.setdefault((int(first[row]), text), row)
        return exact

    def scores(self, left: Rows, right: Rows, minimum: int = 0) -> Scores:
        """The scores of pairs of rows; a score below `minimum` may be any other below it."""
        cached: dict[int, list[str]] = {}

        def terms(row: int) -> list[str]:
            if row not in cached:
                cached[row] = self._terms_in(row)
            return cached[row]

        def pairs() -> Iterator[tuple[list[str], list[str]]]:
            for first, second in zip(left.tolist(), right.tolist(), strict=True):
                yield terms(first), terms(second)
                self.table.run.step(1, len(left), VERIFYING)

        return self._compared(pairs(), minimum)

    def _all_pairs(self) -> Sides | None:
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

    def _work(self, rows: Rows) -> float:
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
        return getattr(self.plan.part, "of", "") == "characters"

    @cached_property
    def _blocks(self) -> list[TokenBlock]:
        segments = [view.segment for view in self.table.views]
        try:
            return [TokenBlock(each.ragged(TOKENS), each.ragged(WORDS)) for each in segments]
        except KeyError:
            what = "the collection stores no tokens, which the matcher compares; use another one"
            raise MismatchError(what) from None

    def _terms_in(self, row: int) -> list[str]:
        view, place = self.table.located(row)
        try:
            return self._blocks[view].terms_of(place)
        except (IndexError, UnicodeDecodeError) as error:
            raise FormatError(WORDLESS, file=self.table.views[view].segment.name) from error

    def _compared(self, pairs: Iterable[tuple[list[str], list[str]]], minimum: int) -> Scores:
        answers: list[Similarity | str] = []
        for pair in pairs:
            try:
                answers.append(self.plan.part.of_sequences(*pair, minimum))
            except MismatchError as error:
                answers.append(str(error))
        refused = {place: reason for place, reason in enumerate(answers) if isinstance(reason, str)}
        similarities = [_NONE if isinstance(answer, str) else answer for answer in answers]
        score = np.array([similarity.score for similarity in similarities], np.int64)
        return Scores(score, np.array([float(each) for each in similarities]), refused)


def _characters(block: TokenBlock, segment: Columns) -> Rows:
    """The number of bytes of the terms of each document, with a blank after each."""
    sizes = np.append(0, block.words.lengths + 1)
    try:
        ends = np.append(0, np.cumsum(sizes[block.tokens.values]))
    except IndexError as error:
        raise FormatError(WORDLESS, file=segment.name) from error
    return np.asarray(np.diff(ends[block.tokens.offsets]))
