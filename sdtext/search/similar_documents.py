"""Documents of a collection that are similar to documents, or to what files hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from os.path import join, realpath
from pathlib import Path
from typing import Any

from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.errors import UnreadableError
from sdtext.fingerprinting.fingerprint_documents import Foreign
from sdtext.fingerprinting.load_and_save import holds_fingerprints
from sdtext.model import Problem
from sdtext.reading.inputs import RECORD, InputFile, Inputs, input_files, read_inputs
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.parallel_run import COMPARING, Run, nothing_left
from sdtext.reading.read_document import BEGINNING, read
from sdtext.search.find import STRATEGIES, Strategy
from sdtext.search.fingerprint_search import FingerprintSearch, fingerprints_in
from sdtext.search.results import Found, Hits, QueryMatches, best_rows
from sdtext.search.search_explanations import refused_pairs
from sdtext.search.search_plan import (
    Question,
    SearchPlan,
    plan_search,
)
from sdtext.search.searchable import Searchable, Table, documents_of, segment_views
from sdtext.search.shared_pieces import finished
from sdtext.text.document import Document
from sdtext.wording import counted, shown

_DEFAULT = Question()
_BATCH = 256  # queries that are encoded together, of at most so many code points:
_BATCH_LENGTH = 1 << 19
_SHORT = 1 << 12  # code points that are encoded sooner than limits are set
Source = Document | str | Path
"""A document, or the path of a file."""


def similar(
    searched: Searchable,
    documents: Iterable[Source],
    question: Question = _DEFAULT,
    run: Run | None = None,
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
    run = (run or Run()).anew()
    part = PreparedSearch.of(searched, question, run)(documents, run)
    return joined_hits([part], searched, question, run)


def similar_to_files(searched: Searchable, inputs: Inputs, question: Question, run: Run) -> Hits:
    """The stored documents that are similar to the documents and fingerprints at `inputs`.

    A fingerprint over a dictionary that the collection does not have is a problem; MismatchError
    if there is nothing else. Raises UnreadableError if no query can be read.
    """
    run = run.anew()
    return joined_hits(search_files(searched, inputs, question, run), searched, question, run)


def joined_hits(
    parts: Sequence[Hits],
    searched: Searchable,
    question: Question,
    run: Run,
    queries: Sequence[Document] = (),
) -> Hits:
    """The answers to queries of several kinds as one, with the problems of the run."""
    rows = tuple(row for part in parts for row in part.rows)
    how = "; ".join(dict.fromkeys(part.how for part in parts if part.how))
    found = Hits(rows, how=how, curve=parts[0].curve)
    return finished(found, searched, None, question, run, queries)


def search_files(searched: Searchable, inputs: Inputs, question: Question, run: Run) -> list[Hits]:
    """What is similar to documents in files, and to fingerprints; problems go to the run."""
    documents: list[InputFile] = []
    prints: list[Path] = []
    for file in input_files(inputs, run):
        if not file.records and holds_fingerprints(file.path, run.reading.max_bytes):
            prints.append(file.path)
        else:
            documents.append(file)
    rest = read_inputs(documents, inputs.fields, run)
    first = [*islice(rest, 1)]
    if not (first or prints):
        raise nothing_left(run, "there is nothing to search for", inputs.paths)
    parts = []
    if first:
        parts.append(PreparedSearch.of(searched, question, run)(chain(first, rest), run))
    if prints:
        queries = fingerprints_in(prints, run, is_alone=not documents)
        search = FingerprintSearch(searched, question, run)
        parts.append(search.hits(queries, must_match=not documents))
    return parts


@dataclass(frozen=True, eq=False)
class PreparedSearch:
    """A search by documents that is prepared once for any number of queries.

    It answers for the documents that were there when it was prepared.
    """

    searched: Searchable
    plan: SearchPlan
    table: Table
    top_is_default: bool
    exhaustive: bool

    @classmethod
    def of(
        cls, searched: Searchable, question: Question = _DEFAULT, run: Run | None = None
    ) -> PreparedSearch:
        """The search of a collection for a question. Raises OptionError or MismatchError.

        What is indexed on the way is reported to the `run`.
        """
        plan = plan_search(searched, question)
        ranking = plan.for_queries()
        views = segment_views(searched, plan.derivation, question.where)
        of_bits = plan.compares == "bits"  # sets report how they verify, which is for pairs
        table = Table(views, plan.derivation, run=run if run and of_bits else Run())
        by_default = question.top is None and ranking.question.top is not None
        exhaustive = ranking.question != question
        return cls(searched, ranking, table, by_default, exhaustive)

    def __call__(self, documents: Iterable[Source], run: Run) -> Hits:
        """The documents that are similar to each of these; problems go to the run."""
        strategy, top = self._strategy, self.plan.question.top
        rows: list[Found] = []
        run.note(*self.searched.problems)
        strategy.note_searched(run)
        foreign: Foreign = []
        most = own = 0
        for document, encoded in _encoded(strategy, documents, run):
            matches = strategy.query(encoded)
            run.note(*strategy.problems_of(document.source, encoded))
            misfit = self._fit.foreign(document.clean[:BEGINNING]) if self._fit else ""
            if misfit:  # a calibration says nothing of other languages
                foreign.append((Path(document.source), misfit))
                matches = replace(matches, chances=None)
            if document.metadata and (copies := _own_copies(self.searched, document, matches)):
                matches = matches.without(copies)
                own += 1
            most = max(most, len(matches.ids))
            if matches.refused:
                stored = documents_of(self.searched, matches.refused)
                names = {
                    number: f"{shown(document.source)} and {shown(item.name)}"
                    for number, item in stored.items()
                }
                run.note(*refused_pairs(matches.refused, names.__getitem__))
            rows += best_rows(self.searched, document.source, matches, top)
        run.note(*in_other_languages(foreign))
        how = strategy.how
        if self.top_is_default and top is not None and most > top:
            how += f"; only the best {top} of each query are listed (a minimum score lists all)"
        if own:
            whose = "its own stored copy" if own == 1 else "their own stored copies"
            how += f"; {counted(own, 'document')} not compared with {whose}"
        return Hits(tuple(rows), how=how, curve=strategy.curve)

    @cached_property
    def _fit(self) -> LanguageFit | None:
        """The check of the languages of documents whose bit vectors are compared."""
        return LanguageFit(self.plan.dictionary) if self.plan.dictionary else None

    @property
    def _strategy(self) -> Strategy:
        """The strategy; a new one where that remembers how earlier queries were searched for."""
        if self.plan.compares == "sequences":
            self.__dict__.pop("_prepared", None)
        return self._prepared

    @cached_property
    def _prepared(self) -> Strategy:
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
    strategy: Strategy, sources: Iterable[Source], run: Run
) -> Iterator[tuple[Document, Any]]:
    """The documents with what is compared of each, encoded in batches.

    One that cannot be read or encoded within the limits is a problem of the run. The documents of
    a batch are reported as compared when the caller asks for the next one.
    """
    number = 0
    for batch in _batches(sources, run):
        number += len(batch)
        kept: Sequence[Document]
        encoded: Sequence[Any] | None
        if sum(len(document.clean) for document in batch) <= _SHORT:
            kept, encoded = batch, strategy.encoded(batch)
        else:
            encoded, kept = work_on_each(
                strategy.encoded,
                batch,
                run.reading.limits,
                lambda document: document.source,
                run.note,
                strategy.reset,
            )
        run.step(len(batch) - len(kept), number, COMPARING)
        for pair in zip(kept, encoded or (), strict=True):
            yield pair
            run.step(1, number, COMPARING)


def _batches(sources: Iterable[Source], run: Run) -> Iterator[list[Document]]:
    batch: list[Document] = []
    length = 0
    for source in sources:
        try:
            document = source if isinstance(source, Document) else read(source, reading=run.reading)
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
