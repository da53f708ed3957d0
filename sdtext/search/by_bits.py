"""What is alike by bit vectors: each is compared with each, or with that of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.collections.schema import bits_column
from sdtext.errors import FormatError, MismatchError, counted, shown
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.model import Document, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.search.bits import Vectors, Weighing, alike, rows_at_once
from sdtext.search.buckets import Rows
from sdtext.search.columns import Columns
from sdtext.search.links import Links
from sdtext.search.plan import Plan
from sdtext.search.question import Curve
from sdtext.search.scoring import Scores
from sdtext.search.table import Piece, Table


def linked_by_bits(table: Table, plan: Plan) -> Links:
    """The links by bit vectors: each is compared with each."""
    weighing = Weighing.of(plan)
    lefts, rights = ([piece for piece in table.pieces if piece.side == side] for side in (0, 1))
    left = _Side.of(lefts, plan, weighing)
    right = _Side.of(rights, plan, weighing) if table.two_sided else left
    none: Any = np.empty((4, 0), np.int64)
    found = [tuple(none)]
    found += _linked(left, right, plan, weighing)
    one, other, score, similarity = (np.concatenate(rows) for rows in zip(*found, strict=True))
    pair = left.ids[one], right.ids[other]
    turns = plan.symmetric and right is left
    links = Links.of(pair, Scores(score, similarity), turns=turns)
    known = [left.vectors] if right is left else [left.vectors, right.vectors]
    return links.told(few_terms(known), how_bits(plan))


def _linked(
    left: _Side, right: _Side, plan: Plan, weighing: Weighing
) -> Iterator[tuple[NDArray[Any], ...]]:
    """The pairs by blocks of vectors, as columns."""
    step = rows_at_once(left.vectors.packed)
    for start in range(0, len(left.vectors), step):
        one = left.vectors.cut(start, start + step)
        again = start if plan.symmetric and right is left else 0
        for begin in range(again, len(right.vectors), step):
            other = right.vectors.cut(begin, begin + step)
            rows, columns, scores = alike(one, other, weighing, plan.minimum)
            rows, columns = rows + start, columns + begin
            kept = rows != columns if right is left else rows >= 0
            if plan.symmetric and right is left:
                kept = rows < columns
            yield rows[kept], columns[kept], scores.score[kept], scores.similarity[kept]


@dataclass(frozen=True, eq=False)
class _Side:
    """The documents of one collection that are compared: their numbers and vectors."""

    ids: Rows
    vectors: Vectors

    @classmethod
    def of(cls, pieces: Sequence[Piece], plan: Plan, weighing: Weighing) -> _Side:
        assert plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        ids = [np.empty(0, np.int64)]
        packed = [np.empty((0, _width(plan.dictionary)), np.uint8)]
        for piece in pieces:
            ids.append(np.asarray(piece.segment.ids)[piece.wanted])
            packed.append(_packed_in(piece.segment, plan.dictionary)[piece.wanted])
        return cls(np.concatenate(ids), Vectors.of(np.concatenate(packed), weighing))


def _packed_in(segment: Columns, dictionary: Dictionary) -> NDArray[np.uint8]:
    """The packed vectors of a segment; MismatchError where it has none of the dictionary."""
    name = bits_column(dictionary).name
    called = shown(dictionary.name) or dictionary.guid
    if name not in segment.arrays:
        raise MismatchError(
            f"the collection has no bit vectors made with dictionary {called}; add documents "
            "with it"
        )
    packed = np.asarray(segment.arrays[name])
    if packed.dtype != np.uint8 or packed.shape[1:] != (_width(dictionary),):
        raise FormatError(f"array {name} of the collection does not fit dictionary {called}")
    return packed


def _width(dictionary: Dictionary) -> int:
    return (len(dictionary.terms) + 7) // 8


def few_terms(known: Sequence[Vectors]) -> tuple[Problem, ...]:
    """That some documents have too few terms to be compared, if there are any."""
    number = sum(int((vectors.counts < MIN_TERMS).sum()) for vectors in known)
    if not number:
        return ()
    message = (
        f"{counted(number, 'document')} with fewer than {MIN_TERMS} terms of the dictionary: only "
        "equal documents are found"
    )
    return (Problem("warning", "too-few-terms", message),)


def how_bits(plan: Plan) -> str:
    """How bit vectors were compared, in a sentence."""
    assert plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
    name = plan.dictionary.name or plan.dictionary.guid
    return (
        f"bit vectors over the {counted(len(plan.dictionary.terms), 'term')} of dictionary {name}: "
        f"all compared by {plan.matcher}"
    )


@dataclass(frozen=True, eq=False)
class ByBits:
    """Looks for what is like a document among all bit vectors."""

    table: Table
    plan: Plan

    @property
    def how(self) -> str:
        """How it looks, in a sentence."""
        return how_bits(self.plan)

    @property
    def curve(self) -> Curve:
        """None, for all are looked at."""
        return ()

    @cached_property
    def problems(self) -> list[Problem]:
        """What a person should know of the documents that are looked at, and of the queries."""
        return list(few_terms([self._known.vectors]))

    def __call__(self, document: Document) -> tuple[Rows, Scores]:
        assert self.plan.dictionary is not None  # noqa: S101 (bits come with a dictionary)
        vector = fingerprint(document, self.plan.dictionary).vectors[0]
        if vector.count < MIN_TERMS:
            message = (
                f"{shown(document.source)}: has only {counted(vector.count, 'term')} of the "
                f"dictionary; at least {MIN_TERMS} are needed"
            )
            self.problems.append(Problem("warning", "too-few-terms", message, document.source))
        query = Vectors.of(np.frombuffer(vector.packed, np.uint8)[None], self._weighing)
        known = self._known
        _, places, scores = alike(query, known.vectors, self._weighing, self.plan.minimum)
        return known.ids[places], scores

    @cached_property
    def _weighing(self) -> Weighing:
        return Weighing.of(self.plan)

    @cached_property
    def _known(self) -> _Side:
        return _Side.of(self.table.pieces, self.plan, self._weighing)
