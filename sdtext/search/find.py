"""Pairs of similar documents within or between collections, and documents similar to a query."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os.path import join, realpath
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sdtext.errors import OptionError, UnreadableError
from sdtext.model import Problem
from sdtext.reading.inputs import RECORD
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import COMPARING, Run
from sdtext.reading.read_document import read
from sdtext.search.bit_vector_search import ByVectors
from sdtext.search.results import Curve, Found, Hits, Links, Pair, Pairs, QueryMatches
from sdtext.search.search_explanations import refused_pairs, single_shingle_problems
from sdtext.search.search_plan import (
    DEFAULT_MINIMUM,
    DEFAULT_TOP,
    Question,
    SearchPlan,
    plan_for_second,
    plan_search,
)
from sdtext.search.searchable import Searchable, Table, documents_of, segment_views
from sdtext.search.sequence_search import BySequences
from sdtext.search.set_search import BySets
from sdtext.search.weighted_search import ByWeights
from sdtext.text.document import Document
from sdtext.wording import counted, shown

_DEFAULT = Question()
_ALONE = Run()
_BATCH = 256  # queries that are encoded together, of at most so many code points:
_BATCH_LENGTH = 1 << 19
_SHORT = 1 << 12  # code points that are encoded sooner than limits are set
_SAME = Problem(
    "warning",
    "same-collection",
    "both are the same collection: its documents are compared with one another, each pair once",
)


class Strategy(Protocol):
    """A search over sets, vectors or sequences; it answers two questions."""

    def pairs(self) -> Links:
        """The similar pairs of documents of the table."""

    def encoded(self, documents: Sequence[Document], /) -> Sequence[Any]:
        """What is compared of each document."""

    def query(self, document: Document, encoded: Any, /) -> QueryMatches:
        """The documents of the table that are similar to `document`, encoded as above."""

    def reset(self) -> None:
        """Drop caches of `encoded`, which was interrupted."""

    @property
    def problems(self) -> list[Problem]:
        """Warnings about the queries so far, and about the searched documents."""

    @property
    def how(self) -> str:
        """How queries are searched for, in a sentence."""

    @property
    def curve(self) -> Curve:
        """The probability of finding a similar document; empty where all are compared."""


_OF_SHINGLES: Mapping[str, type[BySets]] = {
    "shingles": BySets,
    "sequences": BySequences,
    "weights": ByWeights,
}
STRATEGIES: Mapping[str, Callable[[Table, SearchPlan, bool], Strategy]] = {
    **_OF_SHINGLES,
    "bits": ByVectors,
}
"""The strategy for each thing that a plan compares."""


def within(searched: Searchable, question: Question = _DEFAULT, run: Run = _ALONE) -> Pairs:
    """The similar pairs of documents of a collection, the most similar first."""
    pairs = _links_with_warnings(searched, question, None, run)
    return with_names(pairs, searched, searched, question.top)


def between(
    left: Searchable, right: Searchable, question: Question = _DEFAULT, run: Run = _ALONE
) -> Pairs:
    """The similar pairs of a document of one collection and a document of another.

    Of a collection and itself, or a copy of it with the same documents, those within it.
    """
    if not is_same(left, right):
        pairs = _links_with_warnings(left, question, right, run)
        return with_names(pairs, left, right, question.top)
    result = within(left, question, run)
    return replace(result, problems=(*result.problems, _SAME))


def is_same(left: Searchable, right: Searchable) -> bool:
    """Whether one is the other, or a copy of it; those without a GUID are the same by folder."""
    if left is right:
        return True
    paths = [getattr(side, "path", None) for side in (left, right)]
    if None not in paths and len({path.absolute() for path in paths if path}) == 1:
        return True
    mine, other = (getattr(side, "guid", "") for side in (left, right))
    return mine == other != "" and np.array_equal(left.ids(), right.ids())


def links(
    searched: Searchable,
    question: Question = _DEFAULT,
    other: Searchable | None = None,
    without: Collection[int] = (),
    run: Run = _ALONE,
) -> Links:
    """The similar pairs within a collection, or between it and an `other`, as columns of numbers.

    `without` names documents of the collection that are not searched. The stages of the search are
    reported to the `run`.

    >>> from sdtext.collections.memory import MemoryCollection
    >>> texts = MemoryCollection.of([[1, 2, 3, 4, 5], [7], [1, 2, 3, 4, 5]])
    >>> pairs = links(texts, Question(minimum=80))
    >>> pairs.left.tolist(), pairs.right.tolist(), pairs.score.tolist()
    ([0], [2], [99])
    """
    plan, table = _plan_and_table(searched, question, other, without, run)
    return _links(plan, table, searched, other)


def _links_with_warnings(
    searched: Searchable, question: Question, other: Searchable | None, run: Run
) -> Links:
    """The links of a whole search, with a warning where most documents have a single shingle."""
    plan, table = _plan_and_table(searched, question, other, (), run)
    pairs = _links(plan, table, searched, other)
    if plan.compares != "shingles":
        return pairs
    warnings = single_shingle_problems(table.sizes[table.wanted])
    return replace(pairs, problems=(*pairs.problems, *warnings))


def _plan_and_table(
    searched: Searchable,
    question: Question,
    other: Searchable | None,
    without: Collection[int],
    run: Run,
) -> tuple[SearchPlan, Table]:
    """The plan of a search of pairs, and the rows that it compares."""
    if question.recommended:
        raise OptionError.of("search", "recommended", True, "left out for pairs; it is for queries")  # noqa: FBT003 (the value)
    plan = plan_search(searched, question)
    views = segment_views(searched, plan.derivation, question.where)
    if without:
        views = [view.without(without) for view in views]
    if other is not None:
        views += segment_views(other, plan_for_second(plan, other).derivation, side=1)
    return plan, Table(views, plan.derivation, two_sided=other is not None, run=run)


def _links(plan: SearchPlan, table: Table, searched: Searchable, other: Searchable | None) -> Links:
    """The similar pairs of a table, with the problems of its collections."""
    pairs = STRATEGIES[plan.compares](table, plan, False).pairs()  # noqa: FBT003 (exhaustive)
    skipped = (*searched.problems, *(other.problems if other is not None else ()))
    return replace(pairs, problems=(*skipped, *pairs.problems))


def comparison_of(searched: Searchable, plan: SearchPlan) -> BySets:
    """The comparison of documents of a collection, given by their rows, without a search."""
    return _OF_SHINGLES[plan.compares].of(searched, plan)


def with_names(pairs: Links, left: Searchable, right: Searchable, top: int | None = None) -> Pairs:
    """The links with the names of the documents, the most similar first; the best `top` of them."""
    pairs = pairs.best(top)
    sides = pairs.left.tolist(), pairs.right.tolist()
    numbers = [
        [*side, *(pair[place] for pair in pairs.refused)] for place, side in enumerate(sides)
    ]
    lefts = documents_of(left, [*numbers[0], *(numbers[1] if left is right else ())])
    rights = lefts if left is right else documents_of(right, numbers[1])
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
    return Pairs(tuple(rows[:top]), (*pairs.problems, *refused), pairs.how, pairs.curve)


def similar(
    searched: Searchable,
    documents: Iterable[Document | str | Path],
    question: Question = _DEFAULT,
    run: Run = _ALONE,
) -> Hits:
    """The stored documents that are similar to `documents` (or those in files), best first.

    Without a minimum and `top`, they are the best `DEFAULT_TOP` of those that score
    `DEFAULT_MINIMUM`. With `top` alone, all that have anything in common count. An estimate, a
    recall and sequences have the minimum of the recipe's index. A document that cannot be read, or
    exceeds the limits of the run, is a problem of the run, or raises UnreadableError.

    >>> from sdtext.collections.memory import MemoryCollection
    >>> similar(MemoryCollection.of([[1, 2], [2]]), []).rows
    ()
    """
    return PreparedSearch.of(searched, question, run)(documents, run)


@dataclass(frozen=True, eq=False)
class PreparedSearch:
    """A search that is prepared once for any number of queries.

    It answers for the documents that were there when it was prepared.
    """

    searched: Searchable
    plan: SearchPlan
    table: Table
    problems: tuple[Problem, ...]
    top_is_default: bool
    exhaustive: bool

    @classmethod
    def of(
        cls, searched: Searchable, question: Question = _DEFAULT, run: Run = _ALONE
    ) -> PreparedSearch:
        """The search of a collection for a question. Raises OptionError or MismatchError.

        What is indexed on the way is reported to the `run`.
        """
        plan = plan_search(searched, question)
        asked = ranking(plan)
        plan = replace(plan, question=asked)
        views = segment_views(searched, plan.derivation, question.where)
        of_bits = plan.compares == "bits"  # sets report how they verify, which is for pairs
        table = Table(views, plan.derivation, run=run if of_bits else _ALONE)
        problems = searched.problems
        by_default = question.top is None and asked.top is not None
        return cls(searched, plan, table, problems, by_default, asked != question)

    def __call__(self, documents: Iterable[Document | str | Path], run: Run = _ALONE) -> Hits:
        """The documents that are similar to each of these, as `similar` gives them."""
        strategy = self._strategy
        first = len(strategy.problems)
        rows: list[Found] = []
        most = own = 0
        for document, encoded in _encoded(strategy, documents, run):
            matches = strategy.query(document, encoded)
            if document.metadata and (copies := _own_copies(self.searched, document, matches)):
                matches = matches.without(copies)
                own += 1
            most = max(most, len(matches.ids))
            if matches.refused:
                strategy.problems.extend(_refused(self.searched, document, matches))
            rows += best_rows(self.searched, document.source, matches, self.plan.question.top)
        problems = (*self.problems, *strategy.problems)
        del strategy.problems[first:]  # those of these queries
        how, top = strategy.how, self.plan.question.top
        if self.top_is_default and top is not None and most > top:
            how += f"; only the best {top} of each query are listed (a minimum score lists all)"
        if own:
            whose = "its own stored copy" if own == 1 else "their own stored copies"
            how += f"; {counted(own, 'document')} not compared with {whose}"
        return Hits(tuple(rows), problems, how, strategy.curve)

    @property
    def _strategy(self) -> Strategy:
        """The strategy; a new one where that remembers how earlier queries were searched for."""
        return self._new() if self.plan.compares == "sequences" else self._kept

    @cached_property
    def _kept(self) -> Strategy:
        return self._new()

    def _new(self) -> Strategy:
        return STRATEGIES[self.plan.compares](self.table, self.plan, self.exhaustive)


def _own_copies(searched: Searchable, document: Document, matches: QueryMatches) -> list[int]:
    """The numbers of matches that are equal to a document and were stored from its file or record.

    A copy in another place is none of these, nor an earlier version of the file.
    """
    is_file = "reader" in document.metadata
    origin = document.source if is_file else document.metadata.get(RECORD, "")
    equal = matches.ids[matches.scores.similarity >= 1].tolist() if origin else []
    return [
        number
        for number, stored in (documents_of(searched, equal) if equal else {}).items()
        if stored.root and realpath(join(stored.root, stored.name)) == realpath(origin)  # noqa: PTH118
    ]


def _encoded(
    strategy: Strategy, sources: Iterable[Document | str | Path], run: Run
) -> Iterator[tuple[Document, Any]]:
    """The documents with what is compared of each, encoded in batches.

    One that cannot be read or encoded within the limits is a problem of the run. The documents of
    a batch are reported as compared when the caller asks for the next one.
    """
    read = 0
    for batch in _batches(sources, run):
        read += len(batch)
        kept, encoded = _encoded_batch(strategy, batch, run)
        run.step(len(batch) - len(kept), read, COMPARING)
        for pair in zip(kept, encoded, strict=True):
            yield pair
            run.step(1, read, COMPARING)


def _encoded_batch(
    strategy: Strategy, batch: list[Document], run: Run
) -> tuple[Sequence[Document], Sequence[Any]]:
    """The documents that can be encoded within the limits, and what is compared of each."""
    if sum(len(document.clean) for document in batch) <= _SHORT:
        return batch, strategy.encoded(batch)
    encoded, kept, errors = work_on_each(
        strategy.encoded,
        batch,
        run.reading.limits,
        lambda document: shown(document.source),
        strategy.reset,
    )
    for document, error in errors:
        _note(error, document.source, run)
    return kept, encoded or ()


def _batches(sources: Iterable[Document | str | Path], run: Run) -> Iterator[list[Document]]:
    """The documents in batches; files are read within the limits of the run."""
    batch: list[Document] = []
    length = 0
    for source in sources:
        try:
            document = _document(source, run.reading)
        except UnreadableError as error:
            _note(error, source.source if isinstance(source, Document) else source, run)
            continue
        if batch and (len(batch) == _BATCH or length + len(document.clean) > _BATCH_LENGTH):
            yield batch
            batch, length = [], 0
        batch.append(document)
        length += len(document.clean)
    if batch:
        yield batch


def _note(error: UnreadableError, name: str | Path, run: Run) -> None:
    """Add the error to the problems of the run; raise it where there is no list of them."""
    if run.problems is None:
        raise error
    run.note(Problem.of(error, name))


def _document(source: Document | str | Path, reading: Reading) -> Document:
    """The document, read within the limits of `reading` if it is a file."""
    return source if isinstance(source, Document) else read(source, reading)


def ranking(plan: SearchPlan) -> Question:
    """The question; a query that leaves the minimum open asks for the best of all documents."""
    question = plan.question
    if question.minimum is not None:
        return question
    if question.top is not None:
        return replace(question, minimum=1)
    if question.estimate or question.recall is not None or plan.compares == "sequences":
        return question
    return replace(question, minimum=DEFAULT_MINIMUM, top=DEFAULT_TOP)


def _refused(searched: Searchable, document: Document, matches: QueryMatches) -> Iterable[Problem]:
    stored = documents_of(searched, matches.refused)
    query = shown(document.source)
    return refused_pairs(
        matches.refused, lambda number: f"{query} and {shown(stored[number].name)}"
    )


def best_rows(
    searched: Searchable, query: str, matches: QueryMatches, top: int | None
) -> list[Found]:
    """The best matches of a query, with their names; equal ones in the order of their names."""
    ids, scores, chances = matches.ids, matches.scores, matches.chances
    if top is not None and len(ids) > top:
        least = np.partition(scores.similarity, -top)[-top]
        kept = scores.similarity >= least
        ids, scores = ids[kept], scores.taken(kept)
        chances = chances.taken(kept) if chances else None
    documents = documents_of(searched, ids.tolist())
    columns = (ids.tolist(), scores.score.tolist(), scores.similarity.tolist())
    rows = [
        Found(
            *(query, document.name, score, similarity, {**document.metadata}, number),
            chances.of(place, score) if chances else None,
        )
        for place, (number, score, similarity) in enumerate(zip(*columns, strict=True))
        for document in (documents[number],)
    ]
    return sorted(rows, key=lambda row: (-row.similarity, row.document))[:top]
