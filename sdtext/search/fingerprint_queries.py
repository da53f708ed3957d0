"""Search a collection by fingerprints, each over the dictionary that it was made with.

No text is needed: the packed bits of a fingerprint are compared with those that the collection
stores by the same dictionary, which includes the recipe of its tokens.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path

import numpy as np

from sdtext.errors import MismatchError, SdtextError, counted, shown
from sdtext.fingerprinting.compare_fingerprints import called, default_matcher
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
from sdtext.search.search_plan import Question, SearchPlan, as_recommended
from sdtext.search.searchable import Searchable, Table, segment_views


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
        search = _FingerprintSearch(searched, question, run)
        hits = search(_fingerprints_in(prints, run, is_alone=not documents))
        if not documents and search.refused and not search.searches:
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
    search = _FingerprintSearch(searched, question)
    hits = search((Path(name), name, item) for name, item in zip(names, fingerprints, strict=True))
    if search.refused and not search.searches:
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
class _FingerprintSearch:
    """The searches over the dictionaries of a collection; `refused` counts what has no such."""

    searched: Searchable
    question: Question
    run: Run = field(default_factory=Run)
    searches: dict[str, ByVectors] = field(default_factory=dict)
    refused: Counter[tuple[Path, str]] = field(default_factory=Counter)

    def __call__(self, queries: Iterable[tuple[Path, str, Fingerprint]]) -> Hits:
        """The documents that are similar to each of the fingerprints."""
        rows: list[Found] = []
        for path, name, fingerprint in queries:
            digest = self._digest(fingerprint)
            if digest is None:
                references = map(called, fingerprint.dictionaries)
                self.refused[path, " and ".join(references)] += 1
                continue
            search = self._search(digest)
            vectors = _vectors_over(fingerprint, digest)
            matches = _best_of([search.query_vector(vector, name) for vector in vectors])
            rows += best_rows(self.searched, name, matches, search.plan.question.top)
        searches = self.searches.values()
        problems = (*self._refusals(), *(item for search in searches for item in search.problems))
        return Hits(tuple(rows), problems, "; ".join(search.how for search in searches))

    def _digest(self, fingerprint: Fingerprint) -> str | None:
        """The first dictionary of the collection that the fingerprint has a vector over."""
        its = {reference.digest for reference in fingerprint.dictionaries}
        return next((digest for digest in self._known if digest in its), None)

    @cached_property
    def _known(self) -> dict[str, Dictionary]:
        return {dictionary.digest: dictionary for dictionary in self.searched.dictionaries}

    def _search(self, digest: str) -> ByVectors:
        if digest not in self.searches:
            plan = _plan(self.searched, self.question, self._known[digest])
            views = segment_views(self.searched, plan.derivation, self.question.where)
            self.searches[digest] = ByVectors(Table(views, plan.derivation, run=self.run), plan)
        return self.searches[digest]

    def _refusals(self) -> Iterator[Problem]:
        """An error for each file and dictionary that the collection does not have."""
        own = " and ".join(called(item.reference()) for item in self._known.values())
        what_to_do = (
            "fingerprint the documents with that"
            if own
            else "make a collection with that dictionary"
        )
        for (path, theirs), number in self.refused.items():
            there = f"dictionary {own}" if own else "no dictionary"
            what = (
                f"{counted(number, 'fingerprint')} not compared, made with dictionary {theirs}; "
                f"the collection has {there}: {what_to_do}"
            )
            yield Problem("error", "other-dictionary", f"{shown(path)}: {what}", str(path), what)


def _plan(searched: Searchable, question: Question, dictionary: Dictionary) -> SearchPlan:
    """The plan of a search by bit vectors. MismatchError or OptionError for other matchers."""
    if question.estimate or question.recall is not None:
        raise MismatchError("fingerprints are compared exactly; leave estimate and recall out")
    question = as_recommended(question, [dictionary])
    matcher = translated("matchers", parse(question.matcher or default_matcher([dictionary])))
    if getattr(find("matchers", matcher.name), "compares", "sets") not in ("sets", "vectors"):
        raise MismatchError(f"{matcher.name} compares texts, not fingerprints; use cosine")
    stored = searched.recipe
    plan = SearchPlan(question, stored, stored, matcher, "bits", dictionary)
    plan.check_index()
    return replace(plan, question=ranking(plan))


def _vectors_over(fingerprint: Fingerprint, digest: str) -> list[Vector]:
    def reference(vector: Vector) -> DictionaryReference:
        return fingerprint.reference(vector)

    return [vector for vector in fingerprint.vectors if reference(vector).digest == digest]


def _best_of(matches: Sequence[QueryMatches]) -> QueryMatches:
    """The matches of several vectors: each document once, with its best score."""
    if len(matches) == 1:
        return matches[0]
    ids = np.concatenate([match.ids for match in matches])
    scores = Scores(
        np.concatenate([match.scores.score for match in matches]),
        np.concatenate([match.scores.similarity for match in matches]),
    )
    order = np.argsort(-scores.similarity, kind="stable")
    _, first = np.unique(ids[order], return_index=True)
    return QueryMatches(ids[order][first], scores.taken(order[first]))
