"""Which stored documents resemble the ones at hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from sdtext.collections.filters import unknown_names
from sdtext.model import Document, Problem
from sdtext.reading.source import read
from sdtext.search.buckets import Rows
from sdtext.search.by_bits import ByBits
from sdtext.search.by_sequences import BySequences
from sdtext.search.by_shingles import ByShingles
from sdtext.search.columns import Searchable, called
from sdtext.search.plan import Plan, planned
from sdtext.search.question import Curve, Found, Hits, Question
from sdtext.search.scoring import Scores
from sdtext.search.table import Table, pieces

_USUAL = Question()


def similar(
    searched: Searchable, documents: Iterable[Document | str | Path], question: Question = _USUAL
) -> Hits:
    """The stored documents that are like `documents` (or those in files), the most alike first.

    With `question.top` and no minimum, all that have anything in common count. Raises
    UnreadableError for a file without text.

    >>> from sdtext.search.columns import Held
    >>> held = Held.of([[1, 2], [2]])
    >>> similar(held, []).rows
    ()
    """
    ranked = question.top is not None and question.minimum is None
    plan = planned(searched, replace(question, minimum=1) if ranked else question)
    table = Table(pieces(searched, plan.making, question.where), plan.making)
    looking = _looking(searched, table, plan, ranked=ranked)
    rows: list[Found] = []
    for given in documents:
        document = given if isinstance(given, Document) else read(given)
        rows += _best(searched, document.source, looking(document), question.top)
    problems = (*unknown_names(searched, question.where), *looking.problems)
    return Hits(tuple(rows), problems, looking.how, looking.curve)


def _looking(searched: Searchable, table: Table, plan: Plan, *, ranked: bool) -> Looking:
    if plan.compares == "bits":
        return ByBits(table, plan)
    by_shingles = ByShingles(table, plan, ranked)
    return BySequences(searched, by_shingles) if plan.compares == "sequences" else by_shingles


class Looking(Protocol):
    """Looks for what is like a document; the ids of what it finds, with the scores."""

    @property
    def problems(self) -> list[Problem]: ...

    @property
    def how(self) -> str: ...

    @property
    def curve(self) -> Curve: ...

    def __call__(self, document: Document, /) -> tuple[Rows, Scores]: ...


def _best(
    searched: Searchable, query: str, found: tuple[Rows, Scores], top: int | None
) -> list[Found]:
    """The best of what was found for a query, with their names; equal ones in their order."""
    ids, scores = found
    if top is not None and len(ids) > top:
        least = np.partition(scores.similarity, -top)[-top]
        kept = scores.similarity >= least
        ids, scores = ids[kept], scores.taken(kept)
    known = called(searched, ids.tolist())
    columns = (ids.tolist(), scores.score.tolist(), scores.similarity.tolist())
    rows = [
        Found(query, known[place].name, score, similarity, known[place].metadata, place)
        for place, score, similarity in zip(*columns, strict=True)
    ]
    return sorted(rows, key=lambda row: (-row.similarity, row.document))[:top]
