"""Pairs of similar documents within or between collections, and documents similar to a query."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from sdtext.errors import OptionError
from sdtext.reading.parallel_run import Run
from sdtext.search.bit_vector_search import ByVectors
from sdtext.search.results import Links, Pair, Pairs
from sdtext.search.search_explanations import (
    oversized_problems,
    refused_pairs,
    single_shingle_problems,
)
from sdtext.search.search_plan import Question, SearchPlan, plan_for_second, plan_search
from sdtext.search.searchable import Searchable, Table, documents_of, segment_views
from sdtext.search.sequence_search import BySequences
from sdtext.search.set_search import BySets
from sdtext.search.shared_pieces import finished
from sdtext.search.sketch_search import BySketches
from sdtext.search.weighted_search import ByWeights
from sdtext.wording import shown

_DEFAULT = Question()


Strategy = BySets | ByVectors
"""A search over sets, sequences or vectors: of pairs, and of what is similar to a query."""
_OF_SHINGLES = {"shingles": BySets, "sequences": BySequences, "weights": ByWeights}
STRATEGIES: Mapping[str, type[Strategy]] = {
    **_OF_SHINGLES,
    "bits": ByVectors,
    "sketches": BySketches,
}
"""The strategy for each thing that a plan compares."""


def search_pairs(
    left: Searchable,
    question: Question = _DEFAULT,
    right: Searchable | None = None,
    run: Run | None = None,
) -> Pairs:
    """The similar pairs of documents of a collection, or of one of its own and one of another.

    Of a collection and itself, or a copy of it with the same documents, those within it; they are
    the most similar first.
    """
    from sdtext.collections.stored_collection import are_same

    run = (run or Run()).anew()
    other = None if right is None or are_same(left, right, run.note) else right
    pairs = links(left, question, other, run=run, warns=True).best(question.top)
    sides = pairs.left.tolist(), pairs.right.tolist()
    numbers = [
        [*side, *(pair[place] for pair in pairs.refused)] for place, side in enumerate(sides)
    ]
    lefts = documents_of(left, [*numbers[0], *(numbers[1] if other is None else ())])
    rights = lefts if other is None else documents_of(other, numbers[1])
    columns = (*sides, pairs.score.tolist(), pairs.similarity.tolist())
    rows = [
        Pair(lefts[first].name, rights[second].name, score, similarity, first, second)
        for first, second, score, similarity in zip(*columns, strict=True)
    ]
    rows.sort(key=lambda row: (-row.similarity, row.left, row.right))
    refused = refused_pairs(
        pairs.refused,
        lambda pair: f"{shown(lefts[pair[0]].name)} and {shown(rights[pair[1]].name)}",
    )
    run.note(*refused)
    found = Pairs(tuple(rows[: question.top]), how=pairs.how, curve=pairs.curve)
    return finished(found, left, other, question, run)


def links(
    searched: Searchable,
    question: Question = _DEFAULT,
    other: Searchable | None = None,
    without: Collection[int] = (),
    run: Run | None = None,
    *,
    warns: bool = False,
) -> Links:
    """The similar pairs within a collection, or between it and an `other`, as columns of numbers.

    `without` names documents of the collection that are not searched. The stages of the search are
    reported to the `run`, and if it `warns`, also what keeps pairs from being found.

    >>> from sdtext.collections.memory import MemoryCollection
    >>> texts = MemoryCollection.of([[1, 2, 3, 4, 5], [7], [1, 2, 3, 4, 5]])
    >>> pairs = links(texts, Question(minimum=80))
    >>> pairs.left.tolist(), pairs.right.tolist(), pairs.score.tolist()
    ([0], [2], [99])
    """
    if question.recommended:
        raise OptionError.of("search", "recommended", True, "left out for pairs; it is for queries")  # noqa: FBT003 (the value)
    run = run or Run()
    plan = plan_search(searched, question)
    views = segment_views(searched, plan.derivation, question.where)
    if without:
        left_out = [np.isin(view.segment.ids, [*without]) for view in views]
        views = [replace(v, wanted=v.wanted & ~out) for v, out in zip(views, left_out, strict=True)]
    if other is not None:
        views += segment_views(other, plan_for_second(plan, other).derivation, side=1)
    for side in (searched, other):
        run.note(*(() if side is None else side.problems))
    table = Table(views, plan.derivation, two_sided=other is not None, run=run)
    pairs = STRATEGIES[plan.compares](table, plan, False).pairs()  # noqa: FBT003 (exhaustive)
    if warns:
        run.note(*oversized_problems(pairs.oversized))
        if plan.compares == "shingles":
            run.note(*single_shingle_problems(table.sizes[table.wanted]))
    return pairs


def comparison_of(searched: Searchable, plan: SearchPlan) -> BySets:
    """The comparison of documents of a collection, given by their rows, without a search."""
    table = Table(segment_views(searched, plan.derivation), plan.derivation)
    return _OF_SHINGLES[plan.compares](table, plan)
