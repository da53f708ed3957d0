"""Search a collection by fingerprints, each over the dictionary that it was made with.

No text is needed: the packed bits of a fingerprint are compared with those that the collection
stores by the same dictionary, which includes the recipe of its tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

import numpy as np

from sdtext.collections.memory import MemoryCollection
from sdtext.collections.schema import vectors_column
from sdtext.errors import MismatchError, SdtextError
from sdtext.fingerprinting.dictionaries_by_digest import called
from sdtext.fingerprinting.load_and_save import holds_fingerprints, read_fingerprint_file
from sdtext.model import DictionaryReference, Fingerprint, Problem, Vector
from sdtext.model.dictionary import Dictionary
from sdtext.parts.registry import find, parse, translated
from sdtext.reading.archive_members import content_at
from sdtext.reading.inputs import InputFile, Inputs, input_files, read_inputs
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.search.bit_vector_search import ByVectors
from sdtext.search.find import best_rows, ranking, similar
from sdtext.search.results import Found, Hits, QueryMatches
from sdtext.search.scoring import Scores
from sdtext.search.search_plan import Question, SearchPlan, as_recommended, default_matcher
from sdtext.search.searchable import Searchable, Table, segment_views
from sdtext.wording import counted, shown


def similar_to_files(searched: Searchable, inputs: Inputs, question: Question, run: Run) -> Hits:
    """The stored documents that are similar to the documents and fingerprints at `inputs`.

    A fingerprint over a dictionary that the collection does not have is a problem; MismatchError
    if there is nothing else. Raises UnreadableError if no query can be read.
    """
    documents, prints = _divided(input_files(inputs, run), run)
    rest = read_inputs(inputs, run, documents)
    read = [*islice(rest, 1)]
    if not (read or prints):
        raise nothing_left(run, "there is nothing to search for", inputs.paths)
    parts = []
    if read:
        parts.append(similar(searched, chain(read, rest), question, run))
    if prints:
        search = FingerprintSearch(searched, question, run)
        hits = _hits(search, _fingerprints_in(prints, run, is_alone=not documents))
        if not documents and hits.problems and not search.searches:
            raise MismatchError(hits.problems[0].message)
        parts.append(hits)
    return Hits(
        tuple(row for part in parts for row in part.rows),
        tuple(dict.fromkeys(problem for part in parts for problem in part.problems)),
        "; ".join(dict.fromkeys(part.how for part in parts if part.how)),
        parts[0].curve,
    )


def similar_to_fingerprints(
    searched: Searchable, fingerprints: Sequence[Fingerprint], question: Question
) -> Hits:
    """The stored documents that are similar to fingerprints in memory.

    They are named by their documents or GUIDs, else by their numbers, from 1 as in a file. One
    over a dictionary that the collection does not have is a problem; MismatchError if all are.
    """
    names = [
        item.name or item.origin.guid or f"fingerprint {number}"
        for number, item in enumerate(fingerprints, 1)
    ]
    search = FingerprintSearch(searched, question)
    named = zip(names, fingerprints, strict=True)
    hits = _hits(search, ((Path(name), name, item) for name, item in named))
    if hits.problems and not search.searches:
        raise MismatchError(hits.problems[0].message)
    return hits


def _divided(files: Iterable[InputFile], run: Run) -> tuple[list[InputFile], list[Path]]:
    """The documents and records among `files`, and the files of fingerprints."""
    documents: list[InputFile] = []
    prints: list[Path] = []
    for file in files:
        if not file.records and holds_fingerprints(file.path, run.reading.max_bytes):
            prints.append(file.path)
        else:
            documents.append(file)
    return documents, prints


def _fingerprints_in(
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
    rounded: bool = False
    searches: dict[str, ByVectors] = field(default_factory=dict)

    def matches(self, fingerprint: Fingerprint, name: str = "") -> QueryMatches | None:
        """The documents that are similar to a fingerprint, each with its best score.

        None where the collection has no vectors over a dictionary of the fingerprint.
        """
        found = [search.query_vectors(vectors, name) for search, vectors in self.over(fingerprint)]
        if len(found) < 2:
            return found[0] if found else None
        ids = np.concatenate([match.ids for match in found])
        score = np.concatenate([match.scores.score for match in found])
        similarity = np.concatenate([match.scores.similarity for match in found])
        order = np.argsort(-similarity, kind="stable")
        _, first = np.unique(ids[order], return_index=True)
        return QueryMatches(ids[order][first], Scores(score, similarity).taken(order[first]))

    def over(self, fingerprint: Fingerprint) -> Iterator[tuple[ByVectors, list[Vector]]]:
        """The searches over the dictionaries of a fingerprint, each with the vectors over that."""
        for digest, reference in self._references.items():
            vectors = [
                vector
                for vector in fingerprint.vectors
                if fingerprint.reference(vector).digest == digest
            ]
            if vectors:
                yield self._search(reference), vectors

    @cached_property
    def _references(self) -> Mapping[str, DictionaryReference]:
        if isinstance(self.searched, MemoryCollection):
            return self.searched.references
        return {item.digest: item.reference() for item in self.searched.dictionaries}

    def _search(self, reference: DictionaryReference) -> ByVectors:
        if reference.digest not in self.searches:
            plan = _plan(self.searched, self.question, reference)
            views = segment_views(self.searched, plan.derivation, self.question.where)
            if isinstance(self.searched, MemoryCollection):
                column, width = vectors_column(reference.digest), (reference.terms + 7) // 8
                views = [
                    view
                    for view in views
                    if column in view.segment.arrays
                    and view.segment.arrays[column].shape[1] == width
                ]
            table = Table(views, plan.derivation, run=self.run)
            self.searches[reference.digest] = ByVectors(table, plan, rounded=self.rounded)
        return self.searches[reference.digest]


def _hits(search: FingerprintSearch, queries: Iterable[tuple[Path, str, Fingerprint]]) -> Hits:
    """The documents that are similar to each of the fingerprints.

    MismatchError if all are over dictionaries that the collection does not have.
    """
    rows: list[Found] = []
    refused: Counter[tuple[Path, str]] = Counter()
    for path, name, fingerprint in queries:
        matches = search.matches(fingerprint, name)
        if matches is None:
            refused[path, " and ".join(map(called, fingerprint.dictionaries))] += 1
            continue
        top = next(iter(search.searches.values())).plan.question.top
        rows += best_rows(search.searched, name, matches, top)
    own = " and ".join(called(item.reference()) for item in search.searched.dictionaries)
    has = (
        f"dictionary {own}: fingerprint the documents with that"
        if own
        else ("no dictionary: make a collection with that dictionary")
    )
    problems = []
    for (path, theirs), number in refused.items():
        what = (
            f"{counted(number, 'fingerprint')} not compared, made with dictionary {theirs}; "
            f"the collection has {has}"
        )
        message = f"{shown(path)}: {what}"
        problems.append(Problem("error", "other-dictionary", message, str(path), what))
    searches = search.searches.values()
    problems += (item for each in searches for item in each.problems)
    return Hits(tuple(rows), tuple(problems), "; ".join(each.how for each in searches))


def _plan(searched: Searchable, question: Question, reference: DictionaryReference) -> SearchPlan:
    """The plan of a search by bit vectors. MismatchError or OptionError for other matchers."""
    if question.estimate or question.recall is not None:
        raise MismatchError("fingerprints are compared exactly; leave estimate and recall out")
    known = [item for item in searched.dictionaries if item.digest == reference.digest]
    question = as_recommended(question, known)
    matcher = translated("matchers", parse(question.matcher or default_matcher(known)))
    if getattr(find("matchers", matcher.name), "compares", "sets") not in ("sets", "vectors"):
        raise MismatchError(f"{matcher.name} compares texts, not fingerprints; use cosine")
    stored = searched.recipe
    dictionary = known[0] if known else None
    plan = SearchPlan(question, stored, stored, matcher, "bits", dictionary, reference)
    plan.check_index()
    return replace(plan, question=ranking(plan))
