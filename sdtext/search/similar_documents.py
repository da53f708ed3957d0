"""Documents of a collection that are similar to documents, fingerprints, or what files hold.

A fingerprint is searched for over the dictionaries that it and the collection were made with. It
may have vectors over several, and one for each of its segments; the best of them counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter
from os.path import join, realpath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.dictionary_language_fit import LanguageFit, in_other_languages
from sdtext.collections.schema import keeps_sketches
from sdtext.errors import MismatchError, SdtextError, UnreadableError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.fingerprint_documents import Foreign
from sdtext.fingerprinting.load_and_save import holds_fingerprints, read_fingerprint_file
from sdtext.kernels.arrays.equal_rows import distinct
from sdtext.model import DictionaryReference, Fingerprint, Problem, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import find, normalised, parse
from sdtext.reading.archive_members import content_at
from sdtext.reading.inputs import RECORD, InputFile, Inputs, input_files, read_inputs
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.parallel_run import COMPARING, Run, cut_batches, nothing_left
from sdtext.reading.read_document import BEGINNING, read
from sdtext.search.bit_vector_search import ByVectors
from sdtext.search.find import STRATEGIES, Strategy
from sdtext.search.results import Found, Hits, LevelCheck, QueryMatches, best_rows
from sdtext.search.scoring import Scores
from sdtext.search.search_explanations import describe_nothing_rare, refused_pairs
from sdtext.search.search_plan import (
    Question,
    SearchPlan,
    as_recommended,
    default_matcher,
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
    `DEFAULT_MINIMUM`, or share rare shingles. With `top` alone, all that have anything in common
    count. An estimate, a recall and sequences have the minimum of the recipe's index. A document
    that cannot be read, or exceeds the limits of the run, is a problem of the run, or raises
    UnreadableError.

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
    left_out = sum(part.nothing_rare for part in parts)
    found = Hits(rows, how=how, curve=parts[0].curve, nothing_rare=left_out)
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
        parts.append(_hits_of(searched, queries, question, run, must_match=not documents))
    return parts


def _hits_of(
    searched: Searchable,
    queries: Iterable[tuple[Path, str, Fingerprint]],
    question: Question,
    run: Run,
    *,
    must_match: bool,
) -> Hits:
    """What is similar to fingerprints; sketches by another recipe are problems of the run."""
    if not keeps_sketches(searched.recipe):
        return FingerprintSearch(searched, question, run).hits(queries, must_match=must_match)
    from sdtext.collections.wordless_fingerprints import digest_of, row_of

    prepared = PreparedSearch.of(searched, question, run)
    search, top = prepared.strategy, prepared.plan.question.top
    digest = digest_of(searched.recipe)
    rows: list[Found] = []
    for path, name, fingerprint in queries:
        try:
            sketch: Any = row_of(fingerprint, digest, name)
            matches = search.query(sketch)
            rows += best_rows(searched, name, matches, top)
        except MismatchError as error:
            run.note(Problem.of(error, path))
    return Hits(tuple(rows), how=search.how)


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
        strategy, top = self.strategy, self.plan.question.top
        rows: list[Found] = []
        run.note(*self.searched.problems)
        strategy.note_searched(run)
        foreign: Foreign = []
        most = own = nothing_rare = 0
        levels = LevelCheck(self.plan.question.recommended)
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
            if matches.chances:
                levels.add(matches.chances)
            most = max(most, len(matches.ids))
            nothing_rare += matches.nothing_rare
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
        if nothing_rare:
            how += describe_nothing_rare(nothing_rare)
        if self.top_is_default and top is not None and most > top:
            how += f"; only the best {top} of each query are listed (a minimum score lists all)"
        if own:
            whose = "its own stored copy" if own == 1 else "their own stored copies"
            how += f"; {counted(own, 'document')} not compared with {whose}"
        return Hits(
            levels.checked(rows, run), how=how, curve=strategy.curve, nothing_rare=nothing_rare
        )

    @cached_property
    def _fit(self) -> LanguageFit | None:
        """The check of the languages of documents whose bit vectors are compared."""
        return LanguageFit(self.plan.dictionary) if self.plan.dictionary else None

    @property
    def strategy(self) -> Strategy:
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
    read_documents = _read(sources, run)
    for batch in cut_batches(read_documents, lambda it: len(it.clean), _BATCH_LENGTH, _BATCH):
        number += len(batch)
        kept: Sequence[Document]
        encoded: Sequence[Any] | None
        if sum(len(document.clean) for document in batch) <= _SHORT:
            kept, encoded = batch, strategy.encoded(batch)
        else:
            called = attrgetter("source")
            encoded, kept = work_on_each(
                strategy.encoded, batch, run.reading.limits, called, run.note, strategy.reset
            )
        run.step(len(batch) - len(kept), number, COMPARING)
        for pair in zip(kept, encoded or (), strict=True):
            yield pair
            run.step(1, number, COMPARING)


def _read(sources: Iterable[Source], run: Run) -> Iterator[Document]:
    for source in sources:
        try:
            yield source if isinstance(source, Document) else read(source, reading=run.reading)
        except UnreadableError as error:
            if run.problems is None:
                raise
            run.note(Problem.of(error, source.source if isinstance(source, Document) else source))


def search_fingerprints(
    searched: Searchable, fingerprints: Sequence[Fingerprint], question: Question, run: Run
) -> Hits:
    """The stored documents that are similar to fingerprints in memory; problems go to the run.

    They are named by their documents or GUIDs, else by their numbers, from 1 as in a file. One
    over a dictionary that the collection does not have is a problem; MismatchError if all are.
    """
    queries = []
    for number, item in enumerate(fingerprints, 1):
        name = item.name or item.origin.guid or f"fingerprint {number}"
        queries.append((Path(name), name, item))
    return _hits_of(searched, queries, question, run, must_match=True)


def fingerprints_in(
    files: Sequence[Path], run: Run, *, is_alone: bool
) -> Iterator[tuple[Path, str, Fingerprint]]:
    """The fingerprints in `files` with the file and a name; a damaged file is a problem.

    Where the only file is damaged and `is_alone`, its error is raised.
    """
    for path in files:
        name = path.as_posix()
        number = 0
        try:
            for item in read_fingerprint_file(content_at(path, run.reading.max_bytes), name):
                if not isinstance(item, Dictionary):
                    number += 1
                    yield path, *item
        except SdtextError as error:
            if is_alone and not number and len(files) == 1:
                raise
            run.note(Problem.of(error, path))
        run.step(1, len(files))


@dataclass
class FingerprintSearch:
    """The searches of a collection by fingerprints, one for each dictionary of its vectors.

    `searches` has them by the digests of the dictionaries, as far as they were needed.
    """

    searched: Searchable
    question: Question
    run: Run = field(default_factory=Run)
    searches: dict[str, ByVectors] = field(default_factory=dict)

    def query(self, fingerprint: Fingerprint) -> QueryMatches:
        """The documents that are similar to a fingerprint, each with its best score."""
        found = [search.query(vectors) for search, vectors in self._over(fingerprint)]
        if len(found) < 2:
            return found[0] if found else QueryMatches.none()
        ids = np.concatenate([match.ids for match in found])
        score = np.concatenate([match.scores.score for match in found])
        similarity = np.concatenate([match.scores.similarity for match in found])
        order = np.argsort(-similarity, kind="stable")
        _, first = np.unique(ids[order], return_index=True)
        return QueryMatches(ids[order][first], Scores(score, similarity).take(order[first]))

    def comparable(self, fingerprint: Fingerprint) -> NDArray[np.int64]:
        """The documents that have a score with a fingerprint, even 0."""
        found = [search.comparable(vectors) for search, vectors in self._over(fingerprint)]
        return distinct(np.concatenate([np.empty(0, np.int64), *found]))

    def _over(self, fingerprint: Fingerprint) -> Iterator[tuple[ByVectors, list[Vector]]]:
        """The searches over the dictionaries of a fingerprint, each with the vectors over that."""
        for digest, reference in self.searched.references.items():
            if vectors := fingerprint.vectors_over(digest):
                if digest not in self.searches:
                    plan = _plan(self.searched, self.question, reference)
                    where = self.question.where
                    views = segment_views(self.searched, plan.derivation, where, over=reference)
                    table = Table(views, plan.derivation, run=self.run)
                    self.searches[digest] = ByVectors(table, plan)
                yield self.searches[digest], vectors

    def hits(self, queries: Iterable[tuple[Path, str, Fingerprint]], *, must_match: bool) -> Hits:
        """The documents that are similar to fingerprints, each with the file it is in and a name.

        With `must_match` MismatchError if all are over dictionaries that the collection lacks.
        """
        rows: list[Found] = []
        refused: Counter[tuple[Path, str]] = Counter()
        levels = LevelCheck(self.question.recommended)
        for path, name, fingerprint in queries:
            if fingerprint.sketch:
                what = "holds a sketch, and the collection has none; make one by the recipe sketch"
                self.run.note(Problem.at("error", "other-fingerprinter", name, what))
                continue
            searches = [*self._over(fingerprint)]
            if not searches:
                refused[path, " and ".join(map(called, fingerprint.dictionaries))] += 1
                continue
            for search, vectors in searches:
                self.run.note(*search.problems_of(name, vectors))
            top = searches[0][0].plan.question.top
            matches = self.query(fingerprint)
            if matches.chances:
                levels.add(matches.chances)
            rows += best_rows(self.searched, name, matches, top)
        own = " and ".join(called(item.reference()) for item in self.searched.dictionaries)
        others = []
        for (path, theirs), number in refused.items():
            what = f"{counted(number, 'fingerprint')} not compared, made with dictionary {theirs}; "
            what += f"the collection has {own or 'none'}: use one dictionary for both"
            others.append(Problem.at("error", "other-dictionary", path, what))
        if others and must_match and not self.searches:
            raise MismatchError(others[0].message)
        self.run.note(*others)
        for search in self.searches.values():
            search.note_searched(self.run)
        listed = levels.checked(rows, self.run)
        return Hits(listed, how="; ".join(search.how for search in self.searches.values()))


def _plan(searched: Searchable, question: Question, reference: DictionaryReference) -> SearchPlan:
    """The plan of a search by bit vectors. MismatchError or OptionError for other matchers."""
    if question.estimate or question.recall is not None:
        raise MismatchError("fingerprints are compared exactly; leave estimate and recall out")
    known = [item for item in searched.dictionaries if item.digest == reference.digest]
    question = as_recommended(question, known) if question.recommended else question
    matcher = normalised("matchers", parse(question.matcher or default_matcher(known)))
    if getattr(find("matchers", matcher.name), "compares", "sets") not in ("sets", "vectors"):
        raise MismatchError(f"{matcher.name} compares texts, not fingerprints; use cosine")
    stored = searched.recipe
    dictionary = known[0] if known else None
    plan = SearchPlan(question, stored, stored, matcher, "bits", dictionary, reference)
    if question.index is not None:
        plan.check_index()
    return plan.for_queries()
