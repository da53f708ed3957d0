"""Pairs scored by their tokens in their order: all of them, or those that shingles have found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from sdtext.collections.schema import TOKENS, WORDS
from sdtext.errors import FormatError, MismatchError, counted
from sdtext.kernels.terms.tokens import TokenBlock
from sdtext.model import Problem, Similarity
from sdtext.search.buckets import Rows, Sides
from sdtext.search.columns import Columns
from sdtext.search.derivation import WORDLESS
from sdtext.search.scoring import Scores
from sdtext.search.table import Table

MOST_WORK = 4 * 10**10
"""The work, in cells of the tables of edits, up to which all texts are compared: some 5 seconds.

rapidfuzz fills 5 to 20 cells in a nanosecond (measured, without a bound for the score).
"""
_PAIR = 40_000  # cells; the rest of the work for a pair, some 5 microseconds
_TOKEN = 1000  # cells; to have a stored token as a word
_TOLD = 3
_NONE = Similarity(0, 1)


@dataclass(frozen=True, eq=False)
class Compared:
    """The scores of pairs; `refused` says of those that were not compared, which have 0, why."""

    scores: Scores
    refused: Mapping[int, str]

    def problems(self, name: Callable[[int], str]) -> Iterator[Problem]:
        """A warning for each of the first pairs that were not compared, and one for the rest.

        `name` names both documents of the pair at a place.
        """
        for place, why in islice(self.refused.items(), _TOLD):
            yield Problem("warning", "not-compared", f"{name(place)}: not compared: {why}")
        if (rest := len(self.refused) - _TOLD) > 0:
            yield Problem("warning", "not-compared", f"{counted(rest, 'more pair')} not compared")


@dataclass(frozen=True, eq=False)
class Sequences:
    """The texts of a table's rows as sequences of tokens, scored by the matcher `part`."""

    part: Any
    table: Table

    def pairs(self, left: Rows, right: Rows, minimum: int = 0) -> Compared:
        """The scores of pairs of rows; one below `minimum` may be another that is below it."""
        known: dict[int, list[str]] = {}

        def terms(row: int) -> list[str]:
            if row not in known:
                known[row] = self._terms(row)
            return known[row]

        rows = zip(left.tolist(), right.tolist(), strict=True)
        return self._compared(((terms(one), terms(other)) for one, other in rows), minimum)

    def with_query(self, query: list[str], rows: Rows, minimum: int = 0) -> Compared:
        """The scores of a document, given as its terms, with those in rows."""
        return self._compared(((query, self._terms(row)) for row in rows.tolist()), minimum)

    def all_pairs(self) -> Sides | None:
        """All pairs of rows that are searched; None where to compare them is too much work."""
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
        """All rows that are searched; None where to compare them with `query` is too much work."""
        rows = np.flatnonzero(self.table.wanted)
        length = len(" ".join(query)) if self._by_character else len(query)
        work = (length + _TOKEN) * self._work(rows) + _PAIR * len(rows)
        return rows if work <= MOST_WORK else None

    def _work(self, rows: Rows) -> float:
        """The length of the texts in some rows together, or a little more."""
        return float(self._lengths[rows].sum())

    @cached_property
    def _lengths(self) -> Rows:
        lengths = [
            _characters(one) if self._by_character else one.tokens.lengths for one in self._blocks
        ]
        return np.concatenate([np.empty(0, np.int64), *lengths])

    @property
    def _by_character(self) -> bool:
        return getattr(self.part, "of", "") == "characters"

    @cached_property
    def _blocks(self) -> list[TokenBlock]:
        return [_block(piece.segment) for piece in self.table.pieces]

    def _terms(self, row: int) -> list[str]:
        """The terms of the document in a row, in their order."""
        piece, place = self.table.located(row)
        try:
            return self._blocks[piece].terms_of(place)
        except (IndexError, UnicodeDecodeError) as error:
            raise FormatError(WORDLESS) from error

    def _compared(self, pairs: Iterable[tuple[list[str], list[str]]], minimum: int) -> Compared:
        found = [self._similarity(*pair, minimum) for pair in pairs]
        refused = {place: one for place, one in enumerate(found) if isinstance(one, str)}
        known = [_NONE if isinstance(one, str) else one for one in found]
        score = np.array([one.score for one in known], np.int64)
        return Compared(Scores(score, np.array([float(one) for one in known])), refused)

    def _similarity(self, one: list[str], other: list[str], minimum: int) -> Similarity | str:
        """The similarity of two texts, or why they are not compared."""
        try:
            similarity: Similarity = self.part.of_sequences(one, other, minimum)
        except MismatchError as error:
            return str(error)
        return similarity


def _characters(block: TokenBlock) -> Rows:
    """How many bytes the terms of each document have, with a blank behind each."""
    sizes = np.append(0, block.words.lengths + 1)
    try:
        ends = np.append(0, np.cumsum(sizes[block.tokens.values]))
    except IndexError as error:
        raise FormatError(WORDLESS) from error
    return np.asarray(np.diff(ends[block.tokens.offsets]))


def _block(segment: Columns) -> TokenBlock:
    try:
        return TokenBlock(segment.ragged(TOKENS), segment.ragged(WORDS))
    except KeyError:
        raise MismatchError(
            "the collection stores no tokens, which the matcher compares; use another matcher"
        ) from None
