"""The documents that are similar to one of the collection `against`, and are removed for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sdtext.collections.collection import Collection
from sdtext.deduplication.rules_and_removals import RemovedDocument, Rules, refused_in
from sdtext.deduplication.scope import Scope
from sdtext.deduplication.temporary_collection import Workspace
from sdtext.errors import counted
from sdtext.model import Problem
from sdtext.reading.parallel_run import Run
from sdtext.search.find import links
from sdtext.search.results import Links
from sdtext.search.searchable import documents_of


def similar_to_stored(
    documents: Workspace,
    rules: Rules,
    run: Run,
    scope: Scope | None = None,
    without: Sequence[int] = (),
) -> tuple[dict[int, RemovedDocument], tuple[Problem, ...]]:
    """The documents that are similar to one of the collection `against`.

    Each has the most similar stored document; its own name is still missing. Those at `without` are
    not compared.
    """
    if rules.against is None:
        return {}, ()
    pairs = links(documents.collection, rules.question, rules.against, without, run)
    problems = (*pairs.problems, *refused_in(documents, pairs, rules.against))
    if scope:
        problems = (*problems, *_left_out(pairs))
        pairs = _in_scope(documents, pairs, rules.against, scope)
    order = np.lexsort((pairs.right, -pairs.similarity, pairs.left))
    ids, first = np.unique(pairs.left[order], return_index=True)
    best = order[first]
    others = documents_of(rules.against, pairs.right[best].tolist())
    columns = (pairs.right[best], pairs.score[best], pairs.similarity[best])
    rows = zip(ids.tolist(), *(column.tolist() for column in columns), strict=True)
    stored = {
        number: RemovedDocument("", others[other].name, score, similarity)
        for number, other, score, similarity in rows
    }
    return stored, problems


def _in_scope(documents: Workspace, pairs: Links, stored: Collection, scope: Scope) -> Links:
    """The pairs that count, by the fields of the stored documents."""
    codes = scope.codes[np.searchsorted(documents.ids, pairs.left)]
    ids, places = np.unique(pairs.right, return_inverse=True)
    counting = scope.allows(codes, scope.codes_in(stored, ids.tolist())[places])
    sides = pairs.left[counting], pairs.right[counting]
    return Links(*sides, pairs.score[counting], pairs.similarity[counting])


def _left_out(pairs: Links) -> Iterator[Problem]:
    if number := len(pairs.incomplete):
        yield Problem(
            "warning",
            "large-bucket",
            f"{counted(number, 'document')} similar to so many stored documents that some pairs "
            "were not compared; with a scope, duplicates of stored documents may be kept",
        )
