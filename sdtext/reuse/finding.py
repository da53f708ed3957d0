"""Looking for reused text: in one text of another, in many, within a collection, between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

from sdtext.collections.collection import Collection, is_collection
from sdtext.collections.ingest.inputs import Inputs
from sdtext.collections.naming import unknown_names
from sdtext.errors import OptionError
from sdtext.model import Document, Evidence, Problem
from sdtext.reading.batches import Run
from sdtext.reuse.plan import planned
from sdtext.reuse.queries import Given
from sdtext.reuse.question import ReuseQuestion
from sdtext.reuse.search import ReuseSearch
from sdtext.search import OpenCollection
from sdtext.search.pairs import is_same

Sought = (
    str | Path | Document | Sequence[str | Path | Document] | Inputs | OpenCollection | Collection
)
"""Texts at hand or in files, folders and archives; or a collection, or its path."""

_USUAL = ReuseQuestion()
_SAME = Problem(
    "warning",
    "same-collection",
    "both are the same collection: its documents are compared with one another, each pair once",
)


def find_reuse(
    left: Sought,
    right: Sought | None = None,
    question: ReuseQuestion = _USUAL,
    run: Run | None = None,
) -> Evidence:
    """The passages that each left document shares with each right one, and the shares of words.

    Without `right`, those that the documents of a collection share with each other. Left are those
    under suspicion: coverage says how much of each is found anywhere on the right. What cannot be
    read goes to the problems of the `run`. Raises OptionError, also where it would take too much
    work; UnreadableError where nothing is left to compare; MismatchError where a collection does
    not keep what is needed, or not the same words; FormatError where one is damaged.

    >>> found = find_reuse(samples / "union-excerpt.txt", samples / "union.txt")
    >>> [len(shared.passages) for shared in found.shared]
    [1]
    """
    run = run or Run()
    one, other = _opened(left), None if right is None else _opened(right)
    problems: list[Problem] = []
    if isinstance(one, Collection) and isinstance(other, Collection) and is_same(one, other):
        other = None
        problems.append(_SAME)
    if other is None and isinstance(one, Given):
        raise OptionError(
            "find_reuse: texts need something to be compared with; name another text, or a "
            "collection"
        )
    collections = [side for side in (one, other) if isinstance(side, Collection)]
    plan = planned(question, collections)
    problems += unknown_names(collections[0], question.where) if collections else ()
    run = replace(run, reading=run.reading.preferring(plan.recipe.reader))
    evidence = ReuseSearch.of(plan, one, other, run).evidence()
    return replace(evidence, problems=(*problems, *evidence.problems))


def _opened(side: Sought) -> Collection | Given:
    """A collection, or texts."""
    if isinstance(side, OpenCollection):
        return side.stored
    if isinstance(side, Collection):
        return side
    if isinstance(side, Inputs):
        return Given(side)
    if isinstance(side, str | PathLike) and is_collection(side):
        return Collection.open(side)
    every = [side] if isinstance(side, str | PathLike | Document) else list(side)
    documents = tuple(one for one in every if isinstance(one, Document))
    return Given(Inputs([one for one in every if not isinstance(one, Document)]), documents)
